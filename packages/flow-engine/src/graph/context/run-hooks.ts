import type { FlowError } from '../../errors.ts'
import type { TokenUsage } from '../../models/chat-model.ts'
import type { JsonValue } from '../values/format-value.ts'

/** The run that something belongs to (DR-70). */
export interface RunInfo {
  readonly runId: string
  /** Of runs that are jobs. */
  readonly jobId?: string
  readonly flowId: string
  readonly flowName?: string
  /** "" = none. */
  readonly sessionId: string
  readonly userId?: string
  /** Of a child run: the run and the vertex that started it. */
  readonly parentRunId?: string
  readonly parentVertexId?: string
  /** As it was given to the run. */
  readonly requestId?: string
  /** As it was given to the run; kept with a job, wherever it runs. */
  readonly carrier?: Readonly<Record<string, string>>
  /** A job that was begun before: it was answered, woke up, or came from another process. */
  readonly continued?: true
}

/** What went into a vertex or a call and came out of it: JSON, masked. */
export interface HookContent {
  /** Values of the fields, messages of a model, arguments of a tool. */
  readonly input: JsonValue
  /** None where it failed, and of embeddings and requests. */
  readonly output?: JsonValue
}

/** One attempt to build a vertex. */
export interface VertexInfo extends RunInfo {
  readonly vertexId: string
  readonly type: string
  readonly displayName: string
  /** Builds of this vertex in this run, from 1. */
  readonly build: number
  /** Of this build, from 1. */
  readonly attempt: number
  /** Of the outermost loop around the vertex, from 1. */
  readonly pass?: number
}

/** One call that a component makes. */
export interface CallInfo extends VertexInfo {
  /** `request`: a `fetch` that a component makes itself, outside the other kinds. */
  readonly kind: 'model' | 'embedding' | 'tool' | 'mcp' | 'request'
  /** Of the model, tool or function; method and host of a request. */
  readonly name: string
  readonly provider?: string
  readonly model?: string
}

export interface RunEnd {
  /** `suspended`: it waits for an answer or a time; `released`: another process goes on with it. */
  readonly status: 'succeeded' | 'failed' | 'cancelled' | 'suspended' | 'released'
  /** Masked. */
  readonly error?: FlowError
  readonly usage: TokenUsage
  readonly durationMs: number
}

export interface VertexEnd {
  readonly status: 'ok' | 'failed' | 'suspended' | 'cancelled'
  /** Masked. */
  readonly error?: FlowError
  readonly durationMs: number
  readonly usedFrozenResult: boolean
  /** With `content` of the hooks; none of a vertex that did not get its inputs. */
  readonly content?: HookContent
}

export interface CallEnd {
  readonly status: 'ok' | 'failed'
  /** Masked. */
  readonly error?: FlowError
  /** Told here alone. */
  readonly usage?: TokenUsage
  readonly durationMs: number
  /** With `content` of the hooks; none of embeddings and requests. */
  readonly content?: HookContent
}

/** Calls the work within it and gives its result, so that the host's context reaches it (DR-71). */
export type Around = <T>(work: () => T) => T

/**
 * Looks into runs (DR-70). Each start has one end, with the same object; there is a pair for each attempt.
 * What is skipped, restored from a checkpoint or dropped has none. What a hook throws changes no run.
 */
export interface RunHooks {
  /** The ends of vertices and calls have `content`, which costs time and memory; false. */
  readonly content?: boolean
  onRunStart?(run: RunInfo): void
  onRunEnd?(run: RunInfo, end: RunEnd): void
  onVertexStart?(vertex: VertexInfo): void | Around
  onVertexEnd?(vertex: VertexInfo, end: VertexEnd): void
  onCallStart?(call: CallInfo): void | Around
  onCallEnd?(call: CallInfo, end: CallEnd): void
}
