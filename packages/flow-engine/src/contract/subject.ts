import assert from 'node:assert/strict'
import { isUniqueConflict, type UniqueConstraint } from '../store/store-error.ts'
import type { TestFrame } from './test-frame.ts'

/** The arguments of one noun's specs: where to put tests, and the store of the running one. */
export interface Subject<S> {
  readonly it: TestFrame['it']
  readonly store: () => S
}

/** Asserts that the call is refused for that constraint. */
export async function conflicts(
  constraint: UniqueConstraint,
  call: () => Promise<unknown>,
): Promise<void> {
  await assert.rejects(call, (error) => isUniqueConflict(error) && error.constraint === constraint)
}
