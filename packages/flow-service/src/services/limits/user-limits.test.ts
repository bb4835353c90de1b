import { expect, test } from 'vitest'
import { createTestRuntime } from '@x/wire'
import { defaultSettings } from '../../settings.ts'
import { idOf, user } from '../../contract/records.ts'
import { createMemoryFlowStore } from '../../memory/flow-store.ts'
import { createUserLimits } from './user-limits.ts'

test('AB-78: concurrent requests of one user let other work run between them', async () => {
  const { users } = createMemoryFlowStore()
  await users.insert(user(1))
  const limits = createUserLimits({
    store: { users, counts: { of: async () => 0 } },
    settings: defaultSettings,
    runtime: createTestRuntime(),
    removeLeft: async () => undefined,
    report: () => undefined,
  })
  let turns = 0
  let isOver = false
  const turn = (): void => {
    turns += 1
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  const seen = await Promise.all(
    Array.from({ length: 50 }, () =>
      limits.within(idOf(1, 1), { kind: 'apiKeys', added: 1 }, async () => turns),
    ),
  )
  isOver = true
  expect(new Set(seen).size).toBeGreaterThan(40)
})
