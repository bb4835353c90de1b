import { FlowError } from '../errors.ts'
import { decodeTask, encodeTask, isResult, isStartMark, START_MARK } from './checkpoint.ts'
import type { RunHost } from './run-host.ts'
import type { Task } from './task.ts'
import { learnSecrets, runTask, type TaskEnvironment, type TaskResult } from './vertex-build.ts'

export interface DurableOptions {
  readonly environment: TaskEnvironment
  readonly host: RunHost
}

/** A build whose result is restored from a checkpoint, or kept as one (FE-63). */
export async function runDurable(
  task: Task,
  build: number,
  { environment, host: { resume, checkpoint } }: DurableOptions,
): Promise<TaskResult> {
  const kept = resume?.checkpoints.get(task.vertex.id)
  if (kept !== undefined && isStartMark(kept)) throw interrupted(task)
  if (kept !== undefined && isResult(kept) && keepsState(task)) {
    await learnSecrets(task, environment)
    return decodeTask(kept)
  }
  if (checkpoint !== undefined && task.vertex.component.idempotent === false) {
    await checkpoint(task.vertex.id, START_MARK)
  }
  const result = await runTask(task, build, environment)
  if (checkpoint !== undefined && keepsState(task)) {
    const state = encodeTask(result)
    if (state !== undefined) await checkpoint(task.vertex.id, state)
  }
  return result
}

/** Passes of loops and cycles are repeated as a whole. */
function keepsState({ scope, vertex }: Task): boolean {
  return scope.parent === undefined && vertex.loop === undefined && vertex.cycle === undefined
}

function interrupted({ vertex }: Task): FlowError {
  return new FlowError('interrupted', `Component ${vertex.displayName} was interrupted`)
}
