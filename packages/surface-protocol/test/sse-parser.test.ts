import { describe, expect, test } from 'vitest'
import { createSseParser, openSurfaceStream } from '@x/surface-protocol/http'
import { createTestRuntime } from '@x/surface-protocol/testing'

const bytes = (text: string) => new TextEncoder().encode(text)

describe('SSE parser', () => {
  const source =
    '\ufeff: note\r\nid: 1\r\ndata: a\r\ndata:b\r\n\r\nevent: e\rdata\r\rid: x\0y\nretry: 25\ndata:  c\n\ndata: lost'

  test('SP-77: any cut gives the same events', () => {
    const expected = [
      { id: '1', event: 'message', data: 'a\nb' },
      { id: '1', event: 'e', data: '' },
      { id: '1', event: 'message', data: ' c', retry: 25 },
    ]
    const all = bytes(source)
    for (let cut = 0; cut <= all.length; cut += 1) {
      const parser = createSseParser()
      const frames = [
        ...parser.push(all.slice(0, cut)),
        ...parser.push(all.slice(cut)),
        ...parser.end(),
      ]
      expect(frames).toEqual(expected)
    }
    const single = createSseParser()
    expect(Array.from(source).flatMap((char) => single.push(char))).toEqual(expected)
  })

  test('SP-77: long lines are refused', () => {
    const parser = createSseParser({ limits: { lineBytes: 10 } })
    expect(() => parser.push(`data: ${'x'.repeat(20)}`)).toThrow(
      expect.objectContaining({ code: 'limit_exceeded' }),
    )
    const several = createSseParser({ limits: { lineBytes: 10 } })
    expect(several.push('data:1234\ndata:12345\n\n')).toMatchObject([{ data: '1234\n12345' }])
    expect(() => several.push('data:1234\ndata:1234\ndata:1\n')).toThrow(
      expect.objectContaining({ code: 'limit_exceeded', limit: 'lineBytes' }),
    )
  })

  test('SP-77: lines are counted in bytes of UTF-8, as text and as bytes, wherever they are cut', () => {
    const fits = 'data:é€😀x\n\n'
    const tooLong = 'data:é€😀xx\n\n'
    const limits = { lineBytes: bytes('data:é€😀x').length }
    const pushAll = (chunks: (Uint8Array | string)[]) => {
      const parser = createSseParser({ limits })
      return chunks.flatMap((chunk) => parser.push(chunk))
    }
    const cuts = (text: string) => [
      ...Array.from({ length: text.length + 1 }, (_, at) => [text.slice(0, at), text.slice(at)]),
      ...Array.from({ length: bytes(text).length + 1 }, (_, at) => [
        bytes(text).slice(0, at),
        bytes(text).slice(at),
      ]),
    ]
    for (const chunks of cuts(fits)) expect(pushAll(chunks)).toMatchObject([{ data: 'é€😀x' }])
    for (const chunks of cuts(tooLong)) {
      expect(() => pushAll(chunks)).toThrow(
        expect.objectContaining({ code: 'limit_exceeded', limit: 'lineBytes' }),
      )
    }
    expect(() => pushAll(['data:é€😀xx'])).toThrow(expect.objectContaining({ limit: 'lineBytes' }))
    expect(pushAll(['data:éééé\ndata:éé\n\n'])).toMatchObject([{ data: 'éééé\néé' }])
    expect(() => pushAll(['data:éééé\ndata:ééé\ndata:\n'])).toThrow(
      expect.objectContaining({ limit: 'lineBytes' }),
    )
  })

  test('SP-77: a time to wait is a whole number, other fields are skipped', () => {
    const frames = createSseParser().push(
      'retry: 5s\nother: x\ndata: a\n\nretry: 07\ndata\n\nid\ndata: b\n\n',
    )
    expect(frames).toEqual([
      { id: '', event: 'message', data: 'a' },
      { id: '', event: 'message', data: '', retry: 7 },
      { id: '', event: 'message', data: 'b' },
    ])
    const marked = createSseParser()
    expect(marked.push('\ufeffdata: a\n\n\ufeffdata: b\n\ndata: c\n\n')).toMatchObject([
      { data: 'a' },
      { data: 'c' },
    ])
  })
})

