/** A secret key, or the current one with those before it, which still open what they have sealed. */
export type SecretKeys = string | Uint8Array | readonly (string | Uint8Array)[]

/** The bytes of secret keys, the current one first; those of a string in UTF-8. */
export function secretBytes(keys: SecretKeys): Uint8Array[] {
  const list = typeof keys === 'string' || keys instanceof Uint8Array ? [keys] : keys
  return list.map((key) => (typeof key === 'string' ? new TextEncoder().encode(key) : key))
}
