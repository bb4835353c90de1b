/** A boolean, or its word in any case where words are accepted (quirk `booleanStrings`); else undefined. */
export function readBoolean(value: unknown, words: boolean): boolean | undefined {
  if (typeof value === 'boolean') return value
  if (!words || typeof value !== 'string' || value.length > 5) return undefined
  const word = value.toLowerCase()
  if (word === 'true') return true
  return word === 'false' ? false : undefined
}