describe('openSurfaceStream', () => {
  const options = (answers: (() => Response)[], more = {}) => {
    const asked: (string | null)[] = []
    const waits: number[] = []
    const runtime = createTestRuntime()
    const sleep = runtime.sleep.bind(runtime)
    runtime.randomBytes = (size) => new Uint8Array(size)
    runtime.sleep = (ms, signal) => {
      waits.push(ms)
      const slept = sleep(ms, signal)
      void runtime.advance(ms)
      return slept
    }
    const fetch = (request: Request) => {
      asked.push(request.headers.get('last-event-id'))
      return Promise.resolve(answers.shift()?.() ?? new Response(null, { status: 204 }))
    }
    return {
      asked,
      waits,
      stream: openSurfaceStream({ fetch, url: 'http://host.example/s', runtime, ...more }),
    }
  }
  const whole = (text: string) => () =>
    new Response(text, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } })
  const broken = (text: string) => () => {
    let sent = false
    return new Response(
      new ReadableStream({
        pull(controller) {
          if (sent) controller.error(new Error('broken'))
          else controller.enqueue(bytes(text))
          sent = true
        },
      }),
    )
  }

  test('SP-78: a broken body is continued, a clean end is the end', async () => {
    const { asked, stream } = options([
      broken('id: c.1\ndata: 1\n\n'),
      () => new Response(null, { status: 503 }),
      whole('id: c.2\ndata: 2\n\n'),
    ])
    const items = []
    for await (const item of stream) items.push(item)
    expect(items).toEqual([
      { id: 'c.1', message: 1 },
      { id: 'c.2', message: 2 },
    ])
    expect(asked).toEqual([null, 'c.1', 'c.1'])
  })

  test('SP-78: 4xx is final, and so is the last failure', async () => {
    const gone = () =>
      Response.json({ error: { code: 'resume_gap', message: 'gone' } }, { status: 410 })
    await expect(options([gone]).stream.next()).rejects.toMatchObject({
      code: 'resume_gap',
      status: 410,
    })
    const failing = options(
      Array.from({ length: 9 }, () => broken('')),
      { maxRetries: 2 },
    )
    await expect(failing.stream.next()).rejects.toThrow('broken')
    expect(failing.asked).toHaveLength(3)
    expect(await options([() => new Response(null, { status: 204 })]).stream.next()).toMatchObject({
      done: true,
    })
  })

  test('SP-78 AB-11: five attempts in a row, ever further apart, from the time that the server names', async () => {
    const down = () => new Response(null, { status: 503 })
    const failing = options(Array.from({ length: 9 }, () => down))
    await expect(failing.stream.next()).rejects.toThrow('503')
    expect([failing.asked.length, failing.waits]).toEqual([6, [1000, 2000, 4000, 8000, 16_000]])
    const downs = [down, down, down, down, down]
    const named = options([
      ...downs,
      broken('retry: 200\nid: c.1\ndata: 1\n\n'),
      ...downs.slice(1),
      whole('id: c.2\ndata: 2\n\n'),
    ])
    const items = []
    for await (const { id } of named.stream) items.push(id)
    expect(items).toEqual(['c.1', 'c.2'])
    expect(named.waits.slice(5)).toEqual([6400, 12_800, 25_600, 51_200, 60_000])
    const kept = options([broken('retry: 200\ndata: 1\n\ndata: 2\n\n'), whole('')])
    for await (const _ of kept.stream);
    expect(kept.waits).toEqual([200])
    const resumed = options([whole('')], { lastEventId: 'c.9' })
    expect(await resumed.stream.next()).toMatchObject({ done: true })
    expect(resumed.asked).toEqual(['c.9'])
    const denied = options([() => new Response('x', { status: 403 })])
    await expect(denied.stream.next()).rejects.toMatchObject({ name: 'SurfaceError', status: 403 })
  })
})
