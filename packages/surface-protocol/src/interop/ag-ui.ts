import { basicCatalogIds } from '../catalog/v09/basic-catalog-ids.ts'
import { protocolParts, readVersion, versionNumber, type Version } from '../data/version.ts'
import { equalJson, isPlainObject, ownValue, type JsonObject, type JsonValue } from '../json.ts'
import { fromActivityEvent } from './activity-event.ts'

const ACTIVITY = 'a2ui-surface'

/**
 * The messages in what AG-UI carries, unvalidated; null if there are none: activity events and messages, results of
 * tools, `{a2ui_operations}` as an object or as JSON, and `MESSAGES_SNAPSHOT`, whose messages are read in order. Never
 * throws.
 */
export function fromAgUi(value: unknown): unknown[] | null {
  const found = carriersIn(value).flatMap(({ operations }) => [...operations])
  return carriersIn(value).length > 0 ? found : null
}

/** Operations with the id of the message that holds them. */
interface Carrier {
  readonly messageId: string
  readonly operations: readonly unknown[]
  /** True if they follow those that the message had. */
  readonly appends: boolean
}

function carriersIn(value: unknown): Carrier[] {
  if (typeof value === 'string' || !isPlainObject(value)) return carrier('', operationsIn(value))
  const messageId = textOf(value.messageId) ?? textOf(value.id) ?? ''
  if (value.type === 'MESSAGES_SNAPSHOT') {
    return Array.isArray(value.messages)
      ? (value.messages as unknown[]).flatMap((one) => carriersIn(one))
      : []
  }
  if (value.type === 'ACTIVITY_DELTA') return carrier(messageId, fromActivityEvent(value), true)
  if (value.type === 'ACTIVITY_SNAPSHOT') return carrier(messageId, fromActivityEvent(value))
  if (value.role === 'activity') {
    return value.activityType === ACTIVITY ? carrier(messageId, operationsIn(value.content)) : []
  }
  if (value.type === 'TOOL_CALL_RESULT' || value.role === 'tool') {
    return carrier(messageId, operationsIn(value.content))
  }
  return value.type === undefined && value.role === undefined
    ? carrier(messageId, operationsIn(value))
    : []
}

function carrier(messageId: string, found: unknown[] | null, appends = false): Carrier[] {
  return found === null ? [] : [{ messageId, operations: found, appends }]
}

function operationsIn(content: unknown): unknown[] | null {
  let value = content
  if (typeof content === 'string') {
    if (!content.includes('a2ui_operations')) return null
    try {
      value = JSON.parse(content)
    } catch {
      return null
    }
  }
  const list = isPlainObject(value) ? ownValue(value, 'a2ui_operations') : undefined
  return Array.isArray(list) ? [...(list as unknown[])] : null
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** A tool's result that carries messages. */
export function toToolResult(messages: readonly object[]): string {
  return JSON.stringify({ a2ui_operations: messages })
}

/**
 * The messages for the arguments of the tool `render_a2ui`: createSurface, data, components.
 * @param options.version default 0.9.1
 */
export function fromRenderTool(
  {
    surfaceId,
    components,
    data,
  }: {
    readonly surfaceId: string
    readonly components: readonly object[]
    readonly data?: JsonObject | undefined
  },
  options: { readonly version?: Version; readonly catalogId?: string } = {},
): JsonObject[] {
  const version = readVersion(options.version ?? '0.9.1')
  if (version === '0.8') throw new TypeError('The tool render_a2ui has no form in version 0.8')
  const { catalogId = catalogOf(version) } = options
  const say = (payload: JsonObject): JsonObject => ({
    version: `v${versionNumber(version)}`,
    ...payload,
  })
  const list = components as JsonValue[]
  const hasData = data !== undefined && Object.keys(data).length > 0
  return [
    say({ createSurface: { surfaceId, catalogId } }),
    ...(hasData ? [say({ updateDataModel: { surfaceId, path: '/', value: data } })] : []),
    ...(list.length > 0 ? [say({ updateComponents: { surfaceId, components: list } })] : []),
  ]
}

function catalogOf(version: Version): string {
  const parts: { readonly build?: { catalog: { catalogId: string } } } | null =
    protocolParts(version)
  return parts?.build?.catalog.catalogId ?? basicCatalogIds[0] ?? ''
}

/** Reads what an AG-UI run says about surfaces. */
export interface AgUiReader {
  /** The operations that are new; `[]` for anything foreign. Never throws. */
  readonly read: (event: unknown) => unknown[]
}

/** Maximum number of messages whose operations a reader remembers. */
const MAX_MESSAGES = 1000

/**
 * A reader for consumers of AG-UI: each operation of a message is given once, though snapshots grow and repeat. A snapshot
 * that begins differently deletes the surfaces of its message first.
 */
export function createAgUiReader(): AgUiReader {
  const given = new Map<string, readonly unknown[]>()
  const readOne = ({ messageId, operations, appends }: Carrier): unknown[] => {
    const before = given.get(messageId) ?? []
    const isGrown =
      appends ||
      (operations.length >= before.length &&
        before.every((one, at) => equalJson(one, operations[at])))
    given.delete(messageId)
    given.set(messageId, appends ? [...before, ...operations] : operations)
    const [oldest] = given.keys()
    if (given.size > MAX_MESSAGES && oldest !== undefined) given.delete(oldest)
    if (appends) return [...operations]
    return isGrown ? operations.slice(before.length) : [...deletionsOf(before), ...operations]
  }
  return { read: (event) => carriersIn(event).flatMap(readOne) }
}

/** The messages that delete the surfaces which others created. */
function deletionsOf(messages: readonly unknown[]): JsonObject[] {
  const alive = new Map<string, JsonObject>()
  for (const message of messages) {
    if (!isPlainObject(message)) continue
    for (const [kind, payload] of Object.entries(message)) {
      const surfaceId = isPlainObject(payload) ? textOf(payload.surfaceId) : undefined
      if (surfaceId === undefined) continue
      const deletion = { deleteSurface: { surfaceId } }
      const { version } = message
      if (kind === 'deleteSurface') alive.delete(surfaceId)
      else alive.set(surfaceId, typeof version === 'string' ? { version, ...deletion } : deletion)
    }
  }
  return [...alive.values()]
}
