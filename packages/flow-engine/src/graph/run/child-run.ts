import type { ChildRunOptions } from '../../components/define/context.ts'
import { limitExceeded } from '../../errors.ts'
import type { CheckedRun } from '../context/checked-run.ts'
import type { ChildPlace } from '../context/run-context.ts'
import type { RunHost } from '../context/run-host.ts'
import type { FlowRun, RunOptions, RunResult } from '../context/run-options.ts'
import type { FlowJson } from '../flow/flow-json.ts'
import type { SendEvent } from '../messages/message-log.ts'

/** Maximum nesting depth of runs. */
const MAX_DEPTH = 8
/** Maximum number of runs nested in one, at all depths. */
const MAX_NESTED = 1000

/** Starts a run for a durable host: `startRun` of run.ts, which imports this file. */
export type StartRun = (flow: unknown, options: RunOptions, host: RunHost) => FlowRun

export interface ChildRun extends ChildPlace {
  readonly startRun: StartRun
  readonly child: ChildRunOptions
  readonly nested: { runs: number }
}

/** Starts a child run with the same services and signal; it has its own events. */
export async function runChild(
  outer: CheckedRun,
  flow: FlowJson,
  { startRun, child, nested, vertexId, signal }: ChildRun,
): Promise<RunResult> {
  const { host, options, limits, sessionId, runtime, secrets, spending } = outer
  const depth = (host.depth ?? 0) + 1
  if (depth > MAX_DEPTH)
    throw limitExceeded('depth', `Flows are nested more than ${MAX_DEPTH} deep`)
  nested.runs += 1
  if (nested.runs > MAX_NESTED)
    throw limitExceeded('nested', `more than ${MAX_NESTED} runs within one`)
  const { cache, variables, userId, concurrency, parallel, allowPrivate } = options
  const { hooks, carrier, requestId } = options
  const components = outer.graph.registry
  const services = outer.givenServices
  const shared = { services, runtime, signal, limits, cache, variables, userId, allowPrivate }
  const looked = hooks === undefined ? {} : { hooks, carrier, requestId }
  const parent = hooks === undefined ? undefined : { runId: outer.id, vertexId }
  const { jobId, report } = host
  const around = { depth, secrets, nested, spending, parent, jobId, report }
  const { relay: isRelayed = false, ...own } = child
  const thinks = isRelayed && options.reasoning === true ? { reasoning: true } : {}
  const run = startRun(
    flow,
    { sessionId, ...own, components, ...shared, ...looked, concurrency, parallel, ...thinks },
    around,
  )
  if (isRelayed) await relay(run, (event, make) => outer.send(event, make, vertexId))
  const result = await run.result
  if (result.messages.length > 0) outer.messages.adopt(result.messages)
  return result
}

/** Forwards messages and tokens of one run to another. */
async function relay(run: FlowRun, send: SendEvent): Promise<void> {
  for await (const event of run) {
    if (event.event === 'add_message') send('add_message', () => event.data)
    else if (event.event === 'token') send('token', () => event.data)
    else if (event.event === 'reasoning') send('reasoning', () => event.data)
    else if (event.event === 'remove_message') send('remove_message', () => event.data)
  }
}
