import { createTestRuntime } from '@x/wire'
import { expect, test } from 'vitest'
import { createSurfaceChannel } from '../src/http.ts'
import { createMetrics } from '../src/metrics.ts'

test('OP-8 channels, their subscribers, and those that stopped reading are counted', async () => {
  const metrics = createMetrics()
  const runtime = createTestRuntime()
  const valueOf = async (name: string): Promise<number | undefined> =>
    (await metrics.collect()).find((one) => one.name === name)?.samples[0]?.value
  const options = { metrics, runtime, highWaterMark: 1, slowMs: 100 }
  const channel = createSurfaceChannel(options)
  const other = createSurfaceChannel(options)
  expect(await valueOf('surface_channels_open')).toBe(2)

  const reads = channel.subscribe()[Symbol.asyncIterator]()
  const stops = channel.subscribe()[Symbol.asyncIterator]()
  expect(await valueOf('surface_subscribers')).toBe(2)
  const message = { deleteSurface: { surfaceId: 'a' } }
  const sent = channel.send(message)
  await reads.next()
  await runtime.advance(101)
  await sent
  for (let n = 0; n < 1100; n += 1) {
    const more = channel.send(message)
    await reads.next()
    await more
  }
  await expect(stops.next()).rejects.toMatchObject({ code: 'too_slow' })
  expect(await valueOf('surface_slow_subscribers_total')).toBe(1)
  expect(await valueOf('surface_subscribers')).toBe(1)

  await reads.return?.()
  channel.close()
  channel.close()
  other.close()
  expect(await valueOf('surface_subscribers')).toBe(0)
  expect(await valueOf('surface_channels_open')).toBe(0)
})
