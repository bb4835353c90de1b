import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { outgoingFetch } from '../../../outgoing/outgoing-fetch.ts'
import { isRecord } from '../../../graph/values/convert.ts'
import type { McpClient, McpResult, McpTool } from '../../define/services.ts'

export interface HttpMcpOptions {
  /** Default: the guarded fetch of the platform (AB-40). */
  readonly fetch?: typeof fetch | undefined
  readonly signal: AbortSignal
  /** Ids of sessions that servers keep, by `<session>_<server>`; read and written. */
  readonly sessions?: Map<string, string>
  readonly sessionKey?: string
}

/**
 * Connects to an MCP server over HTTP: streamable HTTP, falling back to SSE (CO-42).
 * @throws TypeError for a configuration without `url`: other transports are the host's business
 */
export async function connectHttpMcp(config: unknown, options: HttpMcpOptions): Promise<McpClient> {
  const { url, headers } = readConfig(config)
  const requestInit = { headers }
  const custom = { fetch: outgoingFetch({ ...(options.fetch && { fetch: options.fetch }) }) }
  const { StreamableHTTPClientTransport } =
    await import('@modelcontextprotocol/sdk/client/streamableHttp.js')
  const { sessions, sessionKey = '' } = options
  const sessionId = sessions?.get(sessionKey)
  const transport = new StreamableHTTPClientTransport(url, {
    requestInit,
    ...custom,
    ...(sessionId === undefined ? {} : { sessionId }),
  })
  try {
    const client = await open(transport as Transport, options.signal)
    if (transport.sessionId !== undefined) sessions?.set(sessionKey, transport.sessionId)
    return asMcpClient(client)
  } catch (error) {
    options.signal.throwIfAborted()
    if (!mayBeOlder(error)) throw error
  }
  const { SSEClientTransport } = await import('@modelcontextprotocol/sdk/client/sse.js')
  const older = new SSEClientTransport(url, { requestInit, ...custom })
  return asMcpClient(await open(older, options.signal))
}

async function open(transport: Transport, signal: AbortSignal): Promise<Client> {
  const sdk = await import('@modelcontextprotocol/sdk/client/index.js')
  const client = new sdk.Client({ name: 'flow-engine', version: '1.0.0' })
  await client.connect(transport, { signal })
  return client
}

/** Servers of the older transport answer 400, 404 or 405 to a POST. */
function mayBeOlder(error: unknown): boolean {
  const code: unknown =
    isRecord(error) || error instanceof Error ? Reflect.get(error, 'code') : null
  return code === 400 || code === 404 || code === 405
}

function readConfig(config: unknown): { url: URL; headers: Record<string, string> } {
  const { url, headers } = isRecord(config) ? config : {}
  if (typeof url !== 'string' || !/^https?:/.test(url) || !URL.canParse(url)) {
    throw new TypeError(
      isRecord(config) && 'command' in config
        ? 'Servers started by a command are off unless the host gives an MCP service'
        : 'The MCP server has no address',
    )
  }
  const pairs = Object.entries(isRecord(headers) ? headers : {})
  return {
    url: new URL(url),
    headers: Object.fromEntries(pairs.map(([name, value]) => [name, String(value)])),
  }
}

function asMcpClient(client: Client): McpClient {
  return {
    async listTools() {
      const tools: McpTool[] = []
      let cursor: string | undefined
      do {
        const page = await client.listTools(cursor === undefined ? {} : { cursor })
        for (const { name, description, inputSchema } of page.tools) {
          tools.push({ name, inputSchema, ...(description === undefined ? {} : { description }) })
        }
        cursor = page.nextCursor
      } while (cursor !== undefined && tools.length < MAX_TOOLS)
      return tools
    },
    async callTool(name, args, { signal }) {
      const result = await client.callTool({ name, arguments: { ...args } }, undefined, { signal })
      return result as unknown as McpResult
    },
    close: () => client.close(),
  }
}

const MAX_TOOLS = 10_000
