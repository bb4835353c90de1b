import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { createTestRuntime } from '@x/surface-protocol/testing'
import { applyStream, createJsonLinesParser, createSurfaceStore } from '@x/surface-protocol'
import {
  createSurfaceHandler,
  createSseParser,
  openSurfaceStream,
  createSurfaceChannel,
  toJsonLinesResponse,
} from '@x/surface-protocol/http'
import { collectGarbage } from './collect-garbage.ts'
import { costOf } from './cost.ts'

describe('AB-11: reconnecting', () => {
  const connections = async (answer: () => Response, span: number) => {
    const runtime = createTestRuntime()
    let count = 0
    const fetch = () => {
      count += 1
      return Promise.resolve(answer())
    }
    const options = { fetch, url: 'http://host.example/s', runtime, retryMs: 0, maxRetries: 1e6 }
    const stream = openSurfaceStream(options)
    const read = (async () => {
      for await (const _ of stream);
    })().catch(() => undefined)
    for (let time = 0; time < span; time += 50) {
      await new Promise((resolve) => setImmediate(resolve))
      await runtime.advance(50)
    }
    void stream.return()
    void read
    return count
  }
  const breaking = (text: string) => () => {
    let sent = false
    const body = new ReadableStream({
      pull(controller) {
        if (sent) controller.error(new Error('broken'))
        else controller.enqueue(new TextEncoder().encode(text))
        sent = true
      },
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }

  test('a server that breaks after each frame with retry: 0 is asked at most 60 times in 3 s', async () => {
    const count = await connections(breaking('retry: 0\ndata: 1\n\n'), 3000)
    expect(count).toBeGreaterThan(2)
    expect(count).toBeLessThanOrEqual(60)
    expect(await connections(breaking(`retry: ${'9'.repeat(400)}\ndata: 1\n\n`), 61_000)).toBe(2)
  })

  test('bodies of refused answers are cancelled, another content type is an error', async () => {
    let cancelled = 0
    const endless = (status: number, type: string) => () =>
      new Response(
        new ReadableStream({
          pull: (controller) => controller.enqueue(new Uint8Array(10_000)),
          cancel: () => void (cancelled += 1),
        }),
        { status, headers: { 'content-type': type } },
      )
    const read = (answer: () => Response) =>
      openSurfaceStream({
        fetch: () => Promise.resolve(answer()),
        url: 'http://host.example/s',
        maxRetries: 0,
      }).next()
    await expect(read(endless(200, 'text/html'))).rejects.toMatchObject({
      code: 'malformed_message',
    })
    await expect(read(endless(503, 'text/html'))).rejects.toThrow('503')
    await expect(read(endless(404, 'text/html'))).rejects.toMatchObject({ status: 404 })
    expect(cancelled).toBe(3)
  })

  test('a block that only names a time is kept for the next event', () => {
    expect(createSseParser().push('retry: 250\n\ndata: 1\n\ndata: 2\n\n')).toEqual([
      { id: '', event: 'message', data: '1', retry: 250 },
      { id: '', event: 'message', data: '2' },
    ])
  })

  test('AB-7: a stream ended for being slow resumes after its last id', async () => {
    const asked: (string | null)[] = []
    const event = (text: string) =>
      new Response(text, { headers: { 'content-type': 'text/event-stream' } })
    const answers = [
      event('id: c.1\ndata: 1\n\nevent: error\ndata: {"code":"too_slow","message":"x"}\n\n'),
      event('id: c.2\ndata: 2\n\n'),
    ]
    const items = []
    const stream = openSurfaceStream({
      url: 'http://host.example/s',
      retryMs: 1,
      fetch(request) {
        asked.push(request.headers.get('last-event-id'))
        return Promise.resolve(answers.shift() ?? event(''))
      },
    })
    for await (const { id } of stream) items.push(id)
    expect([items, asked]).toEqual([
      ['c.1', 'c.2'],
      [null, 'c.1'],
    ])
  })
})

describe('AB-12: signals', () => {
  test('a stream whose signal was aborted before ends at once', async () => {
    const channel = createSurfaceChannel()
    const handler = createSurfaceHandler({ open: () => channel })
    const signal = AbortSignal.abort(new Error('before'))
    for (const accept of ['text/event-stream', 'application/jsonl']) {
      const request = new Request('http://host.example/s', { headers: { accept } })
      Object.defineProperty(request, 'signal', { value: signal })
      const response = await handler(request)
      expect(await response.text()).toBe('')
    }
  })

  test('a long-lived signal forgets every stream that has ended', async () => {
    const stop = new AbortController()
    const { signal } = stop
    for (let n = 0; n < 20; n += 1) {
      const source = (async function* () {
        yield { deleteSurface: { surfaceId: 's' } }
      })()
      await toJsonLinesResponse(source, { signal }).text()
      const cancelled = toJsonLinesResponse(createNever(), { signal })
      await cancelled.body?.cancel()
      const lines = (async function* () {
        yield '{"deleteSurface":{"surfaceId":"s"}}\n'
      })()
      for await (const _ of applyStream(createSurfaceStore(), lines, { signal }));
    }
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })
})

function createNever(): AsyncIterable<never> {
  return { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }) }
}

describe('AB-13: small chunks', () => {
  test(
    'a line of 0.9 MB in chunks of one byte is read in linear time, with at most 60 MB',
    { tags: ['long'] },
    async () => {
      const bytes = new TextEncoder().encode(`{"a":"${'x'.repeat(900_000)}"}\n`)
      const parser = createJsonLinesParser()
      const held = (): number => {
        collectGarbage()
        const { heapUsed, external } = process.memoryUsage()
        return heapUsed + external
      }
      const before = held()
      let highest = 0
      let read = 0
      const cost = await costOf(() => {
        for (let at = 0; at < bytes.length; at += 1) {
          const lines = parser.push(bytes.subarray(at, at + 1))
          read += lines.filter(({ error }) => error === undefined).length
          if (at % 100_000 === 0) highest = Math.max(highest, held() - before)
        }
      })
      expect(read).toBe(1)
      expect(cost).toBeLessThan(8000)
      expect(highest).toBeLessThan(60 * 1024 * 1024)
    },
  )

  test('AB-51: a body of client messages is at most 64 KiB, in however many chunks it comes', async () => {
    const channel = createSurfaceChannel()
    const handler = createSurfaceHandler({ open: () => channel })
    const post = (chunks: number, size: number, headers = {}) => {
      let sent = 0
      const body = new ReadableStream({
        pull(controller) {
          sent += 1
          if (sent > chunks) controller.close()
          else controller.enqueue(new Uint8Array(size).fill(0x20))
        },
      })
      const init = {
        method: 'POST',
        body,
        duplex: 'half',
        headers: { 'content-type': 'application/json', ...headers },
      }
      return handler(new Request('http://host.example/s', init as RequestInit))
    }
    expect((await post(65_537, 1)).status).toBe(413)
    expect((await post(1e9, 1024)).status).toBe(413)
    expect((await post(0, 1, { 'content-length': '65537' })).status).toBe(413)
    expect((await post(64, 1024)).status).toBe(400)
  })
})
