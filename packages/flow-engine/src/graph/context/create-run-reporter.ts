import type { Runtime } from '@x/wire'
import type { Secrets } from '../events/secrets.ts'
import type { RunHooks, RunInfo } from './run-hooks.ts'
import type { RunHost } from './run-host.ts'
import type { RunOptions } from './run-options.ts'
import { RunReporter } from './run-reporter.ts'

interface ObservedRun {
  readonly runtime: Runtime
  readonly id: string
  readonly flowId: string
  readonly flowName: string | undefined
  readonly sessionId: string
  readonly options: RunOptions
  readonly host: RunHost
  readonly knownSecrets: Secrets | undefined
}

/** Calls the hooks of a run. Undefined if none is set: an empty object has no overhead. */
export function createRunReporter(run: ObservedRun): RunReporter | undefined {
  const { hooks, userId, requestId, carrier } = run.options
  if (hooks === undefined || !isObserved(hooks)) return undefined
  const { jobId, parent, continued, report = () => undefined } = run.host
  const { flowId, flowName, sessionId, runtime } = run
  const info: RunInfo = {
    runId: run.id,
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
  const secrets = {
    mask: (text: string): string => run.knownSecrets?.mask(text) ?? text,
    maskJson: <T>(value: T): T => run.knownSecrets?.maskJson(value) ?? value,
  }
  return new RunReporter({ hooks, info, now: () => runtime.now().getTime(), secrets, report })
}

function isObserved(hooks: RunHooks): boolean {
  return (
    hooks.onVertexStart !== undefined ||
    hooks.onVertexEnd !== undefined ||
    hooks.onCallStart !== undefined ||
    hooks.onCallEnd !== undefined ||
    hooks.onRunStart !== undefined ||
    hooks.onRunEnd !== undefined
  )
}
