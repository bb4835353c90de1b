import { createEvents, type EventSource } from '@x/wire'

/** What all notifications say. */
export interface FlowEvent {
  readonly at: Date
  /** Who caused it or owns it; absent where nobody is known. */
  readonly userId?: string
  /** Of the noun in the event's name. */
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
  /** `id` is that of the stream. */
  'mcp.streamOpened': FlowEvent
  'mcp.streamClosed': FlowEvent
  'apiKey.created': FlowEvent
  'apiKey.deleted': FlowEvent
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
