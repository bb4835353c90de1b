// Runs each night (.ci/night).
import { describe, expect, test } from 'vitest'
import { BREAKS } from './breaks.ts'
import { firstFailure, simulate } from './simulate.ts'

describe('the simulated fleet at full size', () => {
  test('FL-92 seeds pass', async () => {
    for (let seed = 1; seed <= 12; seed += 1) {
      const { failure, steps } = await simulate(seed)
      expect(failure, `seed ${seed}\n${steps.join('\n')}`).toBeUndefined()
    }
  }, 600_000)

  test.each(Object.entries(BREAKS))(
    'FL-95 finds %s within 200 seeds',
    async (_name, broken) => {
      expect(await firstFailure(1, 200, broken)).toBeDefined()
    },
    600_000,
  )
})
