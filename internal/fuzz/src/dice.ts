/** Reproducible choices: the same seed gives the same cases. */
export interface Dice {
  /** A number in [0, 1). */
  next(): number
  chance(probability: number): boolean
  pick<T>(values: readonly T[]): T
  /** An integer from 0 to `below - 1`. */
  integer(below: number): number
  /** Zero to `most` values. */
  many<T>(make: () => T, most?: number): T[]
}

/** Dice over mulberry32. */
export function createDice(seed: number): Dice {
  let state = seed
  const next = (): number => {
    state = (state + 0x6d_2b_79_f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
  const integer = (below: number): number => Math.floor(next() * below)
  return {
    next,
    integer,
    chance: (probability) => next() < probability,
    pick: (values) => values[integer(values.length)] as (typeof values)[number],
    many: (make, most = 4) => Array.from({ length: integer(most + 1) }, make),
  }
}
