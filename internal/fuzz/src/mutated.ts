import type { Dice } from './dice.ts'
import { hostileString, hostileValue } from './hostile.ts'

/** A copy of a JSON value; each of its parts is changed, doubled or left out with this probability. */
export function mutated(value: unknown, dice: Dice, rate: number): unknown {
  if (dice.chance(rate)) {
    if (Array.isArray(value) && dice.chance(0.6)) return [...value, ...value].slice(dice.integer(2))
    if (typeof value === 'string' && dice.chance(0.5)) return hostileString(dice)
    return dice.chance(0.2) ? undefined : hostileValue(dice)
  }
  if (Array.isArray(value)) return value.map((part) => mutated(part, dice, rate))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, mutated(part, dice, rate)]),
  )
}
