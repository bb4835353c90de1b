import { describe, expect, test } from 'vitest'
import { BREAKS } from './breaks.ts'
import { simulate } from './simulate.ts'

describe('FL-90 the simulated fleet', () => {
  test(
    'FL-92, FL-93 some seeds pass, and a seed does the same each time',
    { tags: ['long'] },
    async () => {
      const first = await simulate(7)
      expect(first.failure).toBeUndefined()
      expect((await simulate(7)).hash).toBe(first.hash)
      expect((await simulate(8)).hash).not.toBe(first.hash)
    },
  )

  test(
    'FL-95 a fault that is put back is found, and its seed repeats it',
    { tags: ['long'] },
    async () => {
      const broken = BREAKS['jobs.expired-never']
      const found = []
      for (let seed = 1; seed <= 40 && found.length === 0; seed += 1)
        found.push(...[await simulate(seed, { broken })].filter((one) => one.failure !== undefined))
      const [outcome] = found
      expect(outcome).toBeDefined()
      const seed = outcome?.seed ?? 0
      expect(await simulate(seed, { broken })).toMatchObject({ hash: outcome?.hash })
      expect((await simulate(seed)).failure).toBeUndefined()
    },
  )
})
