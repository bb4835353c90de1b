import type { RunRequest } from '../context/run-request.ts'
import type { RunContext } from '../context/run-context.ts'
import type { RunLog } from '../events/run-log.ts'
import type { RunHost } from '../context/run-host.ts'
import type { LazySignal } from '../context/lazy-signal.ts'
import type { Phase } from './phase.ts'

/** Inputs shared by all vertex builds of a run. */
export interface ExecutionOptions {
  readonly request: RunRequest
  readonly run: RunContext
  readonly log: RunLog
  readonly host: RunHost
  /** Aborts running builds. */
  readonly controller: LazySignal
  readonly phase: Phase
}
