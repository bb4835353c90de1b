import type { Catalog } from '../../catalog/catalog.ts'
import type { JsonObject } from '../../json.ts'
import type { Expression } from './program.ts'

/** A component that was compiled, with its place. */
export interface Compiled {
  readonly id: string
  readonly type: string
  readonly component: JsonObject
  readonly at: number
}

/** What values are compiled with. */
export interface ValueContext {
  readonly catalogs: readonly Catalog[]
  readonly isTagged: boolean
  /** Reads names that are not defined as their own text. */
  readonly isLenient: boolean
  /** What a name stands for; notes that it was used. */
  lookUp(name: string): Expression | undefined
  /** Counts a value; throws if there are too many. */
  count(at: number): void
}
