import {
  createSystemRuntime,
  isObject,
  isResponse,
  json,
  outsideBasePath,
  pathBelow,
  type Runtime,
} from '@x/wire'
import type { ComponentServices } from '@x/flow-engine'
import { planAsksPeople } from '@x/flow-engine/internal'
import type { Tweaks } from '@x/flow-engine'
import { runFlow } from '@x/flow-engine'
import type { HostContext } from '../options.ts'
import type { BuildJobs } from '@x/flow-engine'
import { createSecretBox } from '../services/crypto/secret-box.ts'
import { createAskingTools, type AskingCall, type AskingTools } from './asking-tools.ts'
import { createCalls } from './calls.ts'
import { compileTools, type FlowTool } from './flow-tools.ts'
import { invalidParams } from './json-rpc.ts'
import { readAuth, type McpUser } from './mcp-auth.ts'
import { resolveMcpOptions } from './mcp-options.ts'
import { readMcpHandlerOptions, type McpHandlerOptions } from './mcp-handler-options.ts'
import type { McpServer, McpToolCall } from './mcp-server.ts'
import { ASKS, readArguments, runTool } from './run-tool.ts'
import { answerStreamable } from './streamable-http.ts'
import { failedResult } from './tool-result.ts'

/** An MCP server as a fetch handler; never rejects. */
export interface McpHandler {
  (request: Request, context?: HostContext): Promise<Response>
  /** Stops runs that wait for answers; with `jobs`, the next process continues them. */
  close(): Promise<void>
}

/**
 * Serves selected flows over MCP, without the flow API and without a store: both eras of Streamable HTTP,
 * on any path or below `basePath`.
 * @throws FlowCompileError if a flow cannot be compiled
 * @throws OptionError, a TypeError, for a wrong, missing or unknown option
 */
export function createMcpHandler(given: McpHandlerOptions): McpHandler {
  const options = readMcpHandlerOptions('createMcpHandler', given)
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
  const asking = createAsking(options, runtime)
  const settings = { ...options, callTimeoutMs: limits.callTimeoutMs, runtime, asking }

  const { basePath = '' } = options
  const answer = async (request: Request, context: HostContext): Promise<Response> => {
    const path = basePath === '' ? '' : new URL(request.url).pathname
    if (pathBelow(path, basePath) === undefined) {
      const place = `base path "${basePath}" of the MCP server`
      const detail = outsideBasePath(path, { place, mount: undefined })
      return json(request, { detail }, { status: 404 })
    }
    if (request.method === 'HEAD') return new Response(null, { status: 200 })
    if (request.method !== 'POST') {
      const headers = { allow: 'POST' }
      return json(request, { detail: 'Method Not Allowed' }, { status: 405, headers })
    }
    if (!isAllowedOrigin(request, options.allowedOrigins))
      return json(request, { detail: 'Origin not allowed' }, { status: 403 })
    const user = await authenticate(request, context)
    if (isResponse(user)) return user
    if (user === null) return unauthenticated(request)
    return await answerStreamable(request, serverOf(settings, tools, user), transport)
  }
  const handler = async (request: Request, context: HostContext = {}): Promise<Response> => {
    try {
      return await answer(request, context)
    } catch (error) {
      report(error)
      return json(request, { detail: 'Internal Server Error' }, { status: 500 })
    }
  }
  return Object.assign(handler, { close: async () => await asking?.close() })
}

interface Settings extends McpHandlerOptions {
  readonly callTimeoutMs: number
  readonly runtime: Runtime
  readonly asking: Asking | undefined
}

type Asking = AskingTools & { readonly close: () => Promise<void> }

