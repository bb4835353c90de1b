import { createTestRuntime } from '@x/wire'
import { expect, test } from 'vitest'
import { watchLoop } from './late-loop.ts'

test('FL-47: a process whose event loop was a second late claims nothing for five', async () => {
  const clock = createTestRuntime()
  let blockedMs = 0
  const runtime = {
    ...clock,
    monotonic: () => clock.now().getTime() + blockedMs,
  }
  const closing = new AbortController()
  const loop = watchLoop(runtime, closing.signal)
  const rest = (): number => loop.rest()
  await clock.advance(10_000)
  expect(rest()).toBe(0)
  blockedMs = 900
  await clock.advance(500)
  expect(rest()).toBe(0)
  blockedMs += 1001
  await clock.advance(500)
  expect(rest()).toBe(5000)
  await clock.advance(4999)
  expect(rest()).toBe(1)
  await clock.advance(1)
  expect(rest()).toBe(0)
  closing.abort()
})
