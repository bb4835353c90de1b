import { own, ownText } from '@x/wire'
import { quote } from './quote.ts'

type Json = Readonly<Record<string, unknown>>

const TEXTS: ReadonlySet<string> = new Set([
  'str',
  'prompt',
  'mustache',
  'query',
  'link',
  'tab',
  'code',
  'SecretStr',
  'secret',
])
const TYPES: Readonly<Record<string, string>> = {
  int: 'number',
  float: 'number',
  slider: 'number',
  bool: 'boolean',
  dict: 'Readonly<Record<string, unknown>>',
  NestedDict: 'Readonly<Record<string, unknown>>',
  model: 'string | { readonly provider: string; readonly name: string }',
}
const ROWS = 'readonly Readonly<Record<string, unknown>>[]'
/** Longer options are no members of a union. */
const MAX_OPTION = 1000

/**
 * The TypeScript type of a field's value; undefined for a field whose values come from edges only.
 * @param most options that a union has
 */
export function fieldType(field: Json, most = 200): string | undefined {
  const type = ownText(field, 'type') ?? ''
  const isList = own(field, 'list') === true || own(field, 'is_list') === true
  if (type === 'table') return ROWS
  const one = oneType(field, { type, most })
  if (one === undefined || !isList) return one
  return /[|{]/.test(one) ? `readonly (${one})[]` : `readonly ${one}[]`
}

function oneType(
  field: Json,
  { type, most }: { readonly type: string; readonly most: number },
): string | undefined {
  if (type === 'file') return 'string'
  if (own(field, 'password') === true) return 'string'
  if (TEXTS.has(type)) return textType(field, most)
  return Object.hasOwn(TYPES, type) ? TYPES[type] : undefined
}

function textType(field: Json, most: number): string {
  const given = own(field, 'options')
  const options = Array.isArray(given) ? given.filter((item) => typeof item === 'string') : []
  const isOdd = options.some((option) => option.length > MAX_OPTION)
  if (options.length === 0 || options.length > most || isOdd) return 'string'
  const value = own(field, 'value')
  const stored = (Array.isArray(value) ? value : [value]).filter(
    (item): item is string => typeof item === 'string' && item.length <= MAX_OPTION,
  )
  const members = [...new Set([...options, ...stored])].map(quote)
  if (own(field, 'combobox') === true) members.push('(string & {})')
  return members.join(' | ')
}

/** Whether the field's value is the name of a variable. Editors mark default addresses the same way. */
export function isLoaded(field: Json): boolean {
  const value = own(field, 'value')
  if (own(field, 'load_from_db') !== true || typeof value !== 'string') return false
  return value.trim() !== '' && !value.includes('://')
}
