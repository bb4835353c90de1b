import type { KeptVertex } from '../context/cache.ts'
import type { PlanVertex } from '../plan/plan-graph.ts'
import { decide } from '../schedule/decision.ts'
import type { OutputValues } from '../schedule/scope.ts'
import type { Task } from '../schedule/task.ts'
import { isFrozenResult, placeOf, resultKey, type FrozenResult } from './frozen.ts'
import type { TaskBuild, TaskResult } from './task-build.ts'
import type { TaskEnvironment } from './task-environment.ts'

/**
 * The key to store a result under. Applies to frozen vertices and, in the editor, to all others, since
 * freezing keeps the last result. Loop passes are stored for frozen vertices only.
 */
export function storageKey(
  { fields, build }: TaskBuild,
  { vertex, scope }: Task,
  { keyed, run }: TaskEnvironment,
): string | undefined {
  // A result computed with values given to this run only must not be reused by others.
  if (!keyed || run.inputs.has(vertex.index)) return undefined
  const isOnce = build === 1 && vertex.loop === undefined && scope.parent === undefined
  if (!vertex.frozen && !(run.mode === 'build' && isOnce)) return undefined
  return resultKey({ vertex, fields, userId: run.userId, flowId: run.flowId, build })
}

/** The stored result of a frozen vertex, if there is one. */
export async function recall(
  key: string,
  { vertex, build }: TaskBuild,
  { run }: TaskEnvironment,
): Promise<FrozenResult | undefined> {
  const { cache } = run.options
  if (!vertex.frozen || cache === undefined) return undefined
  try {
    const kept = await cache.get(key, keptVertex(vertex, build, run.flowId))
    return kept !== undefined && isFrozenResult(kept) ? kept : undefined
  } catch {
    // A failing cache counts as empty.
    return undefined
  }
}

/** Larger results are stored for frozen vertices only: other vertices release their values. */
const MAX_UNFROZEN_BYTES = 1024 * 1024

/** Stores the result of a build, unless it is too large or contains a secret. */
export async function keep(
  { outputs, branches, logs, hasStatus, bytes, vertex, build }: TaskBuild,
  key: string,
  { run }: TaskEnvironment,
): Promise<void> {
  const { cache } = run.options
  if (!vertex.frozen && bytes > MAX_UNFROZEN_BYTES) return
  if (cache === undefined || run.secrets.occursIn(outputs)) return
  const result: FrozenResult = { outputs, branches, logs, hasStatus, bytes: bytes + 256 }
  try {
    await cache.set(key, result, keptVertex(vertex, build, run.flowId))
  } catch {
    // The result is valid whether it was stored or not.
  }
}

function keptVertex(vertex: PlanVertex, build: number, flowId: string): KeptVertex {
  return { flowId, place: placeOf(vertex, build), frozen: vertex.frozen }
}

/** Restores a stored result as that of this build. */
export function fromFrozen(kept: FrozenResult): TaskResult {
  const { outputs, branches, logs, hasStatus, bytes } = kept
  const decision = decide(branches, undefined)
  const values = Object.assign(Object.create(null), outputs) as OutputValues
  return {
    outputs: values,
    branches,
    decision,
    logs,
    hasStatus,
    bytes,
    usedFrozenResult: true,
  }
}
