const HEADER = /^bearer +([^\s]+)$/i

/**
 * The token of an `Authorization: Bearer <token>` header (RFC 6750 section 2.1); null for any other value.
 * The scheme is case-insensitive (RFC 9110 section 11.1).
 */
export function parseBearer(header: string | null): string | null {
  return header === null ? null : (HEADER.exec(header)?.[1] ?? null)
}

/** Compares two digests in a time that depends only on their lengths. */
export function constantTimeEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  let difference = 0
  for (let i = 0; i < a.length; i += 1) difference |= (a[i] ?? 0) ^ (b[i] ?? 0)
  return difference === 0
}
