import { fold, parseInstant, recordDisplay, type ScimDocument, type UserRecord } from '@x/scim-core'
import type { ScimUserElementRow } from '../schema/tables/scim.ts'

/** Lists whose elements only have value, display, type and primary. */
export const CONTACT_LISTS: ReadonlySet<string> = new Set([
  'emails',
  'phoneNumbers',
  'ims',
  'entitlements',
  'roles',
])

/** Key in the search document for the instants of strings that are times. */
export const INSTANTS = '#'

export type ElementRow = Omit<ScimUserElementRow, 'user_seq' | 'tenant'>

/** The search keys of a user, derived from its document. */
export interface UserKeys {
  readonly display: string | null
  readonly display_key: string | null
  readonly display_name_key: string | null
  readonly given_name_key: string | null
  readonly family_name_key: string | null
}

/** The searchable columns of a user, except lists and the search document. */
export function userKeys(record: UserRecord, data: ScimDocument): UserKeys {
  const display = recordDisplay(record)
  const name = data['name']
  return {
    display,
    display_key: keyOf(display),
    display_name_key: keyOf(data['displayName']),
    given_name_key: keyOf(member(name, 'givenName')),
    family_name_key: keyOf(member(name, 'familyName')),
  }
}

/** The elements of a user's contact lists, as rows of their table. */
export function elementRows(data: ScimDocument): ElementRow[] {
  const rows: ElementRow[] = []
  for (const attr of CONTACT_LISTS) {
    const list = data[attr]
    if (!Array.isArray(list)) continue
    list.forEach((element: unknown, ord) => {
      const primary = member(element, 'primary')
      rows.push({
        attr,
        ord,
        value_key: keyOf(member(element, 'value')),
        type_key: keyOf(member(element, 'type')),
        display_key: keyOf(member(element, 'display')),
        is_primary: typeof primary === 'boolean' ? Number(primary) : null,
      })
    })
  }
  return rows
}

/**
 * Attributes without a column, as JSON with folded strings, so that the database can compare them like the
 * core. Strings that are times are repeated as instants under `#`.
 * @param columns names of attributes with their own columns
 */
export function searchDocument(data: ScimDocument, columns: ReadonlySet<string>): string {
  let rest: Record<string, unknown> | null = null
  for (const name of Object.keys(data)) {
    if (columns.has(name)) continue
    rest ??= {}
    rest[name] = data[name]
  }
  if (rest === null) return '{}'
  const instants = instantsOf(rest)
  return JSON.stringify(
    foldedCopy(instants === undefined ? rest : { ...rest, [INSTANTS]: instants }),
  )
}

/** User attributes not in the search document. */
export const USER_COLUMNS: ReadonlySet<string> = new Set([...CONTACT_LISTS, 'displayName'])

/** Group attributes not in the search document. */
export const GROUP_COLUMNS: ReadonlySet<string> = new Set(['displayName', 'members'])

function foldedCopy(value: unknown): unknown {
  if (typeof value === 'string') return storable(fold(value))
  if (Array.isArray(value)) return value.map(foldedCopy)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, foldedCopy(item)]))
}

/** The same structure with instants in place of strings that are times; undefined without any. */
function instantsOf(value: unknown): unknown {
  if (typeof value === 'string') return parseInstant(value) ?? undefined
  if (typeof value !== 'object' || value === null) return undefined
  if (Array.isArray(value)) {
    const items = value.map((item) => instantsOf(item) ?? null)
    return items.some((item) => item !== null) ? items : undefined
  }
  const entries = Object.entries(value)
    .map(([key, item]) => [key, instantsOf(item)])
    .filter(([, item]) => item !== undefined)
  return entries.length > 0 ? Object.fromEntries(entries) : undefined
}

/** PostgreSQL's JSON supports neither U+0000 nor lone surrogates; valid resources contain neither. */
function storable(text: string): string {
  return /[\0\ud800-\udfff]/.test(text)
    ? text.replaceAll('\0', '\u0001').replaceAll(/\p{Surrogate}/gu, '\ufffd')
    : text
}

function keyOf(value: unknown): string | null {
  return typeof value === 'string' ? fold(value) : null
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
