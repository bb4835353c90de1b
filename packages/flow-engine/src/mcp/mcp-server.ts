import type { InputSchema } from './input-schema.ts'
import type { Progress } from './progress.ts'
import type { InputRequired, ToolResult } from './tool-result.ts'

/** The two eras of the protocol that one address serves. */
export type Era = '2025' | '2026'

/** The server's description of itself. */
export interface ServerInfo {
  readonly name: string
  readonly title: string
  readonly version: string
}

/** A tool as it is listed. */
export interface ListedTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: InputSchema
  readonly annotations?: ToolAnnotations
}

/** Hints for clients; see the MCP specification, `ToolAnnotations`. */
export interface ToolAnnotations {
  readonly title?: string
  readonly readOnlyHint?: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
  readonly openWorldHint?: boolean
}

/** A flow that is switched on and cannot be called (MC-17, MC-18). */
export interface ExcludedFlow {
  readonly flow_id: string
  readonly tool_name: string
  readonly reason: string
}

export interface ToolList {
  readonly tools: readonly ListedTool[]
  readonly excluded: readonly ExcludedFlow[]
}

/** A file as it is listed. */
export interface ListedResource {
  readonly uri: string
  readonly name: string
  readonly description?: string
  readonly mimeType?: string
}

/** The content of a file: text, or bytes as base64. */
export type ResourceContent = { readonly uri: string; readonly mimeType?: string } & (
  { readonly text: string } | { readonly blob: string }
)

/** The answer of a client's user, and the call that it belongs to (MC-29). */
export interface ElicitedAnswer {
  readonly requestState: string
  /** Results of the forms, by the names that they were asked under. */
  readonly inputResponses: Readonly<Record<string, unknown>>
}

export interface ToolCall {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
  readonly era: Era
  readonly signal: AbortSignal
  /** True if the client asks its user the questions of a flow. */
  readonly elicits: boolean
  /** Present when the call goes on with a run that has asked. */
  readonly answer?: ElicitedAnswer | undefined
  /** Called with the progress of the run, if the client asks for it. */
  readonly progress?: ((progress: Progress) => void) | undefined
}

/** The MCP server that one caller sees at one address. */
export interface McpServer {
  readonly info: ServerInfo
  readonly instructions?: string | undefined
  /** The caller that limits count these calls for. */
  readonly userId: string
  /** Names server and caller among the calls in flight. */
  readonly scope: string
  listTools(): Promise<ToolList>
  /**
   * Runs a tool; failures of the run are results.
   * @throws RpcError -32602 for a name that is not listed, and a state that goes on with nothing
   */
  callTool(call: ToolCall): Promise<ToolResult | InputRequired>
  listResources(): Promise<readonly ListedResource[]>
  /**
   * Null for every address that is not listed.
   * @throws RpcError -32602 for a file that is too large
   */
  readResource(uri: string): Promise<ResourceContent | null>
}
