/**
 * An array in V8's young generation. After a burst of runs V8 pretenures array literals and `Array(n)`, so
 * arrays that live as long as a run are created here so that they stay young.
 */
export function createPooledArray<T>(): T[] {
  return EMPTY.slice()
}

/** Like `createPooledArray`, filled with zeros. */
export function zeros(count: number): number[] {
  for (let known = ZEROS.length; known < count; known += 1) ZEROS.push(0)
  return ZEROS.slice(0, count)
}

/** Like `createPooledArray`, filled with `undefined`. */
export function blanks<T>(count: number): (T | undefined)[] {
  for (let known = BLANKS.length; known < count; known += 1) BLANKS.push(undefined)
  return BLANKS.slice(0, count)
}

const EMPTY: readonly never[] = []
const ZEROS: number[] = []
const BLANKS: undefined[] = []
