import type { Runtime } from '@x/wire'
import { createCalls } from '../../mcp/calls.ts'
import type { McpServer } from '../../mcp/mcp-server.ts'
import type { ReadBytes } from '../../mcp/message-text.ts'
import type { ResolvedMcpOptions } from '../../mcp/mcp-options.ts'
import { createSseSessions } from '../../mcp/sse-sessions.ts'
import { answerStreamable } from '../../mcp/streamable-http.ts'
import type { ServiceDependencies } from '../base/dependencies.ts'
import type { McpProjects, McpVisit } from './mcp-projects.ts'

/** The MCP transports for the service's projects. */
export interface McpTransport {
  readonly settings: ResolvedMcpOptions
  readonly runtime: Runtime
  /**
   * The server for one request.
   * @throws Refusal 404
   */
  server(visit: McpVisit): Promise<McpServer>
  /**
   * Handles a Streamable HTTP POST.
   * @param read reads the body; its Refusals are passed on
   */
  answer(request: Request, server: McpServer, read: ReadBytes): Promise<Response>
  /** Opens an HTTP+SSE stream; null if too many are open. */
  openStream(server: McpServer, endpointOf: (id: string) => string): Response | null
  /**
   * Accepts a message for an open stream; returns status and body text of the response.
   * @param read reads the body; its Refusals are passed on
   */
  post(read: ReadBytes, server: McpServer, id: string | null): Promise<readonly [number, string]>
  /** Ends all calls and streams of a user. */
  closeUser(userId: string): void
  close(): void
}

export function createMcpTransport(
  { runtime, report, emit }: Pick<ServiceDependencies, 'runtime' | 'report' | 'emit'>,
  projects: McpProjects,
  settings: ResolvedMcpOptions,
): McpTransport {
  const { maxBodyBytes, listTtlMs } = settings
  const calls = createCalls(settings.maxCalls)
  const emitter =
    (name: 'mcp.streamOpened' | 'mcp.streamClosed') =>
    ({ userId }: McpServer, id: string): void =>
      emit(name, { at: runtime.now(), userId, id })
  const sessions = createSseSessions({
    calls,
    runtime,
    maxBodyBytes,
    maxSessions: settings.maxSseSessions,
    report,
    opened: emitter('mcp.streamOpened'),
    closed: emitter('mcp.streamClosed'),
  })
  return {
    settings,
    runtime,
    server: (visit) => projects.open(visit),
    answer: (request, server, read) =>
      answerStreamable(request, server, {
        calls,
        runtime,
        maxBodyBytes,
        listTtlMs,
        report,
        read,
      }),
    openStream: (server, endpointOf) => sessions.open(server, endpointOf),
    post: (read, server, id) => sessions.post(read, server, id),
    closeUser(userId) {
      calls.cancelUser(userId)
      sessions.closeUser(userId)
    },
    close: () => sessions.close(),
  }
}
