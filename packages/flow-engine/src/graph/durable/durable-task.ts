import { FlowError, isFlowError, limitExceeded } from '../../errors.ts'
import { vertexFailure } from '../vertex/failure.ts'
import { encodeFailure, encodeTask, readCheckpoint, startMark } from './checkpoint.ts'
import { DEAD_EDGE, UNBUILT } from '../vertex/inputs.ts'
import { runAttempts } from './attempts.ts'
import { iterationOf } from '../schedule/iteration-of.ts'
import { decodePass, encodePass, passName, type ReturnedPass } from './pass-checkpoint.ts'
import type { PlanEdge, PlanVertex } from '../plan/plan-graph.ts'
import type { ResumePoint } from '../context/run-host.ts'
import { edgeState } from '../schedule/scope.ts'
import type { Task } from '../schedule/task.ts'
import type { TaskEnvironment } from '../vertex/task-environment.ts'
import { learnSecrets, runTask } from '../vertex/run-task.ts'
import type { TaskResult } from '../vertex/task-build.ts'

/** Builds a vertex, restoring its result from a checkpoint or storing it as one. */
export async function runDurable(
  task: Task,
  build: number,
  environment: TaskEnvironment,
): Promise<TaskResult> {
  const { host } = environment
  const { vertex } = task
  const { resume, checkpoint } = host
  const pass = iterationOf(vertex, environment.run.graph, environment.run.builds)
  const kept = readCheckpoint(resume?.checkpoints.get(vertex.id), pass)
  if (kept === 'started') throw interrupted(vertex)
  if (isFlowError(kept)) throw kept
  if (kept !== undefined && hasStoredState(task)) {
    await learnSecrets(task, environment)
    return kept
  }
  if (checkpoint !== undefined && vertex.component.idempotent === false) {
    await checkpoint(vertex.id, startMark(pass))
  }
  const keeps = (): boolean => hasStoredState(task) && !environment.isResting(task)
  const keepFailure = async (thrown: unknown): Promise<void> => {
    const { error, reason } = vertexFailure(thrown, vertex, environment.run.secrets.mask)
    await host.failed?.(vertex.id, encodeFailure({ code: error.code, reason }, pass))
  }
  let result: TaskResult
  try {
    result = isOuterLoop(task)
      ? await runLoop(task, build, environment)
      : await runAttempts(task, build, environment)
  } catch (thrown) {
    // A build that was stopped because the run ended has not failed itself.
    if (keeps() && environment.run.open()) await keepFailure(thrown)
    throw thrown
  }
  if (checkpoint !== undefined && keeps()) {
    const state = encodeTask(result, pass)
    const isKept = state === undefined || (await checkpoint(vertex.id, state))
    if (!isKept && vertex.component.idempotent === false) {
      const error = notKept()
      await keepFailure(error)
      throw error
    }
  }
  return result
}

/** For a vertex that must not run twice, so its state has to be stored. */
export function notKept(): FlowError {
  return limitExceeded('checkpointBytes', 'the result is too large to be kept with the job')
}

/** Cycles and nested loops are repeated as a whole. */
function hasStoredState({ scope, vertex }: Task): boolean {
  return scope.parent?.parent === undefined && vertex.loop === undefined && notInCycle(vertex)
}

function isOuterLoop({ scope, vertex }: Task): boolean {
  return scope.parent === undefined && vertex.loop !== undefined && notInCycle(vertex)
}

function notInCycle({ cycle }: PlanVertex): boolean {
  return cycle === undefined
}

/**
 * Builds a loop. In a resumed run the first build is followed by the builds of the passes that are already
 * stored: their returned values are restored and the passes skipped.
 */
async function runLoop(
  task: Task,
  build: number,
  environment: TaskEnvironment,
): Promise<TaskResult> {
  const { host, run } = environment
  const { scope, vertex } = task
  const { graph, builds } = run
  const { resume, checkpoint } = host
  let result = await runTask(task, build, environment)
  if (build > 1) {
    // The last pass is run, so that vertices downstream of the loop can read its values.
    if (checkpoint === undefined || !startsAnotherPass(vertex, result)) return result
    const state = encodePass(passBefore(task, environment))
    if (state !== undefined) await checkpoint(passName(vertex.id, build - 1), state)
    return result
  }
  for (let pass = 1; ; pass += 1) {
    const kept = keptPass(vertex, pass, resume)
    if (kept === undefined) break
    scope.replayed = kept.returned
    builds[vertex.index] = pass + 1
    for (const [id, count] of kept.builds) {
      const index = graph.indexOf.get(id)
      if (index !== undefined) builds[index] = count
    }
    result = await runTask(task, pass + 1, environment)
    scope.replayed = undefined
  }
  return result
}

function startsAnotherPass({ incoming }: PlanVertex, { decision }: TaskResult): boolean {
  return incoming.some((edge) => edge.loopBack && !decision.dead.has(edge.field))
}

/** A pass counts only if the log contains all of it, up to the next end of its loop. */
function keptPass(
  { id }: PlanVertex,
  pass: number,
  resume: ResumePoint | undefined,
): ReturnedPass | undefined {
  if (resume === undefined || (resume.reported.get(id) ?? 0) <= pass) return undefined
  return decodePass(resume.checkpoints.get(passName(id, pass)))
}

/** Returned values of the previous pass, for a loop that has just been built. */
function passBefore(task: Task, environment: TaskEnvironment): ReturnedPass {
  const { vertex } = task
  const { builds, graph } = environment.run
  const inside = graph.regions.filter(({ path }) => path.includes(vertex.loop ?? 0))
  return {
    returned: new Map(
      vertex.incoming
        .filter((edge) => edge.loopBack)
        .map((edge) => [edge.index, returnedValue(edge, task, environment)]),
    ),
    builds: new Map(
      inside.flatMap(({ members }) =>
        members.map((index) => [graph.vertices[index]?.id ?? '', builds[index] ?? 0]),
      ),
    ),
  }
}

function returnedValue(edge: PlanEdge, { scope }: Task, { run }: TaskEnvironment): unknown {
  if (run.slice.contains[edge.source] !== 1) return DEAD_EDGE
  const state = edgeState(run.graph, scope, edge)
  if (typeof state === 'object') return state.outputs[edge.output] ?? null
  return state === 'dead' ? DEAD_EDGE : UNBUILT
}

function interrupted({ displayName }: PlanVertex): FlowError {
  return new FlowError('interrupted', `Component ${displayName} was interrupted`)
}
