import { describe, expect, test } from 'vitest'
import { createTestRuntime, eventStream } from './index.ts'

const encode = (item: number): string => `${item}\n`
const read = async (stream: ReadableStream<Uint8Array>): Promise<string> =>
  new Response(stream).text()

function counting(until: number) {
  const seen = { pulled: 0, returned: 0 }
  const source: AsyncIterable<number> = {
    [Symbol.asyncIterator]: () => ({
      async next() {
        seen.pulled += 1
        return seen.pulled > until
          ? { done: true, value: undefined }
          : { done: false, value: seen.pulled }
      },
      async return() {
        seen.returned += 1
        return { done: true, value: undefined }
      },
    }),
  }
  return { source, seen }
}

describe('eventStream', () => {
  test('sends every item and ends with its source', async () => {
    expect(await read(eventStream(counting(3).source, { encode }))).toBe('1\n2\n3\n')
  })

  test('pulls an item only when the reader requests one', async () => {
    const { source, seen } = counting(100)
    const reader = eventStream(source, { encode }).getReader()
    await reader.read()
    await reader.read()
    expect(seen.pulled).toBe(2)
  })

  test('closes the source once when the reader cancels', async () => {
    const { source, seen } = counting(100)
    const reader = eventStream(source, { encode }).getReader()
    await reader.read()
    await reader.cancel()
    expect(seen.returned).toBe(1)
  })

  test('closes the source and fails the body when the signal aborts', async () => {
    const { source, seen } = counting(100)
    const controller = new AbortController()
    const reader = eventStream(source, { encode, signal: controller.signal }).getReader()
    await reader.read()
    controller.abort(new Error('left'))
    await expect(reader.read()).rejects.toThrow('left')
    expect(seen.returned).toBe(1)
  })

  test('sends heartbeats while the source is idle and loses no item', async () => {
    const runtime = createTestRuntime()
    let give: (value: number) => void = () => undefined
    async function* slow() {
      yield await new Promise<number>((resolve) => {
        give = resolve
      })
    }
    const reader = eventStream(slow(), {
      encode,
      heartbeat: { text: '\n', everyMs: 1000, runtime },
    }).getReader()
    const first = reader.read()
    await runtime.advance(1000)
    expect(new TextDecoder().decode((await first).value)).toBe('\n')
    const second = reader.read()
    give(7)
    expect(new TextDecoder().decode((await second).value)).toBe('7\n')
    expect((await reader.read()).done).toBe(true)
  })

  test('ends with the text of onError when the source fails, or rejects without onError', async () => {
    async function* failing() {
      yield 1
      throw new Error('no more')
    }
    expect(await read(eventStream(failing(), { encode, onError: () => 'bye\n' }))).toBe('1\nbye\n')
    await expect(read(eventStream(failing(), { encode }))).rejects.toThrow()
  })
})
