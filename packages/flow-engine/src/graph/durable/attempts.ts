import { isObject } from '@x/wire'
import type { RetryOptions, RetryPolicy } from '../../components/define/retry-policy.ts'
import { invalidRequest, isFlowError, type FlowError, type FlowErrorCode } from '../../errors.ts'
import type { RunHost } from '../context/run-host.ts'
import type { PlanVertex } from '../plan/plan-graph.ts'
import { stateOf } from '../schedule/scope.ts'
import type { Task } from '../schedule/task.ts'
import { vertexFailure } from '../vertex/failure.ts'
import type { TaskEnvironment } from '../vertex/task-environment.ts'
import { runTask } from '../vertex/run-task.ts'
import type { TaskResult } from '../vertex/task-build.ts'

const DELAY_MS = 1000
const FACTOR = 2
const MAX_DELAY_MS = 60_000
const MAX_ATTEMPTS = 100

/** Errors that are not retried. */
const FINAL: ReadonlySet<FlowErrorCode> = new Set<FlowErrorCode>([
  'suspended',
  'budget_exceeded',
  'cancelled',
  'invalid_request',
  'invalid_answer',
  'missing_input',
  'missing_package',
  'variable_not_found',
  'limit_exceeded',
  'not_resumable',
  'forbidden',
  'expired',
])

/** Builds a vertex, retrying as its policy says. */
export function runAttempts(
  task: Task,
  build: number,
  environment: TaskEnvironment,
): TaskResult | Promise<TaskResult> {
  const { retry } = environment.run.options
  if (retry === undefined && task.vertex.component.retry === undefined)
    return runTask(task, build, environment)
  const policy = policyOf(task.vertex, retry)
  if (policy === undefined) return runTask(task, build, environment)
  return repeat(task, build, environment, policy)
}

/**
 * The policy of a vertex: from the run by id, display name or type, else the run's only policy, else
 * the component's.
 * @throws FlowError `invalid_request` for an invalid number of attempts
 */
function policyOf(vertex: PlanVertex, retry: RetryOptions | undefined): RetryPolicy | undefined {
  const { id, displayName, type, component, cycle } = vertex
  if (cycle !== undefined) return undefined
  const only = retry !== undefined && isPolicy(retry) ? retry : undefined
  const named = only === undefined ? (retry as Readonly<Record<string, RetryPolicy>>) : {}
  const key = [id, displayName, type].find((name) => Object.hasOwn(named ?? {}, name))
  const own = key === undefined ? undefined : named[key]
  const general = component.idempotent === false ? component.retry : (only ?? component.retry)
  const policy = own ?? general
  if (policy === undefined) return undefined
  const { attempts } = policy
  if (!(Number.isInteger(attempts) && attempts >= 1 && attempts <= MAX_ATTEMPTS))
    throw invalidRequest(`retry.attempts must be an integer from 1 to ${MAX_ATTEMPTS}`)
  return policy
}

function isPolicy(retry: RetryOptions): retry is RetryPolicy {
  return typeof retry.attempts === 'number'
}

async function repeat(
  task: Task,
  build: number,
  environment: TaskEnvironment,
  policy: RetryPolicy,
): Promise<TaskResult> {
  const { run, host } = environment
  const { scope, vertex } = task
  const state = stateOf(scope, vertex)
  const before = new Map(state)
  const name = `!a${build}!${vertex.id}`
  for (let attempt = attemptsMade(host, name) + 1; ; attempt += 1) {
    const sent = new Set<string>()
    environment.countAttempt(task, attempt)
    try {
      return await runTask(task, build, environment, { attempt, sent })
    } catch (thrown) {
      const { error } = vertexFailure(thrown, vertex, run.secrets.mask)
      const isLast = attempt >= policy.attempts || isFinal(thrown, error)
      if (isLast || environment.isResting(task) || !run.open()) throw thrown
      if (policy.when?.(error, attempt) === false) throw thrown
      await host.checkpoint?.(name, JSON.stringify({ attempts: attempt }))
      for (const id of sent) await run.messages.withdraw(id)
      state.clear()
      for (const [key, value] of before) state.set(key, value)
      await run.runtime.sleep(
        delayOf(policy, thrown, { attempt, random: randomOf(run) }),
        run.signal,
      )
    }
  }
}

/** Attempts made before a crash count. */
function attemptsMade({ resume }: RunHost, name: string): number {
  const kept = resume?.checkpoints.get(name)
  const stored: unknown = kept === undefined ? undefined : JSON.parse(kept)
  return isObject(stored) ? Number(stored['attempts']) || 0 : 0
}

function isFinal(thrown: unknown, { code }: FlowError): boolean {
  if (isFlowError(thrown) && thrown.name === 'FatalError') return true
  return FINAL.has(code)
}

/** Delay before the next attempt, in milliseconds. */
function delayOf(
  policy: RetryPolicy,
  thrown: unknown,
  { attempt, random }: { readonly attempt: number; readonly random: () => number },
): number {
  const { delayMs = DELAY_MS, factor = FACTOR, maxDelayMs = MAX_DELAY_MS, jitter = 0 } = policy
  const asked: unknown =
    typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, 'retryAfterMs') : undefined
  if (typeof asked === 'number' && asked >= 0) return Math.min(maxDelayMs, asked)
  const delay = Math.min(maxDelayMs, delayMs * factor ** (attempt - 1))
  return jitter > 0 ? Math.max(0, delay * (1 + jitter * (2 * random() - 1))) : delay
}

/** A random number in [0, 1). */
function randomOf({ runtime }: TaskEnvironment['run']): () => number {
  return () => new DataView(runtime.randomBytes(4).slice().buffer).getUint32(0) / 2 ** 32
}
