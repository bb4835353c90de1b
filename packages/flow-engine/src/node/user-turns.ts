/** Bounds of work that many users share. */
export interface UserTurnsOptions {
  /** Pieces of work at once, at least 1. */
  readonly concurrency: number
  /** Pieces of one user at once, at least 1. */
  readonly perUser: number
  /** Pieces of one user that wait; one more is refused. */
  readonly waitingPerUser: number
  /** The refusal of a user whose queue is full. */
  readonly tooMany: () => Error
}

/**
 * Runs the work when it is the user's turn.
 * @throws what `tooMany` made; the reason of the signal while the work waits
 */
export type UserTurns = <T>(
  userId: string,
  signal: AbortSignal,
  work: () => Promise<T>,
) => Promise<T>

interface Line {
  running: number
  readonly waiting: (() => void)[]
}

/**
 * A queue for each user over a fixed number of places. Queues take turns, so that one user with
 * much work delays another by one piece at most (AB-32, AB-76).
 */
export function createUserTurns(options: UserTurnsOptions): UserTurns {
  const { concurrency, perUser, waitingPerUser, tooMany } = options
  /** In the order of turns: a user who was served goes to the end. */
  const lines = new Map<string, Line>()
  let running = 0

  const toEnd = (userId: string, line: Line): void => {
    lines.delete(userId)
    if (line.running > 0 || line.waiting.length > 0) lines.set(userId, line)
  }
  const start = (userId: string, line: Line): void => {
    running += 1
    line.running += 1
    toEnd(userId, line)
  }
  const startNext = (): void => {
    for (const [userId, line] of lines) {
      if (running >= concurrency) return
      if (line.running >= perUser) continue
      const begin = line.waiting.shift()
      if (begin === undefined) continue
      start(userId, line)
      begin()
      return
    }
  }
  const turn = (userId: string, line: Line, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const begin = (): void => {
        signal.removeEventListener('abort', abort)
        resolve()
      }
      const abort = (): void => {
        line.waiting.splice(line.waiting.indexOf(begin), 1)
        if (line.running === 0 && line.waiting.length === 0) lines.delete(userId)
        reject(signal.reason as Error)
      }
      line.waiting.push(begin)
      signal.addEventListener('abort', abort, { once: true })
    })

  return async (userId, signal, work) => {
    signal.throwIfAborted()
    const line = lines.get(userId) ?? { running: 0, waiting: [] }
    if (running < concurrency && line.running < perUser) start(userId, line)
    else {
      if (line.waiting.length >= waitingPerUser) throw tooMany()
      lines.set(userId, line)
      await turn(userId, line, signal)
    }
    try {
      return await work()
    } finally {
      running -= 1
      line.running -= 1
      toEnd(userId, line)
      startNext()
    }
  }
}
