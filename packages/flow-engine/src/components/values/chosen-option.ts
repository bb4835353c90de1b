import type { Field } from '../define/field.ts'

/** A choice and where it stands. */
export interface Choice {
  readonly name: string
  readonly field: Field
  /** The display name of the component; empty for none. */
  readonly component: string
}

/** Maximum number of known options, and of characters of the unknown one, in an error. */
const MAX_NAMED = 50
const MAX_TEXT = 100

/**
 * Returns the option that a text stands for; letter case and outer blanks do not count. A blank text, and
 * any text of an open field, is returned unchanged.
 * @throws TypeError that names the known options
 */
export function chosenOption(text: string, choice: Choice): string {
  const known = optionNamed(text, choice.field)
  if (known !== undefined || text.trim() === '' || !isClosed(choice.field)) return known ?? text
  const label = (choice.field.options.displayName ?? choice.name).toLowerCase()
  const names = choicesOf(choice.field).map(([name]) => name)
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : ''
  const listed = names.slice(0, MAX_NAMED).join(', ') + more
  const why = `unknown ${label} "${text.slice(0, MAX_TEXT)}". Known: ${listed}.`
  throw new TypeError(choice.component === '' ? why : `Component ${choice.component}: ${why}`)
}

function isClosed({ fieldKind, options }: Field): boolean {
  if ((options.options ?? []).length === 0) return false
  const { closed, combobox, refresh, dynamic } = options
  const isFilled = refresh === true || dynamic === true
  return closed ?? (combobox !== true && (fieldKind === 'tab' || !isFilled))
}

function optionNamed(text: string, field: Field): string | undefined {
  if (field.options.options?.includes(text) === true) return text
  const choices = choicesOf(field)
  const exact = choices.find(([name]) => name === text)
  if (exact !== undefined) return exact[1]
  const wanted = text.trim().toLowerCase()
  return choices.find(([name]) => name.toLowerCase() === wanted)?.[1]
}

/** The options of a field and the names that they have in other versions. */
function choicesOf({
  options: { options = [], aliases = {} },
}: Field): (readonly [string, string])[] {
  const own = options.map((option) => (typeof option === 'string' ? option : option.name))
  return [...own.map((name) => [name, name] as const), ...Object.entries(aliases)]
}
