import type { FlowError } from '../../errors.ts'
import type { TokenUsage } from '../../models/chat-model.ts'
import type { Spent } from '../plan/run-budget.ts'
import type { JsonValue } from '../values/format-value.ts'

/** Identifies the run. */
export interface RunInfo {
  readonly runId: string
  /** Only for runs that are jobs. */
  readonly jobId?: string
  readonly flowId: string
  readonly flowName?: string
  /** "" = none. */
  readonly sessionId: string
  readonly userId?: string
  /** For child runs: the run and vertex that started it. */
  readonly parentRunId?: string
  readonly parentVertexId?: string
  /** As passed to the run. */
  readonly requestId?: string
  /** As passed to the run. Stored with a job, so every process that continues it sees the same value. */
  readonly carrier?: Readonly<Record<string, string>>
  /** Set if the job was started earlier: it was answered, woke up, or moved from another process. */
  readonly continued?: true
}

/** Input and output of a vertex or call, as masked JSON. */
export interface HookContent {
  /** Field values, model messages, or tool arguments. */
  readonly input: JsonValue
  /** Absent on failure, and for embeddings and requests. */
  readonly output?: JsonValue
}

/** One attempt at building a vertex. */
export interface VertexInfo extends RunInfo {
  readonly vertexId: string
  readonly type: string
  readonly displayName: string
  /** Build number of this vertex in this run, from 1. */
  readonly build: number
  /** Attempt number of this build, from 1. */
  readonly attempt: number
  /** Pass number of the outermost enclosing loop, from 1. */
  readonly pass?: number
}

/** A call made by a component. */
export interface CallInfo extends VertexInfo {
  /** `request` is a `fetch` made by the component itself, outside the other kinds. */
  readonly kind: 'model' | 'embedding' | 'tool' | 'mcp' | 'request'
  /** Name of the model, tool or function; for a request its method and host. */
  readonly name: string
  readonly provider?: string
  readonly model?: string
}

export interface RunEnd {
  /** `suspended`: waiting for an answer or a timer. `released`: another process continues the run. */
  readonly status: 'succeeded' | 'failed' | 'cancelled' | 'suspended' | 'released'
  /** Masked. */
  readonly error?: FlowError
  readonly usage: TokenUsage
  /** What the run and the runs within it have used. */
  readonly spent?: Spent
  readonly durationMs: number
}

export interface VertexEnd {
  readonly status: 'ok' | 'failed' | 'suspended' | 'cancelled'
  /** Masked. */
  readonly error?: FlowError
  readonly durationMs: number
  readonly usedFrozenResult: boolean
  /** Present if `content` is enabled, except for vertices that received no inputs. */
  readonly content?: HookContent
}

export interface CallEnd {
  readonly status: 'ok' | 'failed'
  /** Masked. */
  readonly error?: FlowError
  /** Reported only on the run's end. */
  readonly usage?: TokenUsage
  readonly durationMs: number
  /** Present if `content` is enabled, except for embeddings and requests. */
  readonly content?: HookContent
}

/** Runs `work` and returns its result, so that the host's async context applies to it. */
export type Around = <T>(work: () => T) => T

/**
 * Observes runs. Every start is followed by exactly one end with the same info object; each attempt
 * has its own pair. Vertices that are skipped, restored from a checkpoint or dropped are not reported. Errors
 * thrown by a hook do not affect the run.
 */
export interface RunHooks {
  /** Adds `content` to the ends of vertices and calls, which costs time and memory. Default false. */
  readonly content?: boolean
  onRunStart?(run: RunInfo): void
  onRunEnd?(run: RunInfo, end: RunEnd): void
  onVertexStart?(vertex: VertexInfo): void | Around
  onVertexEnd?(vertex: VertexInfo, end: VertexEnd): void
  onCallStart?(call: CallInfo): void | Around
  onCallEnd?(call: CallInfo, end: CallEnd): void
}