function createAsking(options: McpHandlerOptions, runtime: Runtime): Asking | undefined {
  const { jobs: store, stateSecret, components, limits } = options
  if (store === undefined) return undefined
  const secret =
    stateSecret === undefined ? runtime.randomBytes(32) : new TextEncoder().encode(stateSecret)
  const box = createSecretBox(new Uint8Array(secret), runtime)
  let made: Promise<{ readonly jobs: BuildJobs; readonly tools: AskingTools }> | undefined
  // Loaded on first use, because most servers never need it.
  const create = async () => {
    const { createBuildJobs } = await import('@x/flow-engine')
    const jobs = createBuildJobs({
      components,
      services: servicesOf(options),
      runtime,
      store,
      ...(limits === undefined ? {} : { limits }),
      onError: (error) => options.onError?.(error),
    })
    return {
      jobs,
      tools: createAskingTools({ jobs, enqueue: (request) => jobs.start(request), box, runtime }),
    }
  }
  const load = async (): Promise<AskingTools> => (await (made ??= create())).tools
  return {
    start: async (call, request) => await (await load()).start(call, request),
    resume: async (call, answer) => await (await load()).resume(call, answer),
    close: async () => await (await made)?.jobs.close(),
  }
}

function servicesOf({ services, models }: McpHandlerOptions): ComponentServices {
  return { ...services, ...(models === undefined ? {} : { models }) }
}

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
      const { asking } = settings
      if (!planAsksPeople(tool.plan) && (call.answer === undefined || asking === undefined))
        return await callFlow(settings, { tool, call, userId })
      return asking === undefined || !call.elicits
        ? failedResult(ASKS)
        : await askPerson({ ...settings, asking }, { tool, call, userId })
    },
    async listResources() {
      return (await resources?.list()) ?? []
    },
    async readResource(uri) {
      return (await resources?.read(uri)) ?? null
    },
  }
}

interface UserCall {
  readonly tool: FlowTool
  readonly call: McpToolCall
  readonly userId: string
}

/** Runs a flow that asks questions as a job that waits for the client's user. */
async function askPerson(
  { asking, runtime, callTimeoutMs }: Settings & { readonly asking: Asking },
  { tool, call, userId }: UserCall,
) {
  const { plan, listed, tweaks } = tool
  const asked: AskingCall = {
    scope: JSON.stringify([userId, listed.name]),
    flowName: listed.title,
    plan,
    signal: call.signal,
    timeoutMs: callTimeoutMs,
    progress: call.progress,
  }
  if (call.answer !== undefined) return await asking.resume(asked, call.answer)
  const given = readArguments(plan, call.args)
  if (typeof given === 'string') return failedResult(given)
  return await asking.start(asked, {
    flow: plan,
    input: { type: 'chat', value: fixesInput(tool) ? undefined : given.input },
    outputType: 'any',
    sessionId: given.sessionId ?? runtime.uuid(),
    tweaks: withFixed(given.tweaks, tweaks),
    stream: false,
    ...(userId === '' ? {} : { userId }),
  })
}

function callFlow(settings: Settings, { tool, call, userId }: UserCall) {
  const { components, limits, runtime, callTimeoutMs } = settings
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
        services: servicesOf(settings),
        limits,
        runtime,
        signal,
        ...(userId === '' ? {} : { userId }),
      }),
    }),
  })
}

/** Values fixed by the host override arguments, field by field. */
function withFixed(given: Tweaks = {}, fixed: Tweaks = {}): Tweaks {
  const merged = Object.entries(fixed).map(([key, entry]): [string, unknown] => {
    const own: unknown = given[key]
    return [key, isObject(entry) && isObject(own) ? { ...own, ...entry } : entry]
  })
  return { ...given, ...Object.fromEntries(merged) }
}

/** True if the host has fixed the text of the chat input, which is then not passed as a tweak. */
function fixesInput({ tweaks = {} }: FlowTool): boolean {
  return Object.entries(tweaks).some(
    ([key, entry]) => /Chat ?Input/.test(key) && isObject(entry) && 'input_value' in entry,
  )
}

/** Pages of other origins are not trusted. */
function isAllowedOrigin({ headers, url }: Request, allowed: readonly string[] = []): boolean {
  const origin = headers.get('origin')
  return origin === null || origin === new URL(url).origin || allowed.includes(origin)
}

function unauthenticated(request: Request): Response {
  const detail = 'Credentials are needed. Send them as Authorization: Bearer or x-api-key.'
  const headers = { 'www-authenticate': 'Bearer' }
  return json(request, { detail }, { status: 401, headers })
}
