import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { textAnswer } from './long-text.ts'

const PART = 'a😀"'.repeat(50_000)

/** Parts of a text; counts those that were read, and tells whether they were left. */
function parts(count: number) {
  const seen = { read: 0, left: false }
  const iterable = (async function* () {
    try {
      for (; seen.read < count; seen.read += 1) yield PART
    } finally {
      seen.left = true
    }
  })()
  return { seen, iterable }
}

const asking = (encoding = 'gzip'): Request =>
  new Request('http://h/', { headers: { 'accept-encoding': encoding } })

describe('AB-38 a response of parts', () => {
  test('is sent whole if it is short', async () => {
    const response = await textAnswer(asking(), parts(1).iterable, { status: 201 })
    expect([response.status, await response.text()]).toEqual([201, PART])
    expect(response.headers.has('vary')).toBe(false)
  })

  test.each(['gzip', 'identity'])('keeps its text, sent as %s', async (encoding) => {
    const response = await textAnswer(asking(encoding), parts(30).iterable, { gzip: true })
    expect(response.headers.get('vary')).toBe('Accept-Encoding')
    expect(response.headers.get('content-encoding')).toBe(encoding === 'gzip' ? encoding : null)
    const bytes = Buffer.from(await response.arrayBuffer())
    const text = (encoding === 'gzip' ? gunzipSync(bytes) : bytes).toString()
    expect(text === PART.repeat(30)).toBe(true)
  })

  test('reads no more parts than the client takes, and leaves them with the client', async () => {
    for (const gzip of [true, false]) {
      for (const isRead of [true, false]) {
        const { seen, iterable } = parts(1000)
        const { body } = await textAnswer(asking(), iterable, { gzip })
        const reader = body?.getReader()
        if (isRead) await reader?.read()
        await reader?.cancel()
        expect(seen.read).toBeLessThan(100)
        await expect.poll(() => seen.left).toBe(true)
      }
    }
  })

  test('fails before it begins if its first part fails', async () => {
    const failing = (async function* () {
      yield ''
      throw new Error('the store is gone')
    })()
    await expect(textAnswer(asking(), failing, {})).rejects.toThrow('the store is gone')
  })
})
