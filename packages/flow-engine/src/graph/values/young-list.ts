/**
 * Arrays that V8 makes among the young objects. Arrays and objects of literals, and those of `Array(n)`,
 * it makes among the old ones as soon as most of them have lived long, as in many runs at once: from
 * then on all that a finished run holds would stay until the next full collection. So what lives as long
 * as a run is made here, or by a class.
 */
export function youngList<T>(): T[] {
  return EMPTY.slice()
}

/** As `youngList`, of so many zeros. */
export function zeros(count: number): number[] {
  for (let known = ZEROS.length; known < count; known += 1) ZEROS.push(0)
  return ZEROS.slice(0, count)
}

/** As `youngList`, of so many places without a value. */
export function blanks<T>(count: number): (T | undefined)[] {
  for (let known = BLANKS.length; known < count; known += 1) BLANKS.push(undefined)
  return BLANKS.slice(0, count)
}

const EMPTY: readonly never[] = []
const ZEROS: number[] = []
const BLANKS: undefined[] = []
