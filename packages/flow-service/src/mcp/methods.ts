import { isObject } from '@x/wire'
import type { Calls } from './calls.ts'
import { invalidParams, RpcCode, RpcError, type RpcRequest } from './json-rpc.ts'
import { elicits, VERSION_2026 } from './era-2026.ts'
import type { ElicitedAnswer, Era, McpServer } from './mcp-server.ts'
import type { Progress } from './progress.ts'
import { failedResult, type InputRequired, type ToolResult } from './tool-result.ts'

/** The first version is the answer to unknown versions. */
export const VERSIONS_2025 = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const

/** A request as passed to its method. */
export interface MethodCall {
  readonly request: RpcRequest
  readonly server: McpServer
  readonly calls: Calls
  /** The key under which a notification can cancel the call. */
  readonly callKey?: string | undefined
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
  readonly progress?: ((progress: Progress) => void) | undefined
  /** How long, in milliseconds, clients may cache lists. */
  readonly listTtlMs: number
}

type Method = (call: MethodCall, params: Readonly<Record<string, unknown>>) => Promise<object>

/**
 * Handles a request of the 2025 era.
 * @throws RpcError
 */
export function answer2025(call: MethodCall): Promise<object> {
  return run(METHODS_2025, call, 200)
}

/**
 * Handles a request of the 2026-07-28 era.
 * @throws RpcError
 */
export async function answer2026(call: MethodCall): Promise<object> {
  const result = await run(METHODS_2026, call, 404)
  const meta: unknown = Reflect.get(result, '_meta')
  return {
    resultType: 'complete',
    ...result,
    _meta: {
      ...(isObject(meta) ? meta : {}),
      'io.modelcontextprotocol/serverInfo': call.server.info,
    },
  }
}

async function run(
  methods: ReadonlyMap<string, Method>,
  call: MethodCall,
  statusOfUnknown: number,
): Promise<object> {
  const { method, params } = call.request
  const known = methods.get(method)
  if (known === undefined) {
    const more = { status: statusOfUnknown }
    throw new RpcError(RpcCode.methodNotFound, 'Method not found', more)
  }
  if (params === null) throw invalidParams('params must be an object')
  return await known(call, params)
}

const initialize: Method = async ({ server }, { protocolVersion }) => {
  if (typeof protocolVersion !== 'string')
    throw invalidParams('params.protocolVersion must be a string')
  const version = VERSIONS_2025.find((one) => one === protocolVersion) ?? VERSIONS_2025[0]
  return {
    protocolVersion: version,
    capabilities: {
      tools: { listChanged: false },
      resources: { listChanged: false },
      prompts: { listChanged: false },
    },
    serverInfo: server.info,
    ...instructionsOf(server),
  }
}

const discover: Method = async ({ server, listTtlMs }) => ({
  supportedVersions: [VERSION_2026],
  capabilities: { tools: {}, resources: {} },
  ...instructionsOf(server),
  ...cacheHints(listTtlMs),
})

const listTools: Method = async ({ server }) => {
  const { tools, excluded } = await server.listTools()
  return { tools, ...(excluded.length === 0 ? {} : { _meta: { 'x/excluded-flows': excluded } }) }
}

const listResources: Method = async ({ server }) => ({ resources: await server.listResources() })

const callTool =
  (era: Era): Method =>
  async (call, params) => {
    const { name, arguments: args = {} } = params
    if (typeof name !== 'string') throw invalidParams('params.name must be a string')
    if (!isObject(args)) throw invalidParams('params.arguments must be an object')
    const asking =
      era === '2026' ? { elicits: elicits(params), answer: answerOf(params) } : { elicits: false }
    return await inPlace(call, (signal) =>
      call.server.callTool({ name, args, era, signal, progress: call.progress, ...asking }),
    )
  }

/** @throws RpcError */
function answerOf({
  requestState: state,
  inputResponses: responses = {},
}: Readonly<Record<string, unknown>>): ElicitedAnswer | undefined {
  if (state === undefined) return undefined
  if (typeof state !== 'string') throw invalidParams('params.requestState must be a string')
  if (!isObject(responses)) throw invalidParams('params.inputResponses must be an object')
  return { requestState: state, inputResponses: responses }
}

/** Runs a call in one of its user's slots. */
async function inPlace(
  { server, calls, callKey, signal }: MethodCall,
  start: (signal: AbortSignal) => Promise<ToolResult | InputRequired>,
): Promise<ToolResult | InputRequired> {
  const place = calls.open(server.userId, callKey)
  if (place === null) return failedResult('Too many calls at once.')
  const stop = (): void => place.abort()
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  try {
    return await start(place.signal)
  } finally {
    signal.removeEventListener('abort', stop)
    place.close()
  }
}

const readResource =
  (codeOfUnknown: number): Method =>
  async ({ server }, { uri }) => {
    if (typeof uri !== 'string') throw invalidParams('params.uri must be a string')
    const content = await server.readResource(uri)
    if (content !== null) return { contents: [content] }
    throw new RpcError(codeOfUnknown, 'Resource not found', { data: { uri } })
  }

const withHints =
  (method: Method): Method =>
  async (call, params) => ({ ...(await method(call, params)), ...cacheHints(call.listTtlMs) })

const METHODS_2025: ReadonlyMap<string, Method> = new Map([
  ['initialize', initialize],
  ['ping', async () => ({})],
  ['tools/list', listTools],
  ['tools/call', callTool('2025')],
  ['resources/list', listResources],
  ['resources/read', readResource(RpcCode.resourceNotFound)],
  ['prompts/list', async () => ({ prompts: [] })],
])

const METHODS_2026: ReadonlyMap<string, Method> = new Map([
  ['server/discover', discover],
  ['tools/list', withHints(listTools)],
  ['tools/call', callTool('2026')],
  ['resources/list', withHints(listResources)],
  ['resources/read', withHints(readResource(RpcCode.invalidParams))],
])

function instructionsOf({ instructions }: McpServer): { instructions?: string } {
  return instructions === undefined || instructions === '' ? {} : { instructions }
}

function cacheHints(ttlMs: number): object {
  return { ttlMs, cacheScope: 'private' }
}
