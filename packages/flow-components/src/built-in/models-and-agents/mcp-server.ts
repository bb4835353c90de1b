import { isObject, type Runtime } from '@x/wire'
import { isFlowError, errorText } from '@x/flow-engine'
import type { ComponentServices, McpClient, McpTool, RunChildFlow } from '@x/flow-engine'
import { connectHttpMcp } from './mcp-http.ts'

/** The part of a component's context needed to connect to a server. */
export interface McpHost {
  readonly services: Readonly<ComponentServices>
  readonly runtime: Runtime
  readonly signal: AbortSignal
  readonly sessionId?: string | undefined
  readonly userId?: string | undefined
  readonly runFlow?: RunChildFlow | undefined
  /** Shared by all builds of a run. */
  readonly shared?: Map<string, unknown> | undefined
}

const LIST_TIMEOUT_MS = 30_000

/** The value of the server field: `{name, config?}`. */
export interface McpServerChoice {
  readonly name: string
  readonly config?: object
}

/** @throws TypeError if no server is selected */
export function readServerChoice(value: unknown): McpServerChoice {
  const { name, config } = isObject(value) ? value : {}
  const named = typeof name === 'string' && name !== ''
  if (!named && !isObject(config)) throw new TypeError('No MCP server selected')
  return { name: named ? name : 'server', ...(isObject(config) ? { config } : {}) }
}

/** Connects to a server, runs `work` and disconnects; the server's session lasts for the whole run. */
export async function withMcpServer<T>(
  server: McpServerChoice,
  host: McpHost,
  work: (client: McpClient) => Promise<T>,
): Promise<T> {
  const client = await connect(server, host)
  try {
    return await work(client)
  } finally {
    await client.close().catch(() => undefined)
  }
}

/**
 * Lists the tools of a server.
 * @throws FlowError `forbidden` for a server that the user may not start; TypeError with a message
 * that starts with "Error updating tool list: " or "Timeout updating tool list: "
 */
export async function listMcpTools(
  server: McpServerChoice,
  host: McpHost,
  { cached = false }: { readonly cached?: boolean } = {},
): Promise<readonly McpTool[]> {
  const key = `mcp tools of ${server.name}`
  const known = cached ? host.shared?.get(key) : undefined
  if (known !== undefined) return known as readonly McpTool[]
  const timeout = new AbortController()
  const done = new AbortController()
  void host.runtime.sleep(LIST_TIMEOUT_MS, done.signal).then(
    () => timeout.abort(),
    () => undefined,
  )
  try {
    const signal = AbortSignal.any([host.signal, timeout.signal])
    const { services, runtime, sessionId, userId, shared } = host
    const listing = { services, runtime, sessionId, userId, shared, signal }
    const tools = await withMcpServer(server, listing, (client) => client.listTools())
    host.shared?.set(key, tools)
    return tools
  } catch (error) {
    host.signal.throwIfAborted()
    if (isFlowError(error) && (error.code === 'forbidden' || error.code === 'missing_package'))
      throw error
    const what = timeout.signal.aborted ? 'Timeout' : 'Error'
    throw new TypeError(`${what} updating tool list: ${errorText(error)}`, { cause: error })
  } finally {
    done.abort()
  }
}

async function connect(server: McpServerChoice, host: McpHost): Promise<McpClient> {
  const { services, signal, userId, sessionId, runFlow } = host
  if (services.mcp !== undefined) {
    return services.mcp.connect(server, {
      signal,
      ...(userId === undefined ? {} : { userId }),
      ...(sessionId === undefined ? {} : { sessionId }),
      ...(runFlow === undefined
        ? {}
        : { runFlow: (flow, options) => runFlow.call(host, flow, options) }),
    })
  }
  return connectHttpMcp(server.config, {
    fetch: services.fetch,
    signal,
    sessions: sessionsOf(host.shared),
    sessionKey: `${sessionId ?? ''}_${server.name}`,
  })
}

function sessionsOf(shared: Map<string, unknown> | undefined): Map<string, string> {
  const key = 'mcp sessions'
  const known = shared?.get(key)
  if (known instanceof Map) return known as Map<string, string>
  const sessions = new Map<string, string>()
  shared?.set(key, sessions)
  return sessions
}
