import { isPlainObject, ownValue, type JsonObject } from '../json.ts'
import { readVersion, type Version } from '../data/version.ts'

/** Media type of a message in an A2A part. */
export const A2UI_MIME_TYPE = 'application/json+a2ui'

/** URI of the extension in an A2A agent card. */
export const A2UI_EXTENSION_URI = 'https://a2ui.org/a2a-extension/a2ui/v0.8'

const MIME_TYPES: ReadonlySet<unknown> = new Set([A2UI_MIME_TYPE, 'application/a2ui+json'])

/**
 * The A2A data part of a message; from version 0.9.1 on, it contains a list of messages.
 */
export function toDataPart(
  messages: object,
  options: {
    readonly version?: Version
    /** Version of A2A: 1.0 puts the media type beside the data. Default: 0.3. */
    readonly a2a?: '0.3' | '1.0'
  } = {},
): JsonObject {
  if (options.a2a === '1.0') {
    const isOlder = readVersion(options.version) === '0.8'
    const data = (isOlder || Array.isArray(messages) ? messages : [messages]) as JsonObject
    return { data, mediaType: isOlder ? A2UI_MIME_TYPE : 'application/a2ui+json' }
  }
  if (readVersion(options.version) === '0.8') {
    return { kind: 'data', data: messages as JsonObject, metadata: { mimeType: A2UI_MIME_TYPE } }
  }
  const data = (Array.isArray(messages) ? messages : [messages]) as JsonObject[]
  return { kind: 'data', data, metadata: { mimeType: 'application/a2ui+json' } }
}

/** The messages of an A2A data part, unvalidated; null if there are none. */
export function fromDataPart(part: unknown): unknown[] | null {
  if (!isPlainObject(part)) return null
  const kind = ownValue(part, 'kind')
  const metadata = ownValue(part, 'metadata')
  const data = ownValue(part, 'data')
  if (kind !== undefined && kind !== 'data') return null
  const type = isPlainObject(metadata) ? ownValue(metadata, 'mimeType') : undefined
  if (!MIME_TYPES.has(type ?? ownValue(part, 'mediaType'))) return null
  if (Array.isArray(data)) return [...(data as unknown[])]
  if (!isPlainObject(data)) return null
  const { messages } = data
  return Array.isArray(messages) ? [...(messages as unknown[])] : [data]
}

/** Reads a client's metadata of a message: capabilities, and data of its surfaces. Never throws. */
export function readA2aMetadata(metadata: unknown): {
  capabilities: JsonObject | null
  dataModel: Record<string, JsonObject> | null
} {
  const known = isPlainObject(metadata) ? metadata : {}
  const capabilities = known.a2uiClientCapabilities ?? known.a2uiRendererCapabilities
  const model = known.a2uiClientDataModel ?? known.a2uiRendererDataModel
  const surfaces = isPlainObject(model) ? model.surfaces : undefined
  return {
    capabilities: isPlainObject(capabilities) ? (capabilities as JsonObject) : null,
    dataModel: isPlainObject(surfaces) ? (surfaces as Record<string, JsonObject>) : null,
  }
}
