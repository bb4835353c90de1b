import type { CachedResult } from '../context/cache.ts'
import { decide } from '../schedule/decision.ts'
import type { OutputValues } from '../schedule/scope.ts'
import { isFrozenResult, type FrozenResult } from '../vertex/frozen.ts'
import { encodeTask, readCheckpoint } from './checkpoint.ts'

/** Serialises the result of a frozen vertex; undefined if a value is not serialisable (a model, a tool). */
export function encodeFrozen(result: CachedResult): string | undefined {
  if (!isFrozenResult(result)) return undefined
  const outputs = Object.assign(Object.create(null), result.outputs) as OutputValues
  const decision = decide(result.branches, undefined)
  return encodeTask({ ...result, outputs, decision, usedFrozenResult: false }, undefined)
}

/** Reverses `encodeFrozen`; undefined for any other string. */
export function decodeFrozen(text: string): FrozenResult | undefined {
  const result = readCheckpoint(text, undefined)
  if (result === undefined || result === 'started' || !('outputs' in result)) return undefined
  const { outputs, branches, logs, hasStatus, bytes } = result
  return { outputs, branches, logs, hasStatus, bytes }
}
