import type { Runtime } from '@x/wire'
import type { ComponentRegistry } from '../../components/registry/registry.ts'
import type { RetryOptions } from '../../components/define/retry-policy.ts'
import type { ComponentServices, MessageRecord } from '../../components/define/services.ts'
import type { FlowError } from '../../errors.ts'
import type { ResultCache } from './cache.ts'
import type { RunHooks } from './run-hooks.ts'
import type { RunLimits } from '../plan/limits.ts'
import type { FlowProblem } from '../flow/problems.ts'
import type { OutputRef } from '../draft/flow-draft.ts'
import type { RunEvent } from '../events/run-event.ts'

/** Options that may differ between two runs of the same flow. */
export interface RunOptions {
  /** Needed when a flow is given instead of a plan; a draft brings its own beside them. */
  components?: ComponentRegistry | undefined
  /** Default `default`; with a plan the plan's (FE-30). */
  compat?: 'strict' | 'default' | undefined
  /** Default `run` (FE-17). */
  mode?: 'run' | 'build' | undefined
  input?: string | RunInput | undefined
  /** Which vertices are reported (FE-26). Default `chat`. */
  outputType?: 'chat' | 'text' | 'any' | 'debug' | undefined
  /** Id or display name; wins over `outputType`. */
  outputComponent?: string | undefined
  /** Default: the flow id. "" = no session: nothing is stored (FE-22). */
  sessionId?: string | undefined
  /** Default: `flow.id`, else a new UUID. */
  flowId?: string | undefined
  flowName?: string | undefined
  userId?: string | undefined
  tweaks?: Tweaks | undefined
  /**
   * Values of fields for this run: stronger than tweaks, and no edge may feed the field (DR-76). A field or
   * vertex that does not exist is an error.
   */
  inputs?: NamedInputs | undefined
  /** The first content of `ctx.shared`. */
  context?: Record<string, unknown> | undefined
  /**
   * Vertices, by id or display name, whose values stay whole in the result; `outputs`: every output vertex.
   * Default: those that are reported (FE-16).
   */
  keep?: readonly string[] | 'outputs' | undefined
  /** Variables of this request; they win over stored ones (FE-20). */
  variables?: Record<string, string> | undefined
  stopComponentId?: string | undefined
  startComponentId?: string | undefined
  /** Sets every `stream` field, unless `tweaks.stream` is given; undefined = templates decide. */
  stream?: boolean | undefined
  /** Agents send pieces that are blanks alone too, so that the pieces are the whole text; false. */
  blankTokens?: boolean | undefined
  /** Vertices at once, at least 1. Default: no bound. */
  concurrency?: number | undefined
  /** Passes of each loop at once, 1 to 1,000 (FE-32). Default 1: one after the other. */
  parallel?: number | undefined
  /** Retries of failing vertices (DR-50); in a stored job without `when`. */
  retry?: RetryOptions | undefined
  services?: ComponentServices | undefined
  /**
   * Components may reach private addresses, for tests (AB-43); false. Without effect when
   * `services.fetch` is given, which decides for itself.
   */
  allowPrivate?: boolean | undefined
  /** Cache of the results of frozen vertices (FE-33). Default: none. */
  cache?: ResultCache | undefined
  runtime?: Runtime | undefined
  /** Looks into the run (DR-70). */
  hooks?: RunHooks | undefined
  /** Given to the hooks unchanged, and kept with a job; at most 1 KiB of JSON. */
  carrier?: Readonly<Record<string, string>> | undefined
  /** The same, at most 1 KiB. */
  requestId?: string | undefined
  signal?: AbortSignal | undefined
  limits?: Partial<RunLimits> | undefined
}

export interface RunInput {
  /** null = "", undefined = no input. */
  value?: string | null | undefined
  /** Default `chat` in mode `run`, `any` in mode `build`. */
  type?: 'chat' | 'text' | 'any' | undefined
  /** Ids or display names of the vertices that take the value; empty = all. */
  components?: readonly string[] | undefined
  files?: readonly string[] | undefined
}

/** Values by node and field, or by field for all nodes (FE-23). */
export type Tweaks = { readonly [nodeOrField: string]: unknown }

/** Values by vertex (id, else display name) and field: any value of an edge, or JSON. */
export interface NamedInputs {
  readonly [vertex: string]: { readonly [field: string]: unknown }
}

/** A run that has been started. Any number of readers, each from the first event, also after the end. */
export interface FlowRun extends AsyncIterable<RunEvent> {
  readonly id: string
  /**
   * The pieces of the text that `result.text()` gives, as they come; the whole text at once where nothing
   * streams. Any number of readers, also after the end. Throws the run's error after the pieces. Pieces of
   * a message that is withdrawn stay given, then the new text follows (DR-75).
   */
  readonly textStream: AsyncIterable<string>
  /** Resolves for finished, failed and cancelled runs; rejects only when nothing was started (FE-18). */
  readonly result: Promise<RunResult>
  /** Idempotent; the same as aborting `signal`. */
  cancel(reason?: unknown): void
}

export interface RunResult {
  status: 'succeeded' | 'failed' | 'cancelled'
  sessionId: string
  flowId: string
  /** Selected by FE-26, in node order. */
  outputs: VertexResult[]
  /** Every vertex that was built, its last build; in order of first build. */
  vertices: ReadonlyMap<string, VertexResult>
  /** The first failure, or the limit or the reason of the cancel. */
  error?: FlowError | undefined
  /** Vertices that were left waiting for a cycle (FE-15), in node order. */
  stalled: string[]
  warnings: FlowProblem[]
  /** Messages this run stored, in order, as they are now; removed ones are left out. */
  messages: MessageRecord[]
  usage: { inputTokens: number; outputTokens: number }
  /** The same by the id of the vertex that made the model; only those that used any. */
  vertexUsage: ReadonlyMap<string, { inputTokens: number; outputTokens: number }>
  durationMs: number
  /** Text of that vertex (id or display name), else of the first of `outputs` that has one. */
  text(component?: string): string | undefined
  /**
   * The value of an output; undefined when it was not computed, was let go (FE-16, see `keep`), or the result
   * was rebuilt from a log (DR-77).
   * @param vertex id, else display name
   * @param name of the output; default: the only computed one
   * @throws FlowError `invalid_request` without a name, when several were computed
   */
  output(vertex: string, name?: string): unknown
  /** The same, by the output of a draft's node, with its type (DR-78). */
  output<T>(ref: OutputRef<T>): T | undefined
}

export interface VertexResult {
  id: string
  type: string
  displayName: string
  valid: boolean
  /**
   * Values of the outputs that were computed; no prototype. Values over 4 KiB of vertices that were
   * not selected are let go once their last reader has run (FE-16).
   */
  outputs: { readonly [name: string]: unknown }
  error?: FlowError | undefined
  usedFrozenResult: boolean
  builds: number
  /** Attempts of the last build (DR-50). */
  attempts: number
  durationMs: number
}
