import type {
  ActionRequest,
  JsonSchema,
  QuestionOption,
} from '../../components/define/suspend-options.ts'
import type { SuspendedJson } from '../events/run-event.ts'
import type { PlanVertex } from '../plan/plan-graph.ts'
import type { Secrets } from '../events/secrets.ts'
import type { VertexResult } from './run-options.ts'
import type { SpentBefore } from '../plan/run-budget.ts'
import type { RunSpending } from './run-spending.ts'

/** Callbacks of a host that runs flows durably. All are optional. */
export interface RunHost {
  /** The point at which an earlier process stopped. */
  readonly resume?: ResumePoint | undefined
  /**
   * Called before each vertex. Return false if another process has taken over the run; nothing more starts.
   */
  readonly mayStart?: (() => boolean) | undefined
  /** Called when everything that runs has ended, and what is left was not allowed to start. */
  readonly left?: (() => void) | undefined
  /**
   * Called when a vertex, a step or a loop pass has finished, with the state to store before anything
   * downstream starts. Resolves to false if the state is too large to store.
   */
  readonly checkpoint?: ((vertexId: string, state: string) => Promise<boolean>) | undefined
  /** Called before a step and a tool call, which must not be repeated: what the host holds back is stored then. */
  readonly settle?: (() => Promise<void>) | undefined
  /** Called when a vertex has failed, with the state that keeps it failed in later runs of the job. */
  readonly failed?: ((vertexId: string, state: string) => Promise<void>) | undefined
  /** `ctx.suspend`. */
  readonly suspend?: ((ask: Ask) => Promise<SuspendOutcome>) | undefined
  /** `ctx.sleep` for durations too long to wait in memory. */
  readonly sleep?: ((sleepRequest: SleepRequest) => Promise<'over' | 'suspended'>) | undefined
  /** Called when the run is idle. Returns the question to announce, if it has not been announced yet. */
  readonly rest?: (() => QuestionNotice | undefined) | undefined
  /** Called with the input values of a build, including secrets; the mask is passed to `built`. */
  readonly inputs?:
    | ((vertex: PlanVertex, values: Readonly<Record<string, unknown>>) => void)
    | undefined
  /** Called with each build, for monitoring records. */
  readonly built?: ((build: BuildRecord) => void) | undefined
  /** Id of the job this run belongs to. */
  readonly jobId?: string | undefined
  /** Sends an event with each answer, see `BuildRequest.announceAnswers`. */
  readonly announceAnswers?: boolean | undefined
  /** Set if the job was started earlier. */
  readonly continued?: true | undefined
  /** Called with errors thrown by hooks. */
  readonly report?: ((error: unknown) => void) | undefined
  /** The run and vertex that started this run. */
  readonly parent?: { readonly runId: string; readonly vertexId: string } | undefined
  /** Number of enclosing runs. */
  readonly depth?: number | undefined
  /** Counts the runs nested in the outermost one. */
  readonly nested?: { runs: number } | undefined
  /** Secrets of the parent run, so that both runs mask them. */
  readonly secrets?: Secrets | undefined
  /** What the run has used before, in other processes or before it waited. */
  readonly used?: SpentBefore | undefined
  /** Called after each model call with what the run has used, for those that continue it. Must not reject. */
  readonly spent?: ((used: SpentBefore) => Promise<void>) | undefined
  /** The spending of the parent run, whose budget is that of both. */
  readonly spending?: RunSpending | undefined
}

export interface ResumePoint {
  /** `seq` of the next event. */
  readonly firstSeq: number
  /** Stored states, keyed by vertex id or pass name. */
  readonly checkpoints: ReadonlyMap<string, string>
  /** True if `vertices_sorted` is already in the log. */
  readonly sorted: boolean
  /** Number of `end_vertex` events in the log, by vertex id. */
  readonly reported: ReadonlyMap<string, number>
  /** Ids of messages that the log announced and neither completed nor removed. */
  readonly unfinished?: readonly string[]
}

/** The vertex and pass that asks or sleeps. */
export interface CallPlace {
  readonly vertexId: string
  /** The agent's tool call it belongs to; contains no `?`. */
  readonly scope?: string | undefined
}

/** A question asked by a component, masked and validated. */
export interface Ask extends CallPlace {
  /** Pass of the outermost enclosing loop. */
  readonly pass: number | undefined
  readonly sessionId: string
  /** JSON. */
  readonly question: unknown
  readonly kind: string
  readonly prompt: string | null
  readonly options: readonly QuestionOption[]
  /** The `action_id`s accepted in an answer; empty: any. */
  readonly allowedDecisions: readonly string[]
  readonly actionRequests?: readonly ActionRequest[]
  readonly schema: JsonSchema | null
  readonly expiresInMs?: number
  /** JSON, wrapped in a one-element array. */
  readonly fallback?: readonly [unknown]
}

/** A sleep requested by a component. */
export interface SleepRequest extends CallPlace {
  readonly pass: number | undefined
  /** Index of the sleep within its build, from 1. */
  readonly number: number
  /** Evaluated once for each sleep: a repeated build reuses the first result. */
  readonly until: () => Date
  readonly signal: AbortSignal
}

/** Announces an open question: an event, plus a message if there is a session. */
export interface QuestionNotice {
  readonly event: SuspendedJson
  readonly sessionId: string
  readonly cardId: string
  readonly askedAt: Date
}

export type SuspendOutcome =
  /** @param notice of the question, set for the first run that receives the answer */
  | {
      readonly kind: 'answered'
      readonly answer: unknown
      readonly notice?: QuestionNotice | undefined
    }
  /** @param afterMs time waited */
  | {
      readonly kind: 'expired'
      readonly afterMs: number
      readonly notice?: QuestionNotice | undefined
    }
  /**
   * The question was stored. The vertex sends no event; once the other vertices have finished, the log closes
   * without `end` and the result resolves.
   */
  | { readonly kind: 'suspended' }

export interface BuildRecord {
  readonly vertex: PlanVertex
  readonly result: VertexResult
  /** Masks the run's secrets in stored data. */
  readonly mask: <T>(value: T) => T
}

/** True if there is nothing to restore, store or limit: the common case. */
export function isPlain({ resume, checkpoint }: RunHost): boolean {
  return resume === undefined && checkpoint === undefined
}

/** True if an earlier process has reported the end of this build. */
export function wasReported({ resume }: RunHost, vertexId: string, build: number): boolean {
  return resume !== undefined && build <= (resume.reported.get(vertexId) ?? 0)
}
