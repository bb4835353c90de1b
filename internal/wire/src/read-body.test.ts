import { describe, expect, test } from 'vitest'
import { BodyTooLargeError, isBodyTooLarge, readBody, readText } from './index.ts'

function post(body: string | ReadableStream<Uint8Array>, headers: Record<string, string> = {}) {
  return new Request('http://host.example/', {
    method: 'POST',
    headers,
    body,
    duplex: 'half',
  })
}

/** A body of unknown length that counts how much of it was taken. */
function endless() {
  const taken = { chunks: 0 }
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        taken.chunks += 1
        controller.enqueue(new Uint8Array(10))
      },
    },
    { highWaterMark: 0 },
  )
  return { stream, taken }
}

describe('readBody', () => {
  test('returns the bytes of a body within the limit', async () => {
    expect(new TextDecoder().decode(await readBody(post('äbc'), 4))).toBe('äbc')
    expect(await readBody(new Request('http://host.example/'), 0)).toHaveLength(0)
  })

  test('stops reading a body without content-length at the limit', async () => {
    const { stream, taken } = endless()
    await expect(readBody(post(stream), 25)).rejects.toBeInstanceOf(BodyTooLargeError)
    expect(taken.chunks).toBe(3)
  })

  test('refuses a content-length over the limit without reading', async () => {
    const { stream, taken } = endless()
    const error: unknown = await readBody(post(stream, { 'content-length': '26' }), 25).catch(
      (reason: unknown) => reason,
    )
    expect(isBodyTooLarge(error) && [error.limit, error.size]).toEqual([25, 26])
    expect(taken.chunks).toBe(0)
  })
})

describe('readText', () => {
  test('removes a byte order mark', async () => {
    expect(await readText(post('\uFEFFa'), 10)).toBe('a')
  })

  test('refuses invalid UTF-8 when the option is set', async () => {
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(Uint8Array.of(0xff))
        controller.close()
      },
    })
    await expect(readText(post(stream), 10, { fatal: true })).rejects.toBeInstanceOf(TypeError)
  })
})
