import { expect, test } from 'vitest'
import { yieldToEventLoop } from './yield-to-event-loop.ts'

test('AB-88 of many that wait for a turn, one continues in each', async () => {
  let turn = 0
  let isOver = false
  const count = (): void => {
    turn += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const turns: number[] = []
  const step = async (): Promise<void> => {
    await yieldToEventLoop()
    turns.push(turn)
  }
  await Promise.all(Array.from({ length: 20 }, step))
  await step()
  isOver = true
  expect(new Set(turns).size).toBe(21)
})
