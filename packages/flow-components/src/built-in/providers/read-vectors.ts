/**
 * Reads the vectors of a response, one for each text.
 * @throws TypeError if their number differs
 */
export function readVectors(vendor: string, value: unknown, count: number): number[][] {
  const rows = Array.isArray(value) ? value.filter((row) => Array.isArray(row)) : []
  if (rows.length !== count) {
    throw new TypeError(`${vendor} returned ${rows.length} embeddings for ${count} texts`)
  }
  return rows.map((row) => row.map(Number))
}

/** @throws TypeError `<display name> API key is required` */
export function requireKey(displayName: string, key: string | null): string {
  if (key === null || key === '') throw new TypeError(`${displayName} API key is required`)
  return key
}
