const OFFSET = 0xcbf29ce484222325n
const PRIME = 0x100000001b3n
const MASK = 0xffffffffffffffffn

/** The id of a tool call: the same for every reader, in any process (FNV-1a of 64 bits). */
export function callId(...place: readonly (string | number)[]): string {
  let hash = OFFSET
  for (const byte of new TextEncoder().encode(place.join('\0')))
    hash = ((hash ^ BigInt(byte)) * PRIME) & MASK
  return `call_${hash.toString(16).padStart(16, '0')}`
}
