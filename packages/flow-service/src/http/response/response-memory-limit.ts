import { refuse } from '../../refusal.ts'

const MIB = 1024 * 1024

/** Limits the memory of long responses that their clients have not read yet. */
export interface ResponseMemoryLimit {
  /**
   * Admits a response of this length, which counts from `begin` to `end`.
   * @param refuses false only counts it
   * @throws Refusal 429 if the client already has too many unread characters
   */
  admit(reader: string, characters: number, refuses: boolean): UnreadResponse
  /**
   * Prepares a response that may be long, a few at once for each client, so that refused ones do not fill the
   * memory either.
   * @throws Refusal 429 if too many wait
   */
  prepare<T>(reader: string, work: () => Promise<T>): Promise<T>
}

/** Responses that are prepared at once for one client, and that may wait. */
const PREPARED = 8
const WAITING = 1000

/** One long response. */
export interface UnreadResponse {
  begin(): void
  /**
   * Sets the number of characters it holds.
   * @throws Refusal 429 over the limit of the client, which aborts the response
   */
  resize(characters: number): void
  /** May be called more than once. */
  end(): void
}

/** @param most characters per reader; a single response may be longer */
export function createResponseMemoryLimit(most: number): ResponseMemoryLimit {
  const unread = new Map<string, number>()
  const preparing = new Map<string, Preparing>()
  const add = (reader: string, characters: number): void => {
    const sum = (unread.get(reader) ?? 0) + characters
    if (sum === 0) unread.delete(reader)
    else unread.set(reader, sum)
  }
  return {
    async prepare(reader, work) {
      const own = preparing.get(reader) ?? { running: 0, waiting: [] }
      preparing.set(reader, own)
      if (own.waiting.length >= WAITING) throw tooMany('Too many responses are being prepared')
      if (own.running < PREPARED) own.running += 1
      else await new Promise<void>((resolve) => own.waiting.push(resolve))
      try {
        return await work()
      } finally {
        const next = own.waiting.shift()
        // Passes the slot to the next in line.
        if (next !== undefined) next()
        else if ((own.running -= 1) === 0) preparing.delete(reader)
      }
    },
    admit(reader, characters, refuses) {
      const check = (others: number, own: number): void => {
        if (!refuses || others === 0 || others + own <= most) return
        const text = `At most ${Math.round(most / MIB)} MB of responses wait to be read by one client. Read or close one first.`
        throw tooMany(text)
      }
      check(unread.get(reader) ?? 0, characters)
      let counted = 0
      let isOver = false
      const count = (now: number): void => {
        if (isOver || now === counted) return
        add(reader, now - counted)
        counted = now
      }
      return {
        begin() {
          if (counted === 0) count(characters)
        },
        resize(now) {
          if (now > counted) check((unread.get(reader) ?? 0) - counted, now)
          count(now)
        },
        end() {
          count(0)
          isOver = true
        },
      }
    },
  }
}

interface Preparing {
  running: number
  readonly waiting: (() => void)[]
}

function tooMany(text: string): Error {
  return refuse(429, text, { headers: { 'retry-after': '5' } })
}
