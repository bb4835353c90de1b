/** The DNS namespace of UUIDs (RFC 9562, 6.6). */
const DNS = '6ba7b8109dad11d180b400c04fd430c8'

/**
 * The flow id for one client's public builds: UUID version 5 of `<client_id>_<flow_id>` in the DNS namespace.
 */
export async function publicFlowId(clientId: string, flowId: string): Promise<string> {
  const space = Uint8Array.from(DNS.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
  const name = new TextEncoder().encode(`${clientId}_${flowId}`)
  const digest = await crypto.subtle.digest('SHA-1', Uint8Array.of(...space, ...name))
  const bytes = new Uint8Array(digest).slice(0, 16)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
