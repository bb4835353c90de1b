import type { RunContext } from '../context/run-context.ts'
import type { RunHooks, RunInfo } from '../context/run-hooks.ts'
import type { RunHost } from '../context/run-host.ts'
import type { RunResult } from '../context/run-options.ts'
import type { RunRequest } from '../context/run-request.ts'
import { RunTeller } from '../context/run-teller.ts'
import type { Secrets } from '../events/secrets.ts'
import type { RunOutcome } from '../results/run-outcome.ts'

/** Creates the hook teller of a run (DR-70). */
export function createTeller(
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
): RunTeller {
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
  return new RunTeller({ hooks, info, now: () => runtime.now().getTime(), secrets, report })
}

/** True if any hook is set: an empty object has no overhead (DR-91). */
export function looksIn(hooks: RunHooks): boolean {
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
export function tellRunEnd(
  { status }: Pick<RunResult, 'status'>,
  { usage, error }: RunOutcome,
  {
    run,
    host,
    rests,
  }: { readonly run: RunContext; readonly host: RunHost; readonly rests: boolean },
): void {
  const { teller } = run
  if (teller === undefined) return
  const isElsewhere = host.mayStart?.() === false
  if (rests || isElsewhere)
    teller.end({ status: rests ? 'suspended' : 'released', usage: { ...usage } })
  else teller.end({ status, usage: { ...usage }, ...(error === undefined ? {} : { error }) })
}
