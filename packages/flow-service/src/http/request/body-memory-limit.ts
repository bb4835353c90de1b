import { refuse } from '../../refusal.ts'

const KIB = 1024
const MIB = 1024 * KIB
/** Bodies up to this size are not counted: a connection costs as much. */
export const UNCOUNTED = 64 * KIB

/** Limits the memory of the request bodies that one client sends at once. */
export interface BodyMemoryLimit {
  /** @param readSender names the client; called for long bodies only */
  open(readSender: () => string): HeldBody
}

/** The body of one request. */
export interface HeldBody {
  /**
   * Sets the number of bytes it occupies.
   * @throws Refusal 429 if the client sends too much at once
   */
  hold(bytes: number): void
  /** May be called more than once. */
  release(): void
}

/** @param most bytes of one client; a single body may be longer */
export function createBodyMemoryLimit(most: number): BodyMemoryLimit {
  const held = new Map<string, number>()
  return {
    open(readSender) {
      let sender: string | undefined
      let own = 0
      return {
        hold(bytes) {
          if (bytes <= UNCOUNTED || bytes <= own) return
          sender ??= readSender()
          const others = (held.get(sender) ?? 0) - own
          if (others > 0 && others + bytes > most) throw tooMany(most)
          held.set(sender, others + bytes)
          own = bytes
        },
        release() {
          if (sender === undefined || own === 0) return
          const others = (held.get(sender) ?? 0) - own
          if (others === 0) held.delete(sender)
          else held.set(sender, others)
          own = 0
        },
      }
    },
  }
}

function tooMany(most: number): Error {
  const text = `One client sends at most ${Math.round(most / MIB)} MB of requests at once. Wait for answers first.`
  return refuse(429, text, { headers: { 'retry-after': '5', connection: 'close' } })
}
