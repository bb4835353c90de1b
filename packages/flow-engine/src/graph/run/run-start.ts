import { createSystemRuntime, type Runtime } from '@x/wire'
import { FlowError, isFlowError } from '../../errors.ts'
import type { RunContext } from '../context/run-context.ts'
import type { RunHost } from '../context/run-host.ts'
import type { RunOptions } from '../context/run-options.ts'
import type { RunRequest } from '../context/run-request.ts'
import { createRunLog, type RunLog } from '../events/run-log.ts'
import { limitsOrDefault } from '../plan/limits.ts'
import type { RunExecution } from './run-execution.ts'

/** For runs without a runtime of their own. */
export const systemRuntime = createSystemRuntime()

/** The state of a run before it starts. A class, not a literal (decision 009). */
export class RunStart {
  readonly host: RunHost
  readonly log: RunLog
  readonly runtime: Runtime
  execution: RunExecution | undefined = undefined
  run: RunContext | undefined = undefined
  request: RunRequest | undefined = undefined
  #id: string | undefined = undefined
  #cancelled: FlowError | undefined = undefined

  constructor({ runtime, limits }: RunOptions, host: RunHost) {
    const { bufferedTokens, eventBytes } = limitsOrDefault(limits)
    this.host = host
    this.log = createRunLog({ bufferedTokens, eventBytes, firstSeq: host.resume?.firstSeq ?? 0 })
    this.runtime = runtime ?? systemRuntime
  }

  /** Created on first use. */
  get id(): string {
    return (this.#id ??= this.runtime.uuid())
  }

  /** May be called before the run has started. */
  get cancelled(): FlowError | undefined {
    return this.#cancelled
  }

  cancel(reason: unknown): void {
    this.#cancelled ??= cancelReason(reason)
    this.execution?.cancel(this.#cancelled)
  }
}

/** The error that ends a run its caller has cancelled. */
export function cancelReason(reason: unknown): FlowError {
  if (isFlowError(reason)) return reason
  return new FlowError('cancelled', 'The run was cancelled', { cause: reason })
}
