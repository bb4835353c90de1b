import type { JsonValue } from '../../json.ts'

/** An expression; `at` is its position in the text. */
export type Expression =
  | { readonly kind: 'value'; readonly value: JsonValue; readonly at: number }
  | { readonly kind: 'skip'; readonly at: number }
  | { readonly kind: 'name'; readonly name: string; readonly at: number }
  | { readonly kind: 'path'; readonly path: string; readonly at: number }
  | { readonly kind: 'list'; readonly items: readonly Expression[]; readonly at: number }
  | {
      readonly kind: 'map'
      readonly entries: readonly (readonly [string, Expression])[]
      readonly at: number
    }
  | Call

/** A call of a component, a function or a check. */
export interface Call {
  readonly kind: 'call'
  readonly name: string
  readonly args: readonly Argument[]
  readonly isCheck: boolean
  readonly at: number
  /** Number of a component that stands in a map. */
  inline?: number
}

/** An argument; a positional one has no name. */
export interface Argument {
  readonly name: string | null
  readonly value: Expression
  readonly at: number
}

/** A statement of a program: `name = ...`, `$path = ...`, or a call. */
export type Statement =
  | {
      readonly kind: 'assign'
      readonly name: string
      readonly value: Expression
      readonly at: number
    }
  | {
      readonly kind: 'data'
      readonly path: string
      readonly value: Expression
      readonly at: number
    }
  | { readonly kind: 'call'; readonly call: Call; readonly at: number }
