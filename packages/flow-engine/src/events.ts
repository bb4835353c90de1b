import { createEvents, type EventSource } from '@x/wire'

/** Fields of every notification. */
export interface FlowEvent {
  readonly at: Date
  /** The user who caused it or owns it; missing if unknown. */
  readonly userId?: string
  /** Id of the noun in the event's name. */
  readonly id: string
}

/** A flow was called as a tool (MC-104); `id` is that of the flow. */
export interface McpCalled extends FlowEvent {
  readonly projectId: string | null
  readonly tool: string
  readonly era: '2025' | '2026'
  /** False for results that are errors. */
  readonly ok: boolean
  readonly durationMs: number
}

/** A flow answers a client of an OpenAI interface (RS-51); `id` is that of the response. */
export interface ResponseCreated extends FlowEvent {
  readonly flowId: string
  readonly profile: 'compatible' | 'openai' | 'chat'
}

/** The run of a response has ended. */
export interface ResponseFinished extends ResponseCreated {
  readonly status: 'completed' | 'failed' | 'cancelled'
  readonly durationMs: number
  readonly inputTokens: number
  readonly outputTokens: number
}

/** Notifications of the flow service, by name. Payloads hold no secrets. */
export interface FlowEvents {
  'user.created': FlowEvent
  'user.updated': FlowEvent
  'user.deactivated': FlowEvent
  'user.deleted': FlowEvent
  'flow.created': FlowEvent
  'flow.updated': FlowEvent
  'flow.deleted': FlowEvent
  'job.started': FlowEvent & { readonly flowId: string }
  'job.finished': FlowEvent & { readonly flowId: string; readonly state: string }
  'message.stored': FlowEvent & { readonly flowId: string | null; readonly sessionId: string }
  'mcp.called': McpCalled
  'response.created': ResponseCreated
  'response.finished': ResponseFinished
  /** `id` is that of the stream. */
  'mcp.streamOpened': FlowEvent
  'mcp.streamClosed': FlowEvent
  'apiKey.created': FlowEvent
  'apiKey.deleted': FlowEvent
  /** Once in a process that sees the first use of a key. */
  'apiKey.firstUsed': FlowEvent
  /** `id` is the user's id, or the empty text when the name is unknown. */
  'signIn.failed': FlowEvent & { readonly clientAddress?: string }
}

/** Sends a notification; listeners never break the caller. */
export type EmitFlowEvent = <K extends keyof FlowEvents>(name: K, event: FlowEvents[K]) => void

/** The emitter of one engine. */
export function createFlowEvents(onError: (error: unknown) => void): {
  readonly source: EventSource<FlowEvents>
  readonly emit: EmitFlowEvent
} {
  return createEvents<FlowEvents>(onError)
}
