import type { Runtime } from '@x/wire'
import type { ComponentRegistry } from '../../components/registry/registry.ts'
import type { RetryOptions } from '../../components/define/retry-policy.ts'
import type { ComponentServices, MessageRecord } from '../../components/define/services.ts'
import type { FlowError } from '../../errors.ts'
import type { ResultCache } from './cache.ts'
import type { CountTokens } from './estimate-input.ts'
import type { Prices } from './prices.ts'
import type { RunBudget, Spent } from '../plan/run-budget.ts'
import type { RunHooks } from './run-hooks.ts'
import type { RunLimits } from '../plan/limits.ts'
import type { FlowProblem } from '../flow/problems.ts'
import type { OutputRef } from '../draft/flow-draft.ts'
import type { RunEvent } from '../events/run-event.ts'

/** Options that can differ between runs of the same flow. */
export interface RunOptions {
  /** Required when a flow is passed instead of a plan. A draft adds its own components. */
  components?: ComponentRegistry | undefined
  /** Default: the plan's setting, or `default`. */
  compat?: 'strict' | 'default' | undefined
  /** Default `run`. */
  mode?: 'run' | 'build' | undefined
  input?: string | RunInput | undefined
  /** Selects the vertices that are reported. Default `chat`. */
  outputType?: 'chat' | 'text' | 'any' | 'debug' | undefined
  /** Id or display name; takes precedence over `outputType`. */
  outputComponent?: string | undefined
  /** Default: the flow id. "" means no session: no messages are stored. */
  sessionId?: string | undefined
  /** Default: `flow.id`, else a new UUID. */
  flowId?: string | undefined
  flowName?: string | undefined
  userId?: string | undefined
  tweaks?: Tweaks | undefined
  /**
   * Field values for this run. They override tweaks, and the field must not be fed by an edge.
   * Unknown fields and vertices are errors.
   */
  inputs?: NamedInputs | undefined
  /** Initial content of `ctx.shared`. */
  context?: Record<string, unknown> | undefined
  /**
   * Vertices (id or display name) whose values the result retains in full; `outputs`: every output vertex.
   * Default: the reported ones.
   */
  keep?: readonly string[] | 'outputs' | undefined
  /** Request variables; they override stored ones. */
  variables?: Record<string, string> | undefined
  stopComponentId?: string | undefined
  startComponentId?: string | undefined
  /** Sets every `stream` field, unless `tweaks.stream` is given. Default: as the templates say. */
  stream?: boolean | undefined
  /**
   * Agents also send whitespace-only tokens, so that the tokens concatenate to the full text. Default false.
   */
  blankTokens?: boolean | undefined
  /** Sends events `reasoning` with what models think before they answer, where providers stream it. Default false. */
  reasoning?: boolean | undefined
  /** Maximum number of vertices built concurrently, at least 1. Default: unlimited. */
  concurrency?: number | undefined
  /** Maximum number of concurrent passes of each loop, 1 to 1,000. Default 1. */
  parallel?: number | undefined
  /** Retry policy for failing vertices. In a stored job `when` is not available. */
  retry?: RetryOptions | undefined
  services?: ComponentServices | undefined
  /**
   * Lets components reach private addresses, for tests. Default false. Has no effect if
   * `services.fetch` is given.
   */
  allowPrivate?: boolean | undefined
  /** Cache of the results of frozen vertices. Default: none. */
  cache?: ResultCache | undefined
  runtime?: Runtime | undefined
  /** Observes the run. */
  hooks?: RunHooks | undefined
  /** Passed to the hooks unchanged and stored with a job; at most 1 KiB of JSON. */
  carrier?: Readonly<Record<string, string>> | undefined
  /** Passed to the hooks like `carrier`; at most 1 KiB. */
  requestId?: string | undefined
  signal?: AbortSignal | undefined
  limits?: Partial<RunLimits> | undefined
  /** What the run may use, with all runs within it. Default: that of the plan, else no limit. */
  budget?: RunBudget | undefined
  /** Prices of models, for budgets in money and `result.spent.money`. Default: none. */
  prices?: Prices | undefined
  /** Counts the tokens of a request before it is made. Default: a token for three bytes. */
  countTokens?: CountTokens | undefined
}

export interface RunInput {
  /** null is read as ""; undefined: no input. */
  value?: string | null | undefined
  /** Default `chat` in mode `run`, `any` in mode `build`. */
  type?: 'chat' | 'text' | 'any' | undefined
  /** Ids or display names of the vertices that receive the value; empty: all input vertices. */
  components?: readonly string[] | undefined
  files?: readonly string[] | undefined
}

/** Values by node and field, or by field for all nodes. */
export type Tweaks = { readonly [nodeOrField: string]: unknown }

/** Values by vertex (id, else display name) and field: edge values or JSON. */
export interface NamedInputs {
  readonly [vertex: string]: { readonly [field: string]: unknown }
}

/**
 * A started run. Supports any number of readers; each one starts at the first event, even after the run has
 * ended.
 */
export interface FlowRun extends AsyncIterable<RunEvent> {
  readonly id: string
  /**
   * The text of `result.text()` as it arrives, or the whole text at once if nothing streams. Supports any
   * number of readers, also after the end. Throws the run's error after the last chunk. Chunks of a message
   * that is later withdrawn are not retracted; the replacement text follows.
   */
  readonly textStream: AsyncIterable<string>
  /** Resolves for finished, failed and cancelled runs; rejects only if nothing could be started. */
  readonly result: Promise<RunResult>
  /** Idempotent; equivalent to aborting `signal`. */
  cancel(reason?: unknown): void
}

export interface RunResult {
  status: 'succeeded' | 'failed' | 'cancelled'
  sessionId: string
  flowId: string
  /** Selected results, in node order. */
  outputs: VertexResult[]
  /** The last build of every vertex that was built, in order of first build. */
  vertices: ReadonlyMap<string, VertexResult>
  /** The first failure, the exceeded limit, or the reason for the cancellation. */
  error?: FlowError | undefined
  /** Vertices that were still waiting for a cycle when the run ended, in node order. */
  stalled: string[]
  warnings: FlowProblem[]
  /** Messages stored by this run, in order and in their current state, without removed ones. */
  messages: MessageRecord[]
  usage: { inputTokens: number; outputTokens: number }
  /** Token usage by id of the vertex that created the model; contains only vertices with usage. */
  vertexUsage: ReadonlyMap<string, { inputTokens: number; outputTokens: number }>
  durationMs: number
  /** What the run and the runs within it have used. */
  spent: Spent
  /** Text of the given vertex (id or display name), else of the first entry of `outputs` that has one. */
  text(component?: string): string | undefined
  /**
   * The value of an output. Undefined if it was not computed, was released (see `keep`), or if the
   * result was rebuilt from a log.
   * @param vertex id, else display name
   * @param name of the output; default: the only computed one
   * @throws FlowError `invalid_request` if `name` is omitted and several outputs were computed
   */
  output(vertex: string, name?: string): unknown
  /** The same, for an output of a draft's node, with its type. */
  output<T>(ref: OutputRef<T>): T | undefined
}

export interface VertexResult {
  id: string
  type: string
  displayName: string
  valid: boolean
  /**
   * Values of the computed outputs; the object has no prototype. Values over 4 KiB of vertices that were not
   * selected are released once their last reader has run.
   */
  outputs: { readonly [name: string]: unknown }
  error?: FlowError | undefined
  usedFrozenResult: boolean
  builds: number
  /** Number of attempts of the last build. */
  attempts: number
  durationMs: number
}
