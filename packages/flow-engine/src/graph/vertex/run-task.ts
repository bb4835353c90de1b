import { limitExceeded } from '../../errors.ts'
import type { RunReporter } from '../context/run-reporter.ts'
import type { Task } from '../schedule/task.ts'
import { rawInputs, type RawInputs } from './inputs.ts'
import { fromFrozen, keep, storageKey, recall } from './kept-result.ts'
import { TaskBuild, withdrawPartial, type Attempt, type TaskResult } from './task-build.ts'
import type { TaskEnvironment } from './task-environment.ts'
import { buildVertex } from './vertex-build.ts'
import { OpenTask } from './vertex-info.ts'
import { timed, vertexSignal } from './vertex-time-limit.ts'

/**
 * Builds a vertex once: inputs, frozen result or component, decision. Returns a promise only
 * if it has to wait.
 */
export function runTask(
  task: Task,
  build: number,
  environment: TaskEnvironment,
  attempt?: Attempt,
): TaskResult | Promise<TaskResult> {
  const { reporter } = environment.run
  const work = new TaskBuild(task, build, environment, attempt)
  return reporter === undefined ? startTask(work) : startReported(work, reporter)
}

/**
 * Like `startTask`, reporting to the hooks. The end of an asynchronous build is reported where `task.open` is
 * read.
 */
function startReported(work: TaskBuild, reporter: RunReporter): TaskResult | Promise<TaskResult> {
  const { task, environment } = work
  const open = new OpenTask(work, reporter)
  work.info = open.vertex
  // Within the scheduler's turn, which has read the clock and processes the result.
  const isDirect = environment.isPlain && work.sent === undefined
  const around = reporter.begin(open, isDirect ? environment.clock.time : undefined)
  let made: TaskResult | Promise<TaskResult>
  try {
    made = around === undefined ? startTask(work) : reporter.within(around, () => startTask(work))
  } catch (thrown) {
    reporter.failed(open, thrown)
    throw thrown
  }
  if (!(made instanceof Promise)) {
    reporter.ended(open, made)
    return made
  }
  if (isDirect) {
    task.open = open
    return made
  }
  return made.then(
    (result) => {
      reporter.ended(open, result)
      return result
    },
    (thrown: unknown) => {
      reporter.failed(open, thrown)
      throw thrown
    },
  )
}

function startTask(work: TaskBuild): TaskResult | Promise<TaskResult> {
  const { task, build, environment } = work
  const { run } = environment
  const { vertex } = task
  const { loopPasses } = run.limits
  if (build > loopPasses) {
    throw limitExceeded('loopPasses', `${vertex.displayName} was built ${loopPasses} times`)
  }
  for (const secret of work.fields.secrets) run.secrets.add(secret)
  for (const { name, secret } of environment.run.inputs.size > 0 ? work.fields.fields : [])
    if (secret) run.secrets.add(secretText(work.given.get(name)))
  const raw = rawInputs(work, run)
  if (raw instanceof Promise || environment.keyed || run.limits.vertexTimeoutMs !== null) {
    return runBounded(task, work, { environment, raw })
  }
  work.raw = raw
  environment.host.inputs?.(vertex, raw)
  return buildVertex(work)
}

const secretText = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined

/** Registers the secrets of a build whose result is restored, as the result may contain them. */
export async function learnSecrets(task: Task, environment: TaskEnvironment): Promise<void> {
  const { run } = environment
  const work = new TaskBuild(task, 1, environment)
  for (const secret of work.fields.secrets) run.secrets.add(secret)
  try {
    await rawInputs(work, run)
  } catch {
    // A missing variable does not fail a vertex whose result is stored.
  }
}

interface Bounded {
  readonly environment: TaskEnvironment
  readonly raw: RawInputs | Promise<RawInputs>
}

/** With variables, frozen results or a time limit. */
async function runBounded(
  task: Task,
  work: TaskBuild,
  { environment, raw: given }: Bounded,
): Promise<TaskResult> {
  const { run } = environment
  const { vertex } = task
  const raw = await given
  work.raw = raw
  environment.host.inputs?.(vertex, raw)
  const key = storageKey(work, task, environment)
  const kept = key === undefined ? undefined : await recall(key, work, environment)
  if (kept !== undefined) return fromFrozen(kept)
  const { signal, stop } = vertexSignal(run, vertex, work.signal)
  work.timed = signal
  try {
    const building = buildVertex(work)
    await (signal !== undefined && building instanceof Promise ? timed(building, signal) : building)
    if (key !== undefined) await keep(work, key, environment)
    return work
  } catch (error) {
    if (signal?.aborted === true && run.open() && !environment.isResting(task))
      await withdrawPartial(work, run)
    throw error
  } finally {
    stop?.()
  }
}
