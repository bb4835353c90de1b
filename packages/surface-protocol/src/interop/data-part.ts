import { isPlainObject, ownValue, type JsonObject } from '../json.ts'
import type { ClientMessage } from '../message/v08/client-message.ts'
import type { ServerMessage } from '../message/v08/messages.ts'

/** Media type of a message in an A2A part (SP-79). */
export const A2UI_MIME_TYPE = 'application/json+a2ui'

/** URI of the extension in an A2A agent card (SP-55). */
export const A2UI_EXTENSION_URI = 'https://a2ui.org/a2a-extension/a2ui/v0.8'

const MIME_TYPES: ReadonlySet<unknown> = new Set([A2UI_MIME_TYPE, 'application/a2ui+json'])

/** The A2A data part that carries a message (SP-79). */
export function toDataPart(message: ServerMessage | ClientMessage): JsonObject {
  return { kind: 'data', data: { ...message }, metadata: { mimeType: A2UI_MIME_TYPE } }
}

/** The messages of an A2A data part, unchecked; null when the part carries none (SP-79). */
export function fromDataPart(part: unknown): unknown[] | null {
  if (!isPlainObject(part)) return null
  const kind = ownValue(part, 'kind')
  const metadata = ownValue(part, 'metadata')
  const data = ownValue(part, 'data')
  if (kind !== undefined && kind !== 'data') return null
  if (!isPlainObject(metadata) || !MIME_TYPES.has(ownValue(metadata, 'mimeType'))) return null
  if (Array.isArray(data)) return [...(data as unknown[])]
  return isPlainObject(data) ? [data] : null
}
