import type { Form } from './forms.ts'

/** The type of a variable's value, which decides how it is parsed. */
export type VariableKind = 'text' | 'secret' | 'boolean' | 'integer' | 'list' | readonly string[]

export interface Variable {
  readonly kind: VariableKind
  /** As written in the environment; undefined: none. */
  readonly default?: string
  readonly meaning: string
  /** Smallest allowed integer. Default 0. */
  readonly min?: number
  /** Largest integer allowed. */
  readonly max?: number
  /** Required format of a string, or of each item of a list. */
  readonly form?: Form
}

type Of<K extends VariableKind> = Variable & { readonly kind: K }

export const text = (meaning: string, value?: string) => of('text', meaning, value)
export const secret = (meaning: string) => of('secret', meaning)
export const flag = (meaning: string, value = false) => of('boolean', meaning, String(value))
export const list = (meaning: string, value?: string) => of('list', meaning, value)
export const integer = (meaning: string, value?: number, min = 0): Of<'integer'> => ({
  ...of('integer', meaning, value === undefined ? undefined : String(value)),
  min,
})
export const choice = (meaning: string, values: readonly string[]) => of(values, meaning, values[0])

export function of<const K extends VariableKind>(kind: K, meaning: string, value?: string): Of<K> {
  return { kind, meaning, ...(value === undefined ? {} : { default: value }) }
}
