import { json } from '@x/wire'
import { IdParams } from '../../wire/scalars.ts'
import type { McpVisit } from '../../services/mcp/mcp-projects.ts'
import { refuse } from '../../refusal.ts'
import { mcpErrorResponse } from '../response/mcp-errors.ts'
import { checkMcpOrigin } from '../access/mcp-gate.ts'
import { anonymous } from '../route/anonymous.ts'
import { discardTooLarge } from '../request/request-body.ts'
import { readVariables } from '../request/run-variables.ts'
import { route, type Call, type Route } from '../route/route.ts'

const projectParams = IdParams('project_id')
const PROJECT = '/api/v1/mcp/project/{project_id}'
/** Clients of the original use either. */
const CALLERS = ['/api/v1/mcp', '/api/mcp']

/** Larger than any body: size limits are reported as JSON-RPC errors. */
const UNLIMITED = Number.MAX_SAFE_INTEGER

const common = {
  auth: 'mcp',
  before: checkMcpOrigin,
  answerError: mcpErrorResponse,
  maxBody: UNLIMITED,
} as const

type AnyCall = Call<{ readonly project_id: string } | undefined, undefined, undefined>

/** Projects as MCP servers, and the server of a caller's own flows. */
export const mcpTransportRoutes: readonly Route[] = [
  ...[`${PROJECT}/streamable`, `${PROJECT}/streamable/`].flatMap((path) => streamable(path, true)),
  ...sse(`${PROJECT}/sse`, true),
  ...[PROJECT, `${PROJECT}/`].map((path) => messages(path, true)),
  ...CALLERS.flatMap((caller) => [
    ...[`${caller}/streamable`, `${caller}/streamable/`].flatMap((path) => streamable(path, false)),
    ...sse(`${caller}/sse`, false),
    messages(`${caller}/`, false),
  ]),
]

function streamable(path: string, ofProject: boolean): Route[] {
  const head = { path, ...common, ...(ofProject ? { params: projectParams } : {}) }
  return [
    exists(path),
    route(
      { ...head, method: 'POST', summary: `${nameOf(ofProject)} (Streamable HTTP)` },
      async (call) => {
        const server = await call.services.mcp.server(visitOf(call))
        await passTooLarge(call)
        return await call.services.mcp.answer(call.request, server, call.bytesWithin)
      },
    ),
  ]
}

function sse(path: string, ofProject: boolean): Route[] {
  const head = { path, ...common, ...(ofProject ? { params: projectParams } : {}) }
  return [
    exists(path),
    route(
      {
        ...head,
        method: 'GET',
        summary: `${nameOf(ofProject)} (HTTP+SSE)`,
        produces: 'text/event-stream',
      },
      async (call) => {
        checkSse(call)
        const { mcp } = call.services
        const server = await mcp.server(visitOf(call))
        const folder = call.url.pathname.replace(/sse$/, '')
        const opened = mcp.openStream(server, (id) => `${folder}?session_id=${id}`)
        return opened ?? json(call.request, { detail: 'Too many open streams' }, { status: 503 })
      },
    ),
  ]
}

function messages(path: string, ofProject: boolean): Route {
  const head = { path, ...common, ...(ofProject ? { params: projectParams } : {}) }
  return route(
    { ...head, method: 'POST', summary: `Messages of ${nameOf(ofProject)}`, status: 202 },
    async (call) => {
      const { mcp } = call.services
      checkSse(call)
      const server = await mcp.server(visitOf(call))
      await passTooLarge(call)
      const id = call.url.searchParams.get('session_id')
      const [status, text] = await mcp.post(call.bytesWithin, server, id)
      return new Response(text, { status, headers: { 'content-type': 'text/plain' } })
    },
  )
}

function nameOf(ofProject: boolean): string {
  return ofProject ? 'MCP server of a project' : 'MCP server of the caller'
}

/** Clients use HEAD to check whether a server exists. */
function exists(path: string): Route {
  const head = { method: 'HEAD', path, summary: 'Exists', auth: 'none' } as const
  return route(head, () => new Response(null, { status: 200 }))
}

/** @throws Refusal 404 */
function checkSse({ services }: AnyCall): void {
  if (services.mcp.settings.sse) return
  throw refuse(404, 'SSE transport is disabled. Use the Streamable HTTP endpoint.')
}

/** A client that is still sending a body that is too large would not see the response. */
async function passTooLarge({ request, services }: AnyCall): Promise<void> {
  const { settings, runtime } = services.mcp
  await discardTooLarge(request, settings.maxBodyBytes, runtime)
}

function visitOf({ caller, params, request, url, services, origin }: AnyCall): McpVisit {
  const { publicUrl, basePath } = services.status.settings
  return {
    caller: caller === anonymous ? null : caller,
    projectId: params?.project_id ?? null,
    variables: readVariables(request.headers),
    origin,
    base: publicUrl === '' ? `${url.origin}${basePath}` : publicUrl,
  }
}
