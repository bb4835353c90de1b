import { createSurfaceStore, validateMessage } from '@x/surface-protocol'
import { bigUpdate, mixedLines } from './cases.ts'

/** The results of messages that were damaged at random. */
export interface MutationResult {
  readonly messages: number
  readonly refused: number
  /** Errors thrown; there should be none. */
  readonly thrown: string[]
}

/** A generator of numbers below a limit; the same for the same seed. */
export function createDice(seed: number): (sides: number) => number {
  let state = seed >>> 0
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * sides)
  }
}

const odd: readonly unknown[] = [
  null,
  true,
  -1,
  1e308,
  '',
  '__proto__',
  'constructor',
  '/a/~2',
  [],
  {},
  [[[]]],
  { path: '/a', literalString: 'x' },
  { __proto__: null, toString: 1 },
  JSON.parse('{"__proto__":{"polluted":true}}'),
  undefined,
  Symbol('odd'),
  10n,
  new Date(0),
]

/** A copy of JSON in which one place was changed, taken out, doubled or renamed. */
export function damage(value: unknown, dice: (sides: number) => number): unknown {
  if (typeof value !== 'object' || value === null || dice(6) === 0) return odd[dice(odd.length)]
  if (Array.isArray(value)) {
    const copy: unknown[] = [...(value as unknown[])]
    const at = dice(copy.length + 1)
    const way = dice(8)
    if (way < 2) copy.splice(at, 1)
    else if (way === 2) copy.push(copy[at])
    else copy[at] = damage(copy[at], dice)
    return copy
  }
  const entries = Object.entries(value)
  const at = dice(entries.length + 1)
  const [key, member] = entries[at] ?? ['extra', null]
  entries[at] = [dice(5) === 0 ? String(odd[4 + dice(4)]) : key, damage(member, dice)]
  return Object.fromEntries(entries)
}

/** Sends damaged messages to a store and to the validator; neither may throw. */
export function mutate(count: number, seed = 7): MutationResult {
  const dice = createDice(seed)
  const sources = [...mixedLines(400, 4), ...bigUpdate(12)].map((line): unknown => JSON.parse(line))
  const stores = [createSurfaceStore(), createSurfaceStore({ mode: 'tolerant' })]
  const thrown: string[] = []
  let refused = 0
  for (let n = 0; n < count; n += 1) {
    let message = sources[dice(sources.length)]
    for (let times = dice(3); times >= 0; times -= 1) message = damage(message, dice)
    try {
      const store = stores[n % 2]
      if (store?.apply(message).applied !== true) refused += 1
      validateMessage(message)
      if (n % 1000 === 0) for (const id of store?.surfaceIds() ?? []) store?.tree(id)
    } catch (error) {
      thrown.push(String(error))
    }
  }
  if (Object.keys(Object.prototype).length > 0 || 'polluted' in {}) thrown.push('polluted')
  return { messages: count, refused, thrown }
}
