import type {
  ActionRequest,
  JsonSchema,
  QuestionOption,
} from '../../components/define/suspend-options.ts'
import type { SuspendedJson } from '../events/run-event.ts'
import type { PlanVertex } from '../plan/plan-graph.ts'
import type { Secrets } from '../events/secrets.ts'
import type { VertexResult } from './run-options.ts'

/** Hooks of a host of durable runs (FE-63, FE-63a); all optional. */
export interface RunHost {
  /** The point at which an earlier process stopped. */
  readonly resume?: ResumePoint | undefined
  /** Asked before each vertex; false when another process goes on with the run: nothing starts any more. */
  readonly mayStart?: (() => boolean) | undefined
  /**
   * A vertex, a step, or a pass of a loop, has finished: its state, to be kept before anything behind it
   * starts. False when it is too large to be kept (DR-19).
   */
  readonly checkpoint?: ((vertexId: string, state: string) => Promise<boolean>) | undefined
  /** A vertex has failed: its state, which keeps it failed in later runs of the job (DR-2). */
  readonly failed?: ((vertexId: string, state: string) => Promise<void>) | undefined
  /** `ctx.suspend`. */
  readonly suspend?: ((ask: Ask) => Promise<SuspendOutcome>) | undefined
  /** `ctx.sleep` of a time that is too long to be waited for in memory. */
  readonly sleep?: ((nap: Nap) => Promise<'over' | 'suspended'>) | undefined
  /** Called when the run is at rest: the question that is to be told, unless it was told before. */
  readonly rest?: (() => QuestionNotice | undefined) | undefined
  /** Called with the input values of a build, secrets included; `built` gives the mask. */
  readonly inputs?:
    ((vertex: PlanVertex, values: Readonly<Record<string, unknown>>) => void) | undefined
  /** Called with each build, for the records of a monitor. */
  readonly built?: ((build: BuildRecord) => void) | undefined
  /** Of the job that the run is. */
  readonly jobId?: string | undefined
  /** The job was begun before. */
  readonly continued?: true | undefined
  /** Told of what hooks throw. */
  readonly report?: ((error: unknown) => void) | undefined
  /** The run and the vertex that started this one. */
  readonly parent?: { readonly runId: string; readonly vertexId: string } | undefined
  /** Runs around this one. */
  readonly depth?: number | undefined
  /** Counts the runs within the outermost one. */
  readonly nested?: { runs: number } | undefined
  /** Those of the run around this one: what one knows the other hides (FE-65). */
  readonly secrets?: Secrets | undefined
}

export interface ResumePoint {
  /** Number of the next event. */
  readonly firstSeq: number
  /** States by the names they were kept under: ids of vertices, and of passes. */
  readonly checkpoints: ReadonlyMap<string, string>
  /** `vertices_sorted` is in the log. */
  readonly sorted: boolean
  /** Number of `end_vertex` events in the log, by vertex id. */
  readonly reported: ReadonlyMap<string, number>
}

/** The vertex and pass that asks or sleeps. */
export interface CallPlace {
  readonly vertexId: string
  /** The tool call of an agent that it belongs to; without `?` (DR-40). */
  readonly scope?: string | undefined
}

/** A question of a component, masked and checked. */
export interface Ask extends CallPlace {
  /** Pass of the outermost loop around the vertex. */
  readonly pass: number | undefined
  readonly sessionId: string
  /** JSON. */
  readonly question: unknown
  readonly kind: string
  readonly prompt: string | null
  readonly options: readonly QuestionOption[]
  /** The `action_id`s an answer may have; empty = any answer. */
  readonly allowedDecisions: readonly string[]
  readonly actionRequests?: readonly ActionRequest[]
  readonly schema: JsonSchema | null
  readonly expiresInMs?: number
  /** JSON, in a list of one. */
  readonly fallback?: readonly [unknown]
}

/** A sleep of a component. */
export interface Nap extends CallPlace {
  readonly pass: number | undefined
  /** Counts the sleeps of a build, from 1. */
  readonly number: number
  /** Asked once for each sleep: a repeated build keeps the first answer. */
  readonly until: () => Date
  readonly signal: AbortSignal
}

/**
 * The announcement of an open question: an event, and a message if there is a session (DR-32, DR-42).
 */
export interface QuestionNotice {
  readonly event: SuspendedJson
  readonly sessionId: string
  readonly cardId: string
  readonly askedAt: Date
}

export type SuspendOutcome =
  /** @param notice of the question, when this run is the first that is given the answer */
  | {
      readonly kind: 'answered'
      readonly answer: unknown
      readonly notice?: QuestionNotice | undefined
    }
  /** @param afterMs how long it waited */
  | {
      readonly kind: 'expired'
      readonly afterMs: number
      readonly notice?: QuestionNotice | undefined
    }
  /**
   * The question was kept: the vertex gives no event; when the others have finished, the run's log
   * closes without `end` and its result resolves.
   */
  | { readonly kind: 'suspended' }

export interface BuildRecord {
  readonly vertex: PlanVertex
  readonly result: VertexResult
  /** Hides the run's secrets in what is stored of it (FE-65). */
  readonly mask: <T>(value: T) => T
}

/** Nothing to restore, to keep or to bound: the common case. */
export function isPlain({ resume, checkpoint }: RunHost): boolean {
  return resume === undefined && checkpoint === undefined
}

/** Tells whether an earlier process has reported the end of this build. */
export function wasReported({ resume }: RunHost, vertexId: string, build: number): boolean {
  return resume !== undefined && build <= (resume.reported.get(vertexId) ?? 0)
}
