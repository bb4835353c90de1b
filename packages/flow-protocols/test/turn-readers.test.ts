import { createTestRuntime } from '@x/wire'
import { createMemoryJobStore } from '@x/flow-engine/memory'
import { expect, test } from 'vitest'
import { TurnReaders } from '../src/turns/turn-readers.ts'

function setUp() {
  const runtime = createTestRuntime()
  const store = createMemoryJobStore()
  const readers = new TurnReaders({ store, runtime, unreadMs: null, unread: async () => undefined })
  return { runtime, readers }
}

test('DO-17 a reader that leaves within half a second does not keep the next message waiting', async () => {
  const { runtime, readers } = setUp()
  const leave = readers.enter('turn')
  const [first, second] = [readers.stay('turn'), readers.stay('turn')]
  await runtime.advance(100)
  leave()
  expect(await Promise.all([first, second])).toEqual([false, false])
  expect(await readers.stay('turn')).toBe(false)
})

test('DO-17 a reader that stays is known after half a second', async () => {
  const { runtime, readers } = setUp()
  readers.enter('turn')
  const leave = readers.enter('turn')
  const stays = readers.stay('turn')
  leave()
  await runtime.advance(500)
  expect(await stays).toBe(true)
})
