/**
 * An array in V8's young generation. V8 pretenures the arrays of literals and of `Array(n)` after a burst
 * of runs, so arrays that live as long as a run are created here (docs/decisions/009-young-objects.md).
 */
export function youngList<T>(): T[] {
  return EMPTY.slice()
}

/** Like `youngList`, filled with zeros. */
export function zeros(count: number): number[] {
  for (let known = ZEROS.length; known < count; known += 1) ZEROS.push(0)
  return ZEROS.slice(0, count)
}

/** Like `youngList`, filled with `undefined`. */
export function blanks<T>(count: number): (T | undefined)[] {
  for (let known = BLANKS.length; known < count; known += 1) BLANKS.push(undefined)
  return BLANKS.slice(0, count)
}

const EMPTY: readonly never[] = []
const ZEROS: number[] = []
const BLANKS: undefined[] = []
