import type { Client, Transport } from '@modelcontextprotocol/client'
import { isObject } from '@x/wire'
import { outgoingFetch } from '@x/flow-engine/internal'
import type { McpClient } from '@x/flow-engine'
import { withBoundedAnswers } from './mcp-answers.ts'
import { asMcpClient } from './mcp-client.ts'
import { loadMcp } from './mcp-package.ts'

export interface HttpMcpOptions {
  /** Default: the platform's guarded fetch. */
  readonly fetch?: typeof fetch | undefined
  readonly signal: AbortSignal
  /** Ids of persistent server sessions, by `<session>_<server>`; read and updated. */
  readonly sessions?: Map<string, string>
  readonly sessionKey?: string
}

/**
 * Connects to an MCP server over streamable HTTP, falling back to SSE.
 * @throws TypeError for a configuration without `url`; other transports must be supplied by the host
 */
export async function connectHttpMcp(config: unknown, options: HttpMcpOptions): Promise<McpClient> {
  const { url, headers } = readConfig(config)
  const requestInit = { headers }
  const send = outgoingFetch({ ...(options.fetch && { fetch: options.fetch }) })
  const custom = { fetch: withBoundedAnswers(send) }
  const { StreamableHTTPClientTransport, SSEClientTransport } = await loadMcp()
  const { sessions, sessionKey = '' } = options
  const sessionId = sessions?.get(sessionKey)
  const transport = new StreamableHTTPClientTransport(url, {
    requestInit,
    ...custom,
    ...(sessionId === undefined ? {} : { sessionId }),
  })
  try {
    const client = await open(transport, options.signal)
    if (transport.sessionId !== undefined) sessions?.set(sessionKey, transport.sessionId)
    return asMcpClient(client)
  } catch (error) {
    options.signal.throwIfAborted()
    if (!mayBeOlder(error)) throw error
  }
  const older = new SSEClientTransport(url, { requestInit, ...custom })
  return asMcpClient(await open(older, options.signal))
}

async function open(transport: Transport, signal: AbortSignal): Promise<Client> {
  const mcp = await loadMcp()
  const client = new mcp.Client({ name: 'flow-engine', version: '1.0.0' })
  await client.connect(transport, { signal })
  return client
}

/** Servers with the older transport respond to a POST with 400, 404 or 405. */
function mayBeOlder(error: unknown): boolean {
  const status: unknown = error instanceof Error ? Reflect.get(error, 'status') : undefined
  return status === 400 || status === 404 || status === 405
}

function readConfig(config: unknown): { url: URL; headers: Record<string, string> } {
  const { url, headers } = isObject(config) ? config : {}
  if (typeof url !== 'string' || !/^https?:/.test(url) || !URL.canParse(url)) {
    throw new TypeError(
      isObject(config) && 'command' in config
        ? 'Servers started by a command are off; the operator allows them with SERVICE_MCP_STDIO=true and SERVICE_MCP_STDIO_COMMANDS'
        : 'The MCP server has no address',
    )
  }
  const pairs = Object.entries(isObject(headers) ? headers : {})
  return {
    url: new URL(url),
    headers: Object.fromEntries(pairs.map(([name, value]) => [name, String(value)])),
  }
}
