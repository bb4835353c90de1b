/** Attributes by canonical name; extension attributes in an object under their URN. */
export type ScimDocument = Readonly<Record<string, unknown>>

const documents = new WeakMap<object, ScimDocument>()

/** The attributes in `record.data`, parsed once per record object. Must not be modified. */
export function recordData(record: { readonly data: string }): ScimDocument {
  const known = documents.get(record)
  if (known !== undefined) return known
  const parsed = parseData(record.data)
  documents.set(record, parsed)
  return parsed
}

/** Caches the parsed form of a record that was just created from it. */
export function cacheParsedData(record: object, data: ScimDocument): void {
  documents.set(record, data)
}

/** The JSON was written by this package, so it is an object. */
function parseData(json: string): ScimDocument {
  return JSON.parse(json) as ScimDocument
}

/**
 * The display name of a user in references: displayName, else name.formatted, else given and family
 * name, else null.
 */
export function userDisplay(data: ScimDocument): string | null {
  const own = text(data['displayName'])
  if (own !== null) return own
  const name = data['name']
  if (typeof name !== 'object' || name === null) return null
  const formatted = text(Reflect.get(name, 'formatted'))
  if (formatted !== null) return formatted
  const parts = [text(Reflect.get(name, 'givenName')), text(Reflect.get(name, 'familyName'))]
  const joined = parts.filter((part) => part !== null).join(' ')
  return joined === '' ? null : joined
}

/** The display shown for a stored user. */
export function recordDisplay(record: { readonly data: string }): string | null {
  return userDisplay(recordData(record))
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
