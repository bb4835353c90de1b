import type { CachedResult } from '../context/cache.ts'
import { decide } from '../schedule/decision.ts'
import type { OutputValues } from '../schedule/scope.ts'
import { isFrozenResult, type FrozenResult } from '../vertex/frozen.ts'
import { encodeTask, readCheckpoint } from './checkpoint.ts'

/** The result of a frozen vertex as text; undefined when a value is no data (a model, a tool). */
export function encodeFrozen(result: CachedResult): string | undefined {
  if (!isFrozenResult(result)) return undefined
  const outputs = Object.assign(Object.create(null), result.outputs) as OutputValues
  const decision = decide(result.branches, undefined)
  return encodeTask({ ...result, outputs, decision, usedFrozenResult: false }, undefined)
}

/** The result of `encodeFrozen`; undefined for any other text. */
export function decodeFrozen(text: string): FrozenResult | undefined {
  const result = readCheckpoint(text, undefined)
  if (result === undefined || result === 'started' || !('outputs' in result)) return undefined
  const { outputs, branches, logs, hasStatus, bytes } = result
  return { outputs, branches, logs, hasStatus, bytes }
}
