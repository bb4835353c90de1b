import assert from 'node:assert/strict'
import { isUniqueConflict, type UniqueConstraint } from '../store/store-error.ts'
import type { TestFrame } from './test-frame.ts'

/** Arguments of a spec: where to register tests, and the store of the current one. */
export interface Subject<S> {
  readonly it: TestFrame['it']
  readonly store: () => S
}

/** Asserts that the call violates this constraint. */
export async function conflicts(
  constraint: UniqueConstraint,
  call: () => Promise<unknown>,
): Promise<void> {
  await assert.rejects(call, (error) => isUniqueConflict(error) && error.constraint === constraint)
}
