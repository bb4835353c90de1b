import { createSystemRuntime, json, type Runtime } from '@x/wire'
import type { ComponentRegistry } from '../components/registry/registry.ts'
import type { ComponentServices, ModelProviders } from '../components/define/services.ts'
import type { FlowJson } from '../graph/flow/flow-json.ts'
import type { Tweaks } from '../graph/context/run-options.ts'
import type { RunLimits } from '../graph/plan/limits.ts'
import { runFlow } from '../graph/run/run.ts'
import type { HostContext } from '../options.ts'
import { isObject } from '../wire/is-object.ts'
import { createCalls } from './calls.ts'
import { compileTools, type FlowTool, type FlowToolOptions } from './flow-tools.ts'
import { invalidParams } from './json-rpc.ts'
import { readAuth, type McpAuth, type McpUser } from './mcp-auth.ts'
import { resolveMcpOptions } from './mcp-options.ts'
import type { ListedResource, McpServer, ResourceContent, ToolCall } from './mcp-server.ts'
import { runTool } from './run-tool.ts'
import { answerStreamable } from './streamable-http.ts'

/** Resources that the host serves beside the tools. */
export interface McpResourceSource {
  list(): readonly ListedResource[] | Promise<readonly ListedResource[]>
  /** Null for every address that is not listed. */
  read(uri: string): ResourceContent | null | Promise<ResourceContent | null>
}

/** What an MCP server of chosen flows is made of (MC-101). */
export interface McpHandlerOptions {
  /** Name of the server. */
  readonly name: string
  /** Flow files; names of tools come from the names of flows unless they are given. */
  readonly tools: readonly (FlowJson | FlowToolOptions)[]
  readonly components: ComponentRegistry
  /** Who may call; there is no default. */
  readonly auth: McpAuth
  /** Told to models before they call a tool. */
  readonly instructions?: string
  /** Version of the server; `1.0.0`. */
  readonly version?: string
  readonly models?: ModelProviders
  readonly services?: ComponentServices
  readonly limits?: Partial<RunLimits>
  readonly runtime?: Runtime
  /** Milliseconds; 300,000. */
  readonly callTimeoutMs?: number
  /** Calls of one user at once; 256. */
  readonly maxCalls?: number
  /** Bytes of a message; 4 MiB. */
  readonly maxBodyBytes?: number
  /** Milliseconds that clients of 2026-07-28 may keep lists; 0. */
  readonly listTtlMs?: number
  readonly resources?: McpResourceSource
  /** Origins of pages that may call, besides the server's own; none. */
  readonly allowedOrigins?: readonly string[]
  /** Called with unexpected errors. */
  onError?(error: unknown): void
}

/** An MCP server as a function; never rejects. */
export type McpHandler = (request: Request, context?: HostContext) => Promise<Response>

/**
 * Makes chosen flows an MCP server, without the flow API and without a store: both eras of Streamable
 * HTTP, on any path.
 * @throws FlowCompileError for a flow that cannot be compiled
 * @throws TypeError for a missing `auth`, a name that is not allowed, an impossible limit
 */
export function createMcpHandler(options: McpHandlerOptions): McpHandler {
  const { callTimeoutMs, maxCalls, maxBodyBytes, listTtlMs } = options
  const limits = resolveMcpOptions({
    ...(callTimeoutMs !== undefined && { callTimeoutMs }),
    ...(maxCalls !== undefined && { maxCalls }),
    ...(maxBodyBytes !== undefined && { maxBodyBytes }),
    ...(listTtlMs !== undefined && { listTtlMs }),
  })
  const authenticate = readAuth(options.auth)
  const customCode = options.services?.codeRunner !== undefined
  const tools = compileTools(options.tools, { ...options, customCode })
  const runtime = options.runtime ?? createSystemRuntime()
  const calls = createCalls(limits.maxCalls)
  const report = (error: unknown): void => options.onError?.(error)
  const transport = { ...limits, calls, runtime, report }
  const settings = { ...options, callTimeoutMs: limits.callTimeoutMs, runtime }

  const answer = async (request: Request, context: HostContext): Promise<Response> => {
    if (request.method === 'HEAD') return new Response(null, { status: 200 })
    if (request.method !== 'POST') {
      const headers = { allow: 'POST' }
      return json(request, { detail: 'Method Not Allowed' }, { status: 405, headers })
    }
    if (!isAllowedOrigin(request, options.allowedOrigins))
      return json(request, { detail: 'Origin not allowed' }, { status: 403 })
    const user = await authenticate(request, context)
    if (user instanceof Response) return user
    if (user === null) return unauthenticated(request)
    return await answerStreamable(request, serverOf(settings, tools, user), transport)
  }
  return async (request, context = {}) => {
    try {
      return await answer(request, context)
    } catch (error) {
      report(error)
      return json(request, { detail: 'Internal Server Error' }, { status: 500 })
    }
  }
}

