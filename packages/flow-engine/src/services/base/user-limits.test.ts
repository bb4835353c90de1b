import { expect, test } from 'vitest'
import { createTestRuntime } from '@x/wire'
import { defaultSettings } from '../../settings.ts'
import { createUserLimits } from './user-limits.ts'

test('AB-78: concurrent requests of one user let other work run between them', async () => {
  const limits = createUserLimits({
    store: { counts: { of: async () => 0 } },
    settings: defaultSettings,
    runtime: createTestRuntime(),
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
      limits.within('ada', { kind: 'apiKeys', added: 1 }, async () => turns),
    ),
  )
  isOver = true
  expect(new Set(seen).size).toBeGreaterThan(40)
})
