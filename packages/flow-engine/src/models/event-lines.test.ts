import { createTestRuntime } from '@x/wire'
import { describe, expect, test } from 'vitest'
import { eventData } from './event-lines.ts'
import { bodyChunks } from './read-answer.ts'

const encode = new TextEncoder()

function answer(pieces: readonly string[]): Response {
  let at = 0
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = pieces[at]
      at += 1
      if (piece === undefined) controller.close()
      else controller.enqueue(encode.encode(piece))
    },
  })
  return new Response(body)
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

const read = (pieces: readonly string[]) => collect(eventData(answer(pieces)))

describe('eventData', () => {
  test('reads events with every line ending, wherever the chunks are cut', async () => {
    for (const end of ['\n', '\r\n', '\r']) {
      const text = [
        'data: one',
        'data: two',
        '',
        ': note',
        'event: x',
        'data:three',
        '',
        'data: four',
      ].join(end)
      expect(await read([text])).toEqual(['one\ntwo', 'three', 'four'])
      expect(await read(text.split(''))).toEqual(['one\ntwo', 'three', 'four'])
    }
  })

  test('AB-13: a long line in chunks of one byte takes time in proportion to its length', async () => {
    const [data] = await read(`data: ${'x'.repeat(20_000)}\n\n`.split(''))
    expect(data).toHaveLength(20_000)
  })

  test('refuses an event of over 8 Mi characters, in one line or in many', async () => {
    const line = `data: ${'x'.repeat(1024 * 1024)}`
    await expect(read([line, ...Array<string>(8).fill('x'.repeat(1024 * 1024))])).rejects.toThrow(
      'event length',
    )
    await expect(read(Array<string>(9).fill(`${line}\n`))).rejects.toThrow('event length')
  })

  test(
    'AB-45: refuses an event with endless empty lines, and an answer of over 128 MiB',
    { tags: ['long'] },
    async () => {
      const empty = 'data:\n'.repeat(100_000)
      await expect(read(Array<string>(100).fill(empty))).rejects.toThrow('event length')
      const short = 'data: x\n\n'.repeat(8) + `: ${'x'.repeat(1024 * 1024)}\n`
      await expect(read(Array<string>(130).fill(short))).rejects.toThrow('answer bytes')
    },
  )
})

test('FE-50: an answer that sends nothing for five minutes is ended', async () => {
  const runtime = createTestRuntime()
  const silent = new Response(new ReadableStream({ pull: () => new Promise(() => undefined) }))
  const reading = collect(bodyChunks(silent, runtime)).catch((error: unknown) => error)
  await runtime.advance(299_000)
  await runtime.advance(2_000)
  expect(await reading).toMatchObject({
    code: 'timeout',
    message: expect.stringContaining('300 s'),
  })
})
