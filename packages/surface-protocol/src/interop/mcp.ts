import { isPlainObject, type JsonObject } from '../json.ts'

const NATIVE = 'application/a2ui+json'
const HTML = 'text/html;profile=mcp-app'
const EXTENSION = 'io.modelcontextprotocol/ui'

/** A resource of a tool server that carries messages (SN-70). @throws TypeError for another scheme */
export function toMcpResource(uri: string, messages: readonly object[]): JsonObject {
  return { uri: checked(uri), mimeType: NATIVE, text: JSON.stringify(messages) }
}

/** A resource with the HTML form of a surface. @throws TypeError for another scheme */
export function toMcpAppResource(uri: string, html: string): JsonObject {
  return { uri: checked(uri), mimeType: HTML, text: html }
}

/** The result of a tool: text for the model, and the messages as a resource. @throws TypeError */
export function toMcpResult(
  messages: readonly object[],
  { uri, text = '' }: { readonly uri: string; readonly text?: string },
): JsonObject {
  const resource = toMcpResource(uri, messages)
  return {
    content: [
      { type: 'text', text },
      { type: 'resource', resource },
    ],
  }
}

/** The messages in the content of a result, or in a resource, unchecked; null when there are none. */
export function fromMcpContent(content: unknown): unknown[] | null {
  const list: readonly unknown[] = Array.isArray(content) ? content : [content]
  const found = list.flatMap((item) => messagesIn(item) ?? [])
  return found.length > 0 ? found : null
}

function messagesIn(item: unknown): unknown[] | null {
  if (!isPlainObject(item)) return null
  const resource = isPlainObject(item.resource) ? item.resource : item
  if (resource.mimeType !== NATIVE || typeof resource.text !== 'string') return null
  try {
    const value: unknown = JSON.parse(resource.text)
    return Array.isArray(value) ? value : [value]
  } catch {
    return null
  }
}

/** The form in which a client shows surfaces, by its capabilities; null if it shows none. */
export function supportsA2ui(capabilities: unknown): 'native' | 'html' | null {
  const extensions = isPlainObject(capabilities) ? capabilities.extensions : undefined
  const own = isPlainObject(extensions) ? extensions[EXTENSION] : undefined
  const types: unknown = isPlainObject(own) ? own.mimeTypes : undefined
  if (!Array.isArray(types)) return null
  if (types.includes(NATIVE)) return 'native'
  return types.includes(HTML) ? 'html' : null
}

/** The call of a tool that an action stands for. */
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
