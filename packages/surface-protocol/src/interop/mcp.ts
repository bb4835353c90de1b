import { isPlainObject, type JsonObject } from '../json.ts'

const NATIVE = 'application/a2ui+json'
const NATIVE_TYPES: ReadonlySet<unknown> = new Set([NATIVE, 'application/json+a2ui'])
const HTML = 'text/html;profile=mcp-app'
const EXTENSION = 'io.modelcontextprotocol/ui'

/** Creates an MCP resource that contains messages. @throws TypeError for another scheme */
export function toMcpResource(uri: string, messages: readonly object[]): JsonObject {
  return { uri: checked(uri), mimeType: NATIVE, text: JSON.stringify(messages) }
}

/** Creates an MCP resource with a surface as HTML. @throws TypeError for another scheme */
export function toMcpAppResource(uri: string, html: string): JsonObject {
  return { uri: checked(uri), mimeType: HTML, text: html }
}

/**
 * Creates a tool result: text for the model, and the messages as a resource.
 * @param options.forView marks the resource as content of a view of MCP Apps
 * @throws TypeError
 */
export function toMcpResult(
  messages: readonly object[],
  {
    uri,
    text = '',
    forView = false,
  }: { readonly uri: string; readonly text?: string; readonly forView?: boolean },
): JsonObject {
  const resource = toMcpResource(uri, messages)
  const meta = forView ? { _meta: { ui: { content: {} } } } : {}
  const block: JsonObject = { type: 'resource', resource, ...meta }
  return { content: [{ type: 'text', text }, block] }
}

/** The messages in a result's content or a resource, unvalidated; null if there are none. */
export function fromMcpContent(content: unknown): unknown[] | null {
  const list: readonly unknown[] = Array.isArray(content) ? content : [content]
  const found = list.flatMap((item) => messagesIn(item) ?? [])
  return found.length > 0 ? found : null
}

function messagesIn(item: unknown): unknown[] | null {
  if (!isPlainObject(item)) return null
  const resource = isPlainObject(item.resource) ? item.resource : item
  if (!NATIVE_TYPES.has(resource.mimeType) || typeof resource.text !== 'string') return null
  try {
    const value: unknown = JSON.parse(resource.text)
    return Array.isArray(value) ? value : [value]
  } catch {
    return null
  }
}

/** How a client can display surfaces, according to its capabilities; null if it cannot. */
export function supportsA2ui(capabilities: unknown): 'native' | 'html' | null {
  const extensions = isPlainObject(capabilities) ? capabilities.extensions : undefined
  const own = isPlainObject(extensions) ? extensions[EXTENSION] : undefined
  const types: unknown = isPlainObject(own) ? own.mimeTypes : undefined
  if (!Array.isArray(types)) return null
  if (types.includes(NATIVE)) return 'native'
  return types.includes(HTML) ? 'html' : null
}

/** Converts an action to a tool call. */
export function actionToToolCall(action: { readonly name: string; readonly context?: object }): {
  name: string
  arguments: JsonObject
} {
  return { name: action.name, arguments: { ...(action.context as JsonObject | undefined) } }
}

function checked(uri: string): string {
  if (/^(?:a2ui|ui):\/\//.test(uri)) return uri
  throw new TypeError('The address of a surface begins with a2ui:// or ui://')
}
