/** Where a variable was found; a value of the server's environment may not go everywhere (AB-41). */
export type VariableOrigin = 'request' | 'user' | 'environment'

/** The value of a variable with its name and origin. */
export class VariableValue {
  readonly name: string
  /** null: the variable was found nowhere. */
  readonly origin: VariableOrigin | null
  readonly #value: string

  constructor(name: string, found: { value: string; origin: VariableOrigin } | null) {
    this.name = name
    this.origin = found?.origin ?? null
    this.#value = found?.value ?? ''
  }

  get value(): string {
    return this.#value
  }

  /** In JSON it reads as its text, as a field without an origin does. */
  toJSON(): string {
    return this.#value
  }
}

export function isVariableValue(value: unknown): value is VariableValue {
  return value instanceof VariableValue
}
