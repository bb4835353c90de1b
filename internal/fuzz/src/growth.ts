import { processorMs } from './processor-ms.ts'

/** Times below are noise of the machine and the garbage collector. */
const FLOOR_MS = 25
/** A fourfold input may take this many times as long: linear work plus noise. */
const MAX_RATIO = 8
/** And this many times as long as the doubled input: two when linear, four when quadratic. */
const MAX_RATIO_OF_TWICE = 3

/** The growth of a case's time with its input. */
export interface Growth {
  /** Milliseconds at one, two and four times the input: the best of three runs each. */
  readonly ms: readonly [number, number, number]
  /** More than linear: four times the input takes over eight times as long, and over 25 ms. */
  readonly superlinear: boolean
}

/**
 * Measures a case at one, two and four times its input.
 * @param now milliseconds of a clock; by default those of processor time
 */
export async function measureGrowth(
  input: unknown,
  run: (input: unknown) => unknown,
  now = processorMs,
): Promise<Growth> {
  const once = await best(() => run(input), now)
  const twice = await best(() => run(amplify(input, 2)), now)
  const four = await best(() => run(amplify(input, 4)), now)
  const superlinear =
    four > FLOOR_MS && four > once * MAX_RATIO && four > twice * MAX_RATIO_OF_TWICE
  return { ms: [once, twice, four], superlinear }
}

async function best(run: () => unknown, now: () => number): Promise<number> {
  let least = Infinity
  for (let k = 0; k < 3; k += 1) {
    const begin = now()
    try {
      await run()
    } catch {
      // A refusal costs time too.
    }
    least = Math.min(least, now() - begin)
  }
  return least
}

/** The same value with its longest string or array repeated `times` times. */
export function amplify(value: unknown, times: number): unknown {
  const target = longest(value)
  return replaced(value, target, times)
}

function longest(value: unknown): unknown {
  let found: { value: unknown; length: number } = { value: undefined, length: 0 }
  const look = (part: unknown): void => {
    if (typeof part === 'string' && part.length > found.length) {
      found = { value: part, length: part.length }
    }
    if (typeof part !== 'object' || part === null) return
    if (Array.isArray(part)) {
      const length = JSON.stringify(part).length
      if (length >= found.length && part.length > 0) found = { value: part, length }
    }
    for (const inner of Object.values(part)) look(inner)
  }
  look(value)
  return found.value
}

function replaced(value: unknown, target: unknown, times: number): unknown {
  if (value === target) {
    if (typeof value === 'string') return value.repeat(times)
    if (Array.isArray(value)) return Array.from({ length: times }, () => value).flat()
  }
  if (Array.isArray(value)) return value.map((part) => replaced(part, target, times))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, replaced(part, target, times)]),
  )
}
