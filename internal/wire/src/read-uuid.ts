const HEX = /^[0-9a-f]{32}$/i
const HYPHENATED = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/**
 * Parses a UUID in any accepted notation: with or without hyphens, in braces, as a URN, in either case.
 * @returns the hyphenated lower-case form; undefined for any other string
 */
export function readUuid(value: string): string | undefined {
  if (HYPHENATED.test(value)) return value.toLowerCase()
  const bare = value.replace(/^urn:uuid:/i, '').replace(/^\{(.*)\}$/, '$1')
  if (HYPHENATED.test(bare)) return bare.toLowerCase()
  if (!HEX.test(bare)) return undefined
  return bare.toLowerCase().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
