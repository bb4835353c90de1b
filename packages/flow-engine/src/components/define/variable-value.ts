/**
 * The origin of a variable's value; one from the server's environment must not go everywhere (AB-41).
 */
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

const CONVENTIONAL = /^[A-Z]+\d{0,3}(?:_[A-Z]+\d{0,3}|_\d{1,3})*$/
const LONGEST_SHOWN = 64

/**
 * Tells whether a string can only be a variable's name, such as OPENAI_API_KEY. Any other string may
 * be a key typed into a field for names, and is never shown.
 */
export function isVariableName(text: string): boolean {
  return text.length <= LONGEST_SHOWN && CONVENTIONAL.test(text)
}

/** The sentence about a variable that was found nowhere (CO-13); names the field where the text may be a key. */
export function missingVariable(name: string, field: string): string {
  return isVariableName(name)
    ? `${name} variable not found.`
    : `The variable that ${field} names was not found.`
}
