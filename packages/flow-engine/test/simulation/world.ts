import { createHash } from 'node:crypto'

/** Virtual time and chance: everything that happens follows from the seed. */
export interface World {
  /** Milliseconds; also the clock of the store. */
  readonly now: () => number
  /** From 0 to below 1. */
  readonly random: () => number
  readonly chance: (probability: number) => boolean
  readonly between: (least: number, most: number) => number
  readonly at: (time: number, event: () => void) => void
  /** Runs what is due until then, or until `done`; each event with all its consequences. */
  readonly run: (until: number, done?: () => boolean) => Promise<void>
  readonly note: (step: string) => void
  /** The last steps. */
  readonly steps: readonly string[]
  readonly counts: Map<string, number>
  readonly hash: () => string
}

const START = Date.UTC(2030, 0, 1)
const LAST_STEPS = 30

interface Event {
  readonly time: number
  readonly order: number
  readonly run: () => void
}

export function createWorld(seed: number, trace?: (step: string) => void): World {
  let now = START
  let state = Math.imul(seed, 2_654_435_761) >>> 0
  const events: Event[] = []
  const steps: string[] = []
  const counts = new Map<string, number>()
  const hash = createHash('sha256')

  /** mulberry32 */
  const random = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  const before = (a: Event, b: Event): boolean =>
    a.time < b.time || (a.time === b.time && a.order < b.order)
  const push = (event: Event): void => {
    let low = 0
    let high = events.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const other = events[middle]
      if (other !== undefined && before(event, other)) low = middle + 1
      else high = middle
    }
    events.splice(low, 0, event)
  }
  return {
    now: () => now,
    random,
    chance: (probability) => random() < probability,
    between: (least, most) => Math.floor(least + random() * (most - least + 1)),
    // Events of one time come in an order of chance.
    at: (time, run) => push({ time: Math.max(time, now), order: random(), run }),
    async run(until, done) {
      for (;;) {
        const next = events.at(-1)
        if (next === undefined || next.time > until || done?.() === true) break
        events.pop()
        now = next.time
        next.run()
        await consequences()
      }
      if (done?.() !== true) now = until
    },
    note(step) {
      const text = `${((now - START) / 1000).toFixed(3)} ${step}`
      const [kind = ''] = step.split(' ')
      counts.set(kind, (counts.get(kind) ?? 0) + 1)
      hash.update(`${text}\n`)
      steps.push(text)
      if (steps.length > LAST_STEPS) steps.shift()
      trace?.(text)
    },
    steps,
    counts,
    hash: () => hash.copy().digest('hex'),
  }
}

/** Promise reactions, and turns of the event loop that some of them wait for. */
async function consequences(): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1)
    await new Promise<void>((resolve) => {
      setImmediate(resolve)
    })
}
