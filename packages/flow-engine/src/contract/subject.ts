import assert from 'node:assert/strict'
import { isUniqueConflict, type UniqueConstraint } from '../store/store-error.ts'
import type { ContractOptions, TestFrame } from './test-frame.ts'

/** Arguments of a spec: where to register tests, and the store of the current one. */
export interface Subject<S> {
  readonly it: TestFrame['it']
  readonly store: () => S
}

/** Defines tests that each get a new store, which is destroyed afterwards. */
export function describeStore<S>(
  t: TestFrame,
  title: string,
  { create, destroy }: ContractOptions<S>,
  define: (subject: Subject<S>) => void,
): void {
  t.describe(title, () => {
    let current: S | undefined
    t.beforeEach(async () => {
      current = await create()
    })
    t.afterEach(async () => {
      if (current !== undefined) await destroy?.(current)
      current = undefined
    })
    const store = (): S => {
      assert.ok(current)
      return current
    }
    define({ it: (name, body) => t.it(name, body), store })
  })
}

/** Asserts that the call violates this constraint. */
export async function conflicts(
  constraint: UniqueConstraint,
  call: () => Promise<unknown>,
): Promise<void> {
  await assert.rejects(call, (error) => isUniqueConflict(error) && error.constraint === constraint)
}