type Settings = McpHandlerOptions & { readonly callTimeoutMs: number; readonly runtime: Runtime }

function serverOf(
  settings: Settings,
  tools: ReadonlyMap<string, FlowTool>,
  { userId }: McpUser,
): McpServer {
  const { name, instructions, version = '1.0.0', resources } = settings
  return {
    info: { name, title: name, version },
    instructions,
    userId,
    scope: userId,
    async listTools() {
      return { tools: Array.from(tools.values(), ({ listed }) => listed), excluded: [] }
    },
    async callTool(call) {
      const tool = tools.get(call.name)
      if (tool === undefined) throw invalidParams(`Tool '${call.name}' not found`)
      return await callFlow(settings, { tool, call, userId })
    },
    async listResources() {
      return (await resources?.list()) ?? []
    },
    async readResource(uri) {
      return (await resources?.read(uri)) ?? null
    },
  }
}

function callFlow(
  { components, models, services, limits, runtime, callTimeoutMs }: Settings,
  { tool, call, userId }: { tool: FlowTool; call: ToolCall; userId: string },
) {
  return runTool({
    flowName: tool.listed.title,
    plan: tool.plan,
    args: call.args,
    signal: call.signal,
    timeoutMs: callTimeoutMs,
    runtime,
    progress: call.progress,
    start: ({ input, sessionId, tweaks, signal }) => ({
      run: runFlow(tool.plan, {
        components,
        input: { type: 'chat', value: fixesInput(tool) ? undefined : input },
        outputType: 'any',
        sessionId: sessionId ?? runtime.uuid(),
        tweaks: withFixed(tweaks, tool.tweaks),
        stream: false,
        services: { ...services, ...(models === undefined ? {} : { models }) },
        limits,
        runtime,
        signal,
        ...(userId === '' ? {} : { userId }),
      }),
    }),
  })
}

/** The values that the host fixed win over arguments, field by field. */
function withFixed(given: Tweaks = {}, fixed: Tweaks = {}): Tweaks {
  const merged = Object.entries(fixed).map(([key, entry]): [string, unknown] => {
    const own: unknown = given[key]
    return [key, isObject(entry) && isObject(own) ? { ...own, ...entry } : entry]
  })
  return { ...given, ...Object.fromEntries(merged) }
}

/** Whether the host fixed the text of the chat input, which is no tweak then (FE-23). */
function fixesInput({ tweaks = {} }: FlowTool): boolean {
  return Object.entries(tweaks).some(
    ([key, entry]) => /Chat ?Input/.test(key) && isObject(entry) && 'input_value' in entry,
  )
}

/** A page of another origin acts for nobody (MC-9). */
function isAllowedOrigin({ headers, url }: Request, allowed: readonly string[] = []): boolean {
  const origin = headers.get('origin')
  return origin === null || origin === new URL(url).origin || allowed.includes(origin)
}

function unauthenticated(request: Request): Response {
  const detail = 'Credentials are needed. Send them as Authorization: Bearer or x-api-key.'
  const headers = { 'www-authenticate': 'Bearer' }
  return json(request, { detail }, { status: 401, headers })
}
