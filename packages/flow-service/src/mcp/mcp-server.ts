import type { InputSchema } from './input-schema.ts'
import type { Progress } from './progress.ts'
import type { InputRequired, ToolResult } from './tool-result.ts'

/** The two protocol eras served at the same URL. */
export type Era = '2025' | '2026'

/** The server's self-description. */
export interface ServerInfo {
  readonly name: string
  readonly title: string
  readonly version: string
}

/** A tool as it appears in the list. */
export interface ListedTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: InputSchema
  readonly annotations?: ToolAnnotations
}

/** Hints for clients; see `ToolAnnotations` in the MCP specification. */
export interface ToolAnnotations {
  readonly title?: string
  readonly readOnlyHint?: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
  readonly openWorldHint?: boolean
}

/** A flow that is enabled but cannot be called. */
export interface ExcludedFlow {
  readonly flow_id: string
  readonly tool_name: string
  readonly reason: string
}

export interface ToolList {
  readonly tools: readonly ListedTool[]
  readonly excluded: readonly ExcludedFlow[]
}

/** A file as it appears in the list. */
export interface ListedResource {
  readonly uri: string
  readonly name: string
  readonly description?: string
  readonly mimeType?: string
}

/** The content of a file: text, or base64-encoded bytes. */
export type ResourceContent = { readonly uri: string; readonly mimeType?: string } & (
  | { readonly text: string }
  | { readonly blob: string }
)

/** The answer of a client's user, and the call it belongs to. */
export interface ElicitedAnswer {
  readonly requestState: string
  /** Submitted forms, by the names they were requested under. */
  readonly inputResponses: Readonly<Record<string, unknown>>
}

export interface McpToolCall {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
  readonly era: Era
  readonly signal: AbortSignal
  /** True if the client can show a flow's questions to its user. */
  readonly elicits: boolean
  /** Present if the call continues a run that has asked a question. */
  readonly answer?: ElicitedAnswer | undefined
  /** Called with the progress of the run, if the client requests it. */
  readonly progress?: ((progress: Progress) => void) | undefined
}

/** The MCP server one caller sees at one URL. */
export interface McpServer {
  readonly info: ServerInfo
  readonly instructions?: string | undefined
  /** The user these calls are counted for. */
  readonly userId: string
  /** Identifies server and caller among the running calls. */
  readonly scope: string
  listTools(): Promise<ToolList>
  /**
   * Runs a tool; failures of the run are returned as results.
   * @throws RpcError -32602 for an unlisted name or an invalid state
   */
  callTool(call: McpToolCall): Promise<ToolResult | InputRequired>
  listResources(): Promise<readonly ListedResource[]>
  /**
   * Null for a URI that is not listed.
   * @throws RpcError -32602 if the file is too large
   */
  readResource(uri: string): Promise<ResourceContent | null>
}
