/** A value as stored; undefined: unassigned. */
export type StoredValue = string | number | boolean | StoredObject | readonly StoredValue[]

export interface StoredObject {
  readonly [name: string]: StoredValue
}
