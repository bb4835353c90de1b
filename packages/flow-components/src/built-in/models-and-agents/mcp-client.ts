import type { Client, StandardSchemaV1 } from '@modelcontextprotocol/client'
import { append, isObject } from '@x/wire'
import { type McpClient, type McpResult, type McpTool, errorText } from '@x/flow-engine'

/**
 * A tool server behind the SDK's client. Avoids the client's `listTools`, which compiles schemas from the
 * server, including their patterns; responses are bounded.
 */
export function asMcpClient(client: Client): McpClient {
  return {
    async listTools() {
      const tools: McpTool[] = []
      let cursor: string | undefined
      for (let page = 0; page < MAX_PAGES && tools.length < MAX_TOOLS; page += 1) {
        const request = { method: 'tools/list', params: cursor === undefined ? {} : { cursor } }
        const listed = await client.request(request, ToolPage)
        append(tools, listed.tools)
        cursor = listed.nextCursor
        if (cursor === undefined) break
      }
      return tools
    },
    async callTool(name, args, { signal, timeoutMs }) {
      const request = { method: 'tools/call', params: { name, arguments: { ...args } } }
      return await client.request(request, ToolResult, {
        signal,
        ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
      })
    },
    close: () => client.close(),
  }
}

const MAX_TOOLS = 10_000
const MAX_PAGES = 100
/** Maximum number of content items in a result. */
const MAX_CONTENT = 10_000

/** What the client hands over after it has received it; a failed check rejects the request. */
const ToolPage = answer((value): { tools: McpTool[]; nextCursor?: string } => {
  const { tools, nextCursor } = value
  const read = listOf('the list of tools', tools, MAX_TOOLS).map(
    ({ name, description, inputSchema }) => {
      if (typeof name !== 'string') throw new TypeError('a tool has no name')
      if (!isObject(inputSchema)) throw new TypeError(`the tool ${name} has no input schema`)
      return { name, inputSchema, ...(typeof description === 'string' ? { description } : {}) }
    },
  )
  return { tools: read, ...(typeof nextCursor === 'string' ? { nextCursor } : {}) }
})

const ToolResult = answer(({ content = [], isError, structuredContent }): McpResult => {
  return {
    content: listOf('its content', content, MAX_CONTENT),
    ...(typeof isError === 'boolean' ? { isError } : {}),
    ...(structuredContent === undefined ? {} : { structuredContent }),
  }
})

/** @throws TypeError */
function listOf(what: string, value: unknown, most: number): Record<string, unknown>[] {
  if (!Array.isArray(value) || !value.every((item) => isObject(item)))
    throw new TypeError(`${what} is not a list of objects`)
  if (value.length > most) throw new TypeError(`${what} has more than ${most} items`)
  return value
}

/** A check as the client takes it, a standard schema. */
function answer<T>(read: (value: Record<string, unknown>) => T): StandardSchemaV1<unknown, T> {
  const validate = (value: unknown): StandardSchemaV1.Result<T> => {
    try {
      return { value: read(isObject(value) ? value : {}) }
    } catch (error) {
      return { issues: [{ message: errorText(error) }] }
    }
  }
  return { '~standard': { version: 1, vendor: 'flow-components', validate } }
}
