import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { z } from 'zod'
import type { McpClient, McpResult, McpTool } from '@x/flow-engine'

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
        for (const { name, description, inputSchema } of listed.tools) {
          tools.push({ name, inputSchema, ...(description === undefined ? {} : { description }) })
        }
        cursor = listed.nextCursor
        if (cursor === undefined) break
      }
      return tools
    },
    async callTool(name, args, { signal, timeoutMs }) {
      const request = { method: 'tools/call', params: { name, arguments: { ...args } } }
      const { content, isError, structuredContent } = await client.request(request, ToolResult, {
        signal,
        ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
      })
      return {
        content,
        ...(isError === undefined ? {} : { isError }),
        ...(structuredContent === undefined ? {} : { structuredContent }),
      } satisfies McpResult
    },
    close: () => client.close(),
  }
}

const MAX_TOOLS = 10_000
const MAX_PAGES = 100
/** Maximum number of content items in a result. */
const MAX_CONTENT = 10_000

const ToolPage = z.looseObject({
  tools: z
    .array(
      z.looseObject({
        name: z.string(),
        description: z.string().optional(),
        inputSchema: z.looseObject({}),
      }),
    )
    .max(MAX_TOOLS),
  nextCursor: z.string().optional(),
})

const ToolResult = z.looseObject({
  content: z.array(z.looseObject({})).max(MAX_CONTENT).default([]),
  isError: z.boolean().optional(),
  structuredContent: z.unknown().optional(),
})
