import type { JobState } from '@x/flow-engine/store'
import { createEvents, type Events } from '@x/wire'

/** Fields common to all notifications. */
export interface FlowEvent {
  readonly at: Date
  /** The user who caused the event or owns the resource; absent if unknown. */
  readonly userId?: string
  /** Id of the resource named by the event. */
  readonly id: string
}

/** A flow was called as a tool; `id` is the flow id. */
export interface McpCalled extends FlowEvent {
  readonly projectId: string | null
  readonly tool: string
  readonly era: '2025' | '2026'
  /** False if the result is an error. */
  readonly ok: boolean
  readonly durationMs: number
}

/** A flow starts to answer an OpenAI-compatible request; `id` is the response id. */
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

/** By which way a run was started; `job`: by `engine.jobs`. */
export type RunDoor =
  | 'run'
  | 'build'
  | 'public'
  | 'vertex'
  | 'webhook'
  | 'responses'
  | 'chat'
  | 'mcp'
  | 'schedule'
  | 'evaluation'
  | 'job'

/** A stretch of a run; `id` is that of the run, for a job that of the job, in each of its stretches. */
export interface RunEvent extends FlowEvent {
  readonly flowId: string
  readonly flowName?: string
  /** "" = none. */
  readonly sessionId: string
  readonly door: RunDoor
  /** Set for runs that are jobs. */
  readonly jobId?: string
  readonly requestId?: string
  /** The `id` of the run of a flow that called this one. */
  readonly parentId?: string
}

/** A run starts, or goes on after it was suspended or has moved from another process. */
export interface RunStarted extends RunEvent {
  readonly resumed: boolean
}

/** A stretch of a run has ended; exactly one follows each `run.started`. */
export interface RunFinished extends RunEvent {
  /** `suspended`: it waits for an answer or a time, or for another process. */
  readonly status: 'succeeded' | 'failed' | 'cancelled' | 'suspended'
  /** Milliseconds of this stretch. */
  readonly durationMs: number
  /** Tokens of this stretch, if a model has told them. */
  readonly inputTokens?: number
  readonly outputTokens?: number
  /** Masked. */
  readonly error?: {
    readonly code: string
    readonly message: string
    readonly componentId?: string
  }
}

/** Notifications of the flow service, by name. Payloads contain no secrets. */
export interface FlowEvents {
  'user.created': FlowEvent
  'user.updated': FlowEvent
  'user.deactivated': FlowEvent
  'user.deleted': FlowEvent
  'flow.created': FlowEvent
  'flow.updated': FlowEvent
  'flow.deleted': FlowEvent
  'run.started': RunStarted
  'run.finished': RunFinished
  'job.started': FlowEvent & { readonly flowId: string }
  'job.finished': FlowEvent & { readonly flowId: string; readonly state: JobState }
  'message.stored': FlowEvent & { readonly flowId: string | null; readonly sessionId: string }
  'mcp.called': McpCalled
  'response.created': ResponseCreated
  'response.finished': ResponseFinished
  /** `id` is the stream id. */
  'mcp.streamOpened': FlowEvent
  'mcp.streamClosed': FlowEvent
  'apiKey.created': FlowEvent
  'apiKey.deleted': FlowEvent
  /** Emitted once by each process that sees the first use of a key. */
  'apiKey.firstUsed': FlowEvent
  /** `id` is the user id, or "" if the name is unknown. */
  'signIn.failed': FlowEvent & { readonly clientAddress?: string }
}

/** Emits a notification; errors of listeners do not reach the caller. */
export type EmitFlowEvent = <K extends keyof FlowEvents>(name: K, event: FlowEvents[K]) => void

/** Creates the event emitter of an engine. */
export function createFlowEvents(
  onError: (error: unknown, info: { readonly event: string }) => void,
): Events<FlowEvents> {
  return createEvents<FlowEvents>(TYPES, onError)
}

const TYPES: Readonly<Record<keyof FlowEvents, true>> = {
  'user.created': true,
  'user.updated': true,
  'user.deactivated': true,
  'user.deleted': true,
  'flow.created': true,
  'flow.updated': true,
  'flow.deleted': true,
  'run.started': true,
  'run.finished': true,
  'job.started': true,
  'job.finished': true,
  'message.stored': true,
  'mcp.called': true,
  'response.created': true,
  'response.finished': true,
  'mcp.streamOpened': true,
  'mcp.streamClosed': true,
  'apiKey.created': true,
  'apiKey.deleted': true,
  'apiKey.firstUsed': true,
  'signIn.failed': true,
}
