import type { RunOptions } from '../graph/context/run-options.ts'
import type { FlowDraft } from '../graph/draft/flow-draft.ts'
import type { FlowJson } from '../graph/flow/node-json.ts'
import type { FlowPlan } from '../graph/plan/compile.ts'

/** A build request. Default mode: `build`. */
export interface BuildRequest extends Omit<RunOptions, 'signal'> {
  /** A plan saves compilation; another process that claims the job compiles its flow. */
  flow: FlowJson | FlowPlan
  /** If set, the job fails with this message before anything runs. */
  refused?: string
  /** The job can continue after its process died, and can be suspended. */
  resumable?: boolean
  /**
   * Keeps the checkpoints of a successful resumable job until it is trimmed, for `history` and `forkRun`.
   * Default false. Checkpoints of failed and cancelled jobs are always kept.
   */
  history?: boolean
  /**
   * A resumable job may run for 75 ms before it is stored; a shorter one is stored once, with its end. If its
   * process dies before, it leaves no trace. It is stored before anything that must not be repeated. Only for
   * stores that `createLateStore` made. Default false.
   */
  late?: boolean
  /** False: `BuildJobs.result` gives the outputs only in the process that ran the job. Default true. */
  keepsResult?: boolean
  /** Version number of the flow, stored with the job. */
  flowVersion?: number
  /** One of `lanes`. Default: the ordinary lane. */
  lane?: string
  /** Integer from -10 to 10: among the waiting jobs of its user, those with a higher one go first. Default 0. */
  priority?: number
  /** Maximum duration of the run, in milliseconds. */
  timeoutMs?: number
  /**
   * Maximum time to wait for an answer if the question sets none. Default: the option of all jobs.
   */
  maxSuspendedMs?: number
  /** The log has an event `answered` for each question that was answered or has expired. Default false. */
  announceAnswers?: boolean
  /** JSON stored with the job for the observer. */
  metadata?: Readonly<Record<string, unknown>>
}

/** The argument of `start`, which also accepts drafts. */
export interface StartRequest extends Omit<BuildRequest, 'flow'> {
  /**
   * A draft is captured in its current state, with its components. Another process that claims the
   * job needs them in its own `components`.
   */
  flow: FlowJson | FlowPlan | FlowDraft
  /**
   * Id of the job: 1 to 100 letters, digits, `-` and `_`. One that begins with `once-` is kept for at least 24 h
   * after its end, whatever the retention. Default: a new id.
   */
  id?: string
}
