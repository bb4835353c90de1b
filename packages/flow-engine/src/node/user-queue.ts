import { AsyncLocalStorage } from 'node:async_hooks'
import { FlowError } from '../errors.ts'

/** Limits of work shared by many users. */
export interface UserQueueOptions {
  /** Concurrent tasks, at least 1. */
  readonly concurrency: number
  /** Concurrent tasks per user, at least 1. */
  readonly perUser: number
  /** Queued tasks per user; further ones are rejected. */
  readonly waitingPerUser: number
  /** Creates the error for a user whose queue is full. */
  readonly tooMany: () => Error
}

/**
 * Runs the work when it is the user's turn.
 * @throws the error from `tooMany`; the signal's reason while the work is queued
 */
export type UserQueue = <T>(
  userId: string,
  signal: AbortSignal,
  work: () => Promise<T>,
) => Promise<T>

const waitedFor = new AsyncLocalStorage<true>()

/**
 * Runs work that a task waits for while holding its slot, such as a tool called by code. Turns it needs do
 * not queue behind their caller: they get an extra slot, or the error from `tooMany`. There are as many extra
 * slots as ordinary ones, in total and per user.
 */
export function whileHoldingSlot<T>(work: () => Promise<T>): Promise<T> {
  return waitedFor.run(true, work)
}

interface Line {
  running: number
  readonly waiting: (() => void)[]
}

/**
 * Queues per user over a fixed number of slots. Queues take turns, so that a user with much work delays
 * another by at most one task.
 */
export function createUserQueue(options: UserQueueOptions): UserQueue {
  const { concurrency, perUser, waitingPerUser, tooMany } = options
  /** In turn order: a user who was served moves to the end. */
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

  const second = createPlaces(options)

  return async (userId, signal, work) => {
    signal.throwIfAborted()
    if (waitedFor.getStore() === true) return second(userId, work)
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

/** Slots without a queue. */
function createPlaces({ concurrency, perUser, tooMany }: UserQueueOptions) {
  const taken = new Map<string, number>()
  let running = 0
  return async <T>(userId: string, work: () => Promise<T>): Promise<T> => {
    const own = taken.get(userId) ?? 0
    if (running >= concurrency || own >= perUser) throw tooMany()
    running += 1
    taken.set(userId, own + 1)
    try {
      return await work()
    } finally {
      running -= 1
      const left = (taken.get(userId) ?? 1) - 1
      if (left === 0) taken.delete(userId)
      else taken.set(userId, left)
    }
  }
}

/** Slots for running users' code. */
export interface SandboxQueueOptions extends Pick<UserQueueOptions, 'concurrency' | 'perUser'> {
  /** Default 20. */
  readonly waitingPerUser?: number
}

/** Turns of sandboxes, which several runners may share; a full queue is rejected with status 429. */
export function createSandboxQueue(options: SandboxQueueOptions): UserQueue {
  return createUserQueue({
    waitingPerUser: 20,
    ...options,
    tooMany: () =>
      new FlowError(
        'rate_limited',
        'Too many of your code components are running. Try again when one has finished.',
      ),
  })
}
