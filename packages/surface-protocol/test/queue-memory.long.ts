// Runs each night (.ci/night).
import { expect, test } from 'vitest'
import { createSurfaceChannel } from '@x/surface-protocol/http'
import { collectGarbage } from './collect-garbage.ts'

const MB = 1_000_000

test('SX-62: what left the history of a channel is let go at once', async () => {
  const channel = createSurfaceChannel({
    version: '0.9.1',
    historyBytes: MB,
    mirror: false,
  })
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  for (let n = 0; n < 400; n += 1) {
    const value = `${n}${'x'.repeat(MB)}`
    await channel.send({
      version: 'v0.9.1',
      updateDataModel: { surfaceId: 's', path: '/a', value },
    })
  }
  collectGarbage()
  const grown = process.memoryUsage().heapUsed - before
  expect(grown).toBeLessThan(1.2 * MB + 5 * MB)
  expect(channel.lastId).not.toBeNull()
})
