import { expect, test } from 'vitest'
import { createUserQueue, whileHoldingSlot } from './user-queue.ts'

const { signal } = new AbortController()

/** Work that ends when it is told to, and the order in which it began. */
function bench(options: { concurrency: number; perUser: number; waitingPerUser: number }) {
  const queue = createUserQueue({ ...options, tooMany: () => new Error('too many') })
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const add = (name: string, own = signal): Promise<void> =>
    queue(name.charAt(0), own, () => {
      begun.push(name)
      return new Promise<void>((resolve) => ends.set(name, resolve))
    })
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { add, begun, end }
}

test('queued work of several users runs in turns', async () => {
  const { add, begun, end } = bench({ concurrency: 1, perUser: 1, waitingPerUser: 9 })
  for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) void add(name)
  for (const name of ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']) await end(name)
  expect(begun).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
})

test('one user never occupies the slot of another', async () => {
  const { add, begun, end } = bench({ concurrency: 2, perUser: 1, waitingPerUser: 9 })
  for (const name of ['a1', 'a2', 'b1']) void add(name)
  expect(begun).toEqual(['a1', 'b1'])
  await end('b1')
  expect(begun).toEqual(['a1', 'b1'])
  await end('a1')
  expect(begun).toEqual(['a1', 'b1', 'a2'])
})

test('work beyond the limit of one user is refused, and cancelled work leaves the queue', async () => {
  const { add, begun, end } = bench({ concurrency: 1, perUser: 1, waitingPerUser: 2 })
  const stop = new AbortController()
  void add('a1')
  const cancelled = add('a2', stop.signal)
  void add('a3')
  await expect(add('a4')).rejects.toThrow('too many')
  stop.abort(new Error('stopped'))
  await expect(cancelled).rejects.toThrow('stopped')
  void add('a5')
  await end('a1')
  await end('a3')
  expect(begun).toEqual(['a1', 'a3', 'a5'])
  await expect(add('b1', stop.signal)).rejects.toThrow('stopped')
})

test('nested work gets a slot beside its parent, or is refused at once', async () => {
  const { add, begun, end } = bench({ concurrency: 2, perUser: 1, waitingPerUser: 9 })
  void add('a1')
  void whileHoldingSlot(() => add('a2'))
  void add('a3')
  await expect(whileHoldingSlot(() => add('a4'))).rejects.toThrow('too many')
  void whileHoldingSlot(() => add('b1'))
  await expect(whileHoldingSlot(() => add('c1'))).rejects.toThrow('too many')
  expect(begun).toEqual(['a1', 'a2', 'b1'])
  await end('a2')
  void whileHoldingSlot(() => add('a5'))
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a5'])
  await end('a1')
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a5', 'a3'])
})
