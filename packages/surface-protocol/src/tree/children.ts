import type { DataValue } from '../data/data-value.ts'
import type { BindingPlan } from '../graph/definition.ts'
import type { Instance } from './instance.ts'

/** Reusable instances by id. */
export type Pool = Map<string, Instance>

/** The pool of an instance without children; never modified. */
export const NO_CHILDREN: Pool = new Map()

/** Groups are numbered in steps of this, so that children can be added to each of them. */
export const GROUP_STEP = 2 ** 32

/** Children by their ids. */
export function poolOf(children: readonly Instance[]): Pool {
  const pool: Pool = new Map()
  for (const child of children) pool.set(child.id, child)
  return pool
}

/** Numbers the children of an instance in order. */
export function number({ groups }: Instance): void {
  groups.forEach((children, group) => {
    children.forEach((child, position) => {
      child.order = group * GROUP_STEP + position
    })
  })
}

/** Returns whether `key` is the only entry of `value` that `children` does not contain yet. */
export function isAddition(
  value: DataValue | undefined,
  children: readonly Instance[],
  key: string,
): boolean {
  if (Array.isArray(value)) {
    return value.length === children.length + 1 && key === String(children.length)
  }
  if (!(value instanceof Map) || value.size !== children.length + 1) return false
  return value.has(key) && children.at(-1)?.scope.segments.at(-1) !== key
}

/** Returns whether children belong to a location. */
export function sameLocation(children: readonly Instance[], location: readonly string[]): boolean {
  const scope = children[0]?.scope.segments
  return (
    scope !== undefined &&
    scope.length === location.length + 1 &&
    location.every((segment, index) => segment === scope[index])
  )
}

/** Returns whether a binding has both a literal and a path. */
export function isInitial({ path, literal }: BindingPlan): boolean {
  return path !== null && literal !== undefined
}
