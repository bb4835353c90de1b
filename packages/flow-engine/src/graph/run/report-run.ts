import type { RunContext } from '../context/run-context.ts'
import type { RunHooks, RunInfo } from '../context/run-hooks.ts'
import type { RunHost } from '../context/run-host.ts'
import type { RunResult } from '../context/run-options.ts'
import type { RunRequest } from '../context/run-request.ts'
import { RunReporter } from '../context/run-reporter.ts'
import type { Secrets } from '../events/secrets.ts'
import type { RunOutcome } from '../results/run-outcome.ts'

/** Creates the hook reporter of a run. */
export function createRunReporter(
  hooks: RunHooks,
  request: RunRequest,
  {
    host,
    runId,
    secrets,
  }: {
    readonly host: RunHost
    readonly runId: string
    readonly secrets: Pick<Secrets, 'mask' | 'maskJson'>
  },
): RunReporter {
  const { jobId, parent, continued, report = () => undefined } = host
  const { flowId, flowName, sessionId, runtime } = request
  const { userId, requestId, carrier } = request.options
  const info: RunInfo = {
    runId,
    flowId,
    sessionId,
    ...(jobId === undefined ? {} : { jobId }),
    ...(flowName === undefined ? {} : { flowName }),
    ...(userId === undefined ? {} : { userId }),
    ...(parent && { parentRunId: parent.runId, parentVertexId: parent.vertexId }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(carrier === undefined ? {} : { carrier }),
    ...(continued === undefined ? {} : { continued }),
  }
  return new RunReporter({ hooks, info, now: () => runtime.now().getTime(), secrets, report })
}

/** True if any hook is set: an empty object has no overhead. */
export function isObserved(hooks: RunHooks): boolean {
  return (
    hooks.onVertexStart !== undefined ||
    hooks.onVertexEnd !== undefined ||
    hooks.onCallStart !== undefined ||
    hooks.onCallEnd !== undefined ||
    hooks.onRunStart !== undefined ||
    hooks.onRunEnd !== undefined
  )
}

/** @param rests true if the run waits for an answer or a timer */
export function reportRunEnd(
  { status, spent }: Pick<RunResult, 'status' | 'spent'>,
  { usage, error }: RunOutcome,
  {
    run,
    host,
    rests,
  }: { readonly run: RunContext; readonly host: RunHost; readonly rests: boolean },
): void {
  const { reporter } = run
  if (reporter === undefined) return
  const isElsewhere = host.mayStart?.() === false
  const used = { usage: { ...usage }, spent }
  if (rests || isElsewhere) reporter.end({ status: rests ? 'suspended' : 'released', ...used })
  else reporter.end({ status, ...used, ...(error === undefined ? {} : { error }) })
}
