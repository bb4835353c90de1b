/**
 * Where a variable's value comes from. Values from the server's environment must not be sent everywhere.
 */
export type VariableOrigin = 'request' | 'user' | 'environment'

/** A variable's value with its name and origin. */
export class VariableValue {
  readonly name: string
  /** Null if the variable was not found. */
  readonly origin: VariableOrigin | null
  /** True if the node names no variable and this one was found for its field. */
  readonly lookedUp: boolean
  readonly #value: string

  constructor(
    name: string,
    found: { value: string; origin: VariableOrigin } | null,
    { lookedUp = false }: { readonly lookedUp?: boolean } = {},
  ) {
    this.name = name
    this.lookedUp = lookedUp
    this.origin = found?.origin ?? null
    this.#value = found?.value ?? ''
  }

  get value(): string {
    return this.#value
  }

  /** Serialises as the plain string, like a field without origin. */
  toJSON(): string {
    return this.#value
  }
}

export function isVariableValue(value: unknown): value is VariableValue {
  return value instanceof VariableValue
}

const CONVENTIONAL = /^[A-Z]+\d{0,3}(?:_[A-Z]+\d{0,3}|_\d{1,3})*$/
const MAX_SHOWN_LENGTH = 64

/**
 * Tests whether a string can only be a variable name, such as OPENAI_API_KEY. Any other string may be a key
 * entered by mistake and is never shown.
 */
export function isVariableName(text: string): boolean {
  return text.length <= MAX_SHOWN_LENGTH && CONVENTIONAL.test(text)
}

/**
 * The error text for a variable that was not found; names the field instead if the text may be a key.
 */
export function missingVariable(name: string, field: string): string {
  return isVariableName(name)
    ? `${name} variable not found.`
    : `The variable that ${field} names was not found.`
}
