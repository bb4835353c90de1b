import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  applyStream,
  createJsonLinesDecoder,
  createJsonLinesEncoder,
  createJsonLinesParser,
  createSurfaceStore,
  readJsonLines,
  type JsonLine,
  type ServerMessage,
} from '@x/surface-protocol'
import {
  createSurfaceChannel,
  createSurfaceHandler,
  toJsonLinesResponse,
  toSseResponse,
} from '@x/surface-protocol/http'
import { createTestRuntime } from '@x/surface-protocol/testing'

const bytes = (text: string) => new TextEncoder().encode(text)
const del = (surfaceId: string): ServerMessage => ({ deleteSurface: { surfaceId } })
const plain = (lines: JsonLine[]) =>
  lines.map(({ line, offset, value, error }) => [
    line,
    offset,
    error === undefined ? value : error.code,
  ])

describe('JSON Lines', () => {
  const stream = bytes(
    '\ufeff{"a":"ä€😀"}\r\n \t\n\n{"b":"\u2028"}\n{bad}\r\n\ufeff{}\n"\\ud83d\\ude00"\n[1,\n{"last":true}',
  )

  test('SP-47 SP-48: any cut gives the same lines', () => {
    const whole = createJsonLinesParser()
    const expected = plain([...whole.push(stream), ...whole.end()])
    expect(expected).toMatchInlineSnapshot(`
      [
        [
          1,
          0,
          {
            "a": "ä€😀",
          },
        ],
        [
          4,
          26,
          {
            "b": " ",
          },
        ],
        [
          5,
          38,
          "malformed_json",
        ],
        [
          6,
          45,
          "malformed_json",
        ],
        [
          7,
          51,
          "😀",
        ],
        [
          8,
          66,
          "malformed_json",
        ],
        [
          9,
          70,
          {
            "last": true,
          },
        ],
      ]
    `)
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: stream.length }), { maxLength: 12 }),
        (cuts) => {
          const parser = createJsonLinesParser()
          const places = [0, ...cuts.toSorted((a, b) => a - b), stream.length]
          const lines = places
            .slice(1)
            .flatMap((end, i) => parser.push(stream.slice(places[i], end)))
          expect(plain([...lines, ...parser.end()])).toEqual(expected)
        },
      ),
      { numRuns: 300 },
    )
  })

  test('SP-47: text may be cut inside a surrogate pair', () => {
    const parser = createJsonLinesParser()
    const lines = ['"\ud83d', '', '\ude00"', '\n'].flatMap((piece) => parser.push(piece))
    expect(plain(lines)).toEqual([[1, 0, '😀']])
  })

  test('SP-48: invalid UTF-8 affects only its line', () => {
    const parser = createJsonLinesParser()
    const lines = parser.push(new Uint8Array([0x22, 0xff, 0x22, 0x0a, 0x31, 0x0a]))
    expect(plain(lines)).toEqual([
      [1, 0, 'invalid_utf8'],
      [2, 4, 1],
    ])
  })

  test('SP-47 SP-48: marks, blanks and carriage returns elsewhere are data', () => {
    const read = (text: string) => {
      const parser = createJsonLinesParser()
      return plain([...parser.push(text), ...parser.end()])
    }
    expect(read('1\n\ufeff2\n3\n')).toEqual([
      [1, 0, 1],
      [2, 2, 'malformed_json'],
      [3, 7, 3],
    ])
    expect(read(' \t\n \u00a0\n\u2028\n')).toEqual([
      [2, 3, 'malformed_json'],
      [3, 7, 'malformed_json'],
    ])
    expect(read('1\r\r\n"a\u0085b"\n\r')).toEqual([
      [1, 0, 1],
      [2, 4, 'a\u0085b'],
      [3, 11, 'truncated_line'],
    ])
  })

  test('SP-49: a long line is reported once and skipped', () => {
    const parser = createJsonLinesParser({ limits: { lineBytes: 10 } })
    expect(plain(parser.push('"12345678"\r\n'))).toEqual([[1, 0, '12345678']])
    expect(plain(parser.push('x'.repeat(10)))).toEqual([])
    expect(plain(parser.push('x'))).toEqual([[2, 12, 'limit_exceeded']])
    expect(plain(parser.push('x'.repeat(101)))).toEqual([])
    expect(plain(parser.push('x\n1\n[1'))).toEqual([[3, 126, 1]])
    expect(plain(parser.end())).toEqual([[4, 128, 'truncated_line']])
    const one = createJsonLinesParser({ limits: { lineBytes: 4 } })
    expect(plain(one.push('"12345"\n1\n'))).toEqual([
      [1, 0, 'limit_exceeded'],
      [2, 8, 1],
    ])
  })

  test('SP-49: the limit is passed by the first byte too many, which a CR before LF is not', () => {
    const limits = { lineBytes: 6 }
    const outcomes = (text: string) => {
      const all = new TextEncoder().encode(text)
      const found = Array.from({ length: all.length + 1 }, (_, cut) => {
        const parser = createJsonLinesParser({ limits })
        const lines = [...parser.push(all.slice(0, cut)), ...parser.push(all.slice(cut))]
        return JSON.stringify(plain([...lines, ...parser.end()]))
      })
      return [...new Set(found)]
    }
    expect(outcomes('"1234"\n7\n')).toEqual(['[[1,0,"1234"],[2,7,7]]'])
    expect(outcomes('"1234"\r\n7\n')).toEqual(['[[1,0,"1234"],[2,8,7]]'])
    expect(outcomes('"12345"\n7\n')).toEqual(['[[1,0,"limit_exceeded"],[2,8,7]]'])
    expect(outcomes('"12345"\r\n7\n')).toEqual(['[[1,0,"limit_exceeded"],[2,9,7]]'])
    expect(outcomes('"1234"\r\r\n7\n')).toEqual(['[[1,0,"limit_exceeded"],[2,9,7]]'])
    expect(outcomes('"éé"\r\n"ééx"\n')).toEqual(['[[1,0,"éé"],[2,8,"limit_exceeded"]]'])
    expect(outcomes('7\n"12345"\n8\n')).toEqual(['[[1,0,7],[2,2,"limit_exceeded"],[3,10,8]]'])
    expect(outcomes('7\r\n\r\n\t \r\n8\r\n')).toEqual(['[[1,0,7],[4,9,8]]'])
    expect(outcomes('"1234"')).toEqual(['[[1,0,"1234"]]'])
    expect(outcomes('"1234"\r')).toEqual(['[[1,0,"limit_exceeded"]]'])

    const byByte = (text: string) => {
      const parser = createJsonLinesParser({ limits })
      return Array.from(text).findIndex((character) => parser.push(character).length > 0)
    }
    expect([byByte('xxxxxxx'), byByte('xxxxxx\rx'), byByte('xxxxxx\r\r')]).toEqual([6, 7, 7])
  })

  test('SP-88: nesting is bounded without parsing', () => {
    const parser = createJsonLinesParser()
    const deep = (n: number) => `${'['.repeat(n)}${']'.repeat(n)}\n`
    expect(plain(parser.push(deep(129)))[0]?.[2]).toBe('limit_exceeded')
    expect(plain(parser.push(deep(500_000)))[0]?.[2]).toBe('limit_exceeded')
    expect(parser.push(deep(128))[0]?.error).toBeUndefined()
    expect(parser.push(`"${'[\\"'.repeat(300)}"\n`)[0]?.error).toBeUndefined()
  })

  test('SP-46: encoder and decoder are transform streams', async () => {
    const lines: unknown[] = []
    const source = new ReadableStream<ServerMessage>({
      start(controller) {
        controller.enqueue(del('a'))
        controller.enqueue(del('b\n'))
        controller.close()
      },
    })
    const decoded = source
      .pipeThrough(createJsonLinesEncoder())
      .pipeThrough(createJsonLinesDecoder())
    for await (const { value } of decoded) lines.push(value)
    expect(lines).toEqual([del('a'), del('b\n')])
  })

  test('SP-50: applyStream puts the line into every diagnostic', async () => {
    const store = createSurfaceStore()
    const source = async function* () {
      yield '{"deleteSurface":{}}\n{oops\n'
      yield '{"dataModelUpdate":{"surfaceId":"s","contents":[]}}'
    }
    const results = []
    for await (const { line, applied, diagnostics } of applyStream(store, source())) {
      results.push([line, applied, diagnostics.map((one) => [one.code, one.line, one.offset])])
    }
    expect(results).toEqual([
      [1, false, [['missing_field', 1, undefined]]],
      [2, false, [['malformed_json', 2, 21]]],
      [3, true, []],
    ])
  })

  test('SP-50: a signal ends the stream while it waits', async () => {
    const stop = new AbortController()
    const waiting = {
      [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => undefined) }),
    }
    const reading = applyStream(createSurfaceStore(), waiting, { signal: stop.signal }).next()
    stop.abort(new Error('enough'))
    await expect(reading).rejects.toThrow('enough')
    const lines = []
    for await (const { value } of readJsonLines(new Response('1\n2').body ?? new ReadableStream()))
      lines.push(value)
    expect(lines).toEqual([1, 2])
  })
})

const take = async (source: AsyncIterable<{ id: string; message: unknown }>, count: number) => {
  const items: { id: string; message: unknown }[] = []
  for await (const item of source) {
    items.push(item)
    if (items.length === count) break
  }
  return items
}

describe('channel', () => {
  test('SP-74: late subscribers get the history, resumed ones what follows', async () => {
    const channel = createSurfaceChannel({ runtime: createTestRuntime() })
    expect(channel.lastId).toBeNull()
    for (const id of ['a', 'b', 'c']) await channel.send(del(id))
    const all = await take(channel.subscribe(), 3)
    expect(all.map(({ message }) => message)).toEqual([del('a'), del('b'), del('c')])
    expect(all.map(({ id }) => id.split('.').at(-1))).toEqual(['1', '2', '3'])
    expect(await take(channel.subscribe({ after: all[1]?.id ?? '' }), 1)).toEqual([all[2]])
    expect(await take(channel.subscribe({ after: '' }), 1)).toEqual([all[0]])
    channel.close()
    await expect(channel.send(del('d'))).rejects.toMatchObject({
      code: 'channel_closed',
      status: 409,
    })
    expect(await take(channel.subscribe(), 9)).toHaveLength(3)
  })

  test('SP-74 AB-5 AB-6: a gap needs a channel without state; only the last item of a state has an id', async () => {
    const bare = createSurfaceChannel({ history: 1, mirror: false })
    for (const id of ['a', 'b']) await bare.send(del(id))
    await expect(take(bare.subscribe(), 1)).rejects.toMatchObject({
      code: 'resume_gap',
      status: 410,
    })
    await expect(take(bare.subscribe({ after: 'other.1' }), 1)).rejects.toMatchObject({
      code: 'resume_gap',
    })

    const store = createSurfaceStore()
    const channel = createSurfaceChannel({ history: 1, store })
    const send = async (message: ServerMessage) => {
      store.apply(message)
      await channel.send(message)
    }
    await send({ dataModelUpdate: { surfaceId: 's', contents: [{ key: 'a', valueNumber: 1 }] } })
    await send({ dataModelUpdate: { surfaceId: 'gone', contents: [] } })
    await send(del('gone'))
    const items = await take(channel.subscribe({ after: 'old.7' }), 3)
    expect(items.map(({ message }) => message)).toEqual([
      del('s'),
      del('gone'),
      ...store.snapshot(),
    ])
    expect(items.map(({ id }) => id)).toEqual(['old.7', 'old.7', channel.lastId])
  })

  test('SP-74: the defaults: 1000 messages of history, 64 that wait; no position from the future', async () => {
    const channel = createSurfaceChannel()
    for (let n = 0; n < 1000; n += 1) await channel.send(del('a'))
    expect(await take(channel.subscribe(), 1000)).toHaveLength(1000)
    const ahead = channel.lastId?.replace(/1000$/, '1001') ?? ''
    for (const after of [ahead, ahead.replace(/1001$/, '0'), `${ahead}x`]) {
      await expect(take(channel.subscribe({ after }), 1)).rejects.toMatchObject({
        code: 'resume_gap',
      })
    }
    const idle = channel.subscribe({ after: channel.lastId ?? '' })[Symbol.asyncIterator]()
    for (let n = 0; n < 63; n += 1) await channel.send(del('b'))
    let sent = false
    const last = channel.send(del('c')).then(() => (sent = true))
    await new Promise((resolve) => setImmediate(resolve))
    expect(sent).toBe(false)
    await idle.return?.()
    await last
    expect(await take(channel.subscribe(), 3)).toMatchObject([
      { id: '', message: del('a') },
      { id: '', message: del('b') },
      { id: channel.lastId, message: del('c') },
    ])
  })

  test('SP-74: send waits for the slowest subscriber, and no longer when it leaves', async () => {
    const channel = createSurfaceChannel({ highWaterMark: 2 })
    const iterator = channel.subscribe()[Symbol.asyncIterator]()
    await channel.send(del('a'))
    let sent = false
    const waiting = channel.send(del('b')).then(() => (sent = true))
    await new Promise((resolve) => setImmediate(resolve))
    expect(sent).toBe(false)
    await iterator.next()
    await waiting
    const blocked = channel.send(del('c'))
    await iterator.return?.()
    await blocked
    const stop = new AbortController()
    const other = channel.subscribe({ signal: stop.signal })[Symbol.asyncIterator]()
    for (let n = 0; n < 3; n += 1) await other.next()
    const pending = other.next()
    stop.abort()
    expect(await pending).toMatchObject({ done: true })
  })
})

describe('handler', () => {
  const setup = () => {
    const channel = createSurfaceChannel({ runtime: createTestRuntime() })
    const received: unknown[] = []
    const handler = createSurfaceHandler({
      open: (request) =>
        request.headers.has('x-deny') ? new Response(null, { status: 401 }) : channel,
      onClientMessage: (message) => void received.push(message),
      maxBodyBytes: 1000,
    })
    const get = (headers: Record<string, string> = {}, query = '') =>
      handler(new Request(`http://host.example/s${query}`, { headers }))
    const post = (body: string, type = 'application/json') =>
      handler(
        new Request('http://host.example/s', {
          method: 'POST',
          body,
          headers: { 'content-type': type },
        }),
      )
    return { channel, handler, get, post, received }
  }

  test('SP-75: the form of the answer follows Accept', async () => {
    const { channel, get, handler } = setup()
    await channel.send(del('a'))
    channel.close()
    const sse = await get({ accept: 'text/event-stream' })
    expect(Object.fromEntries(sse.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
    })
    expect(await sse.text()).toBe(
      `id: ${channel.lastId}\ndata: {"deleteSurface":{"surfaceId":"a"}}\n\n`,
    )
    for (const accept of ['*/*', 'application/jsonl', 'application/x-ndjson;q=0.5']) {
      const lines = await get({ accept })
      expect(lines.headers.get('content-type')).toBe('application/jsonl; charset=utf-8')
      expect(await lines.text()).toBe('{"deleteSurface":{"surfaceId":"a"}}\n')
    }
    expect((await get({ accept: 'text/html' })).status).toBe(406)
    expect((await get({ 'x-deny': '1' })).status).toBe(401)
    const put = await handler(new Request('http://host.example/s', { method: 'PUT' }))
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST'])
    const head = await handler(new Request('http://host.example/s', { method: 'HEAD' }))
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  test('SP-75: client messages are checked before any of them counts', async () => {
    const { post, received } = setup()
    const action = {
      userAction: {
        name: 'x',
        surfaceId: 's',
        sourceComponentId: 'b',
        timestamp: '2026-01-05T08:00:00Z',
        context: {},
      },
    }
    const error = { error: { code: 'x' } }
    const ok = await post(JSON.stringify(action))
    expect([ok.status, await ok.json()]).toEqual([202, { accepted: 1 }])
    expect(
      await (
        await post(`${JSON.stringify(action)}\n${JSON.stringify(error)}\n`, 'application/jsonl')
      ).json(),
    ).toEqual({ accepted: 2 })
    const bad = await post(JSON.stringify([action, { userAction: {} }]))
    expect(bad.status).toBe(422)
    expect(await bad.json()).toMatchObject({
      error: { code: 'missing_field', diagnostics: [{ index: 1 }, {}, {}, {}, {}] },
    })
    expect(received).toHaveLength(3)
    expect((await post('{', 'application/json')).status).toBe(400)
    expect((await post('x'.repeat(2000))).status).toBe(413)
    expect((await post('x', 'text/plain')).status).toBe(415)
  })

  test('SP-75: errors of a host are not shown to the client', async () => {
    const handler = createSurfaceHandler({
      open() {
        throw new Error('secret')
      },
    })
    const response = await handler(new Request('http://host.example/s'))
    expect(response.status).toBe(500)
    expect(await response.text()).not.toContain('secret')
  })

  test('SP-76: resume by header and query, and 410 for a gap', async () => {
    const { channel, get } = setup()
    for (const id of ['a', 'b', 'c']) await channel.send(del(id))
    channel.close()
    const name = channel.lastId?.split('.')[0] ?? ''
    const accept = 'text/event-stream'
    expect(await (await get({ accept, 'last-event-id': `${name}.2` })).text()).toMatch(
      /^id: .*\.3\n/,
    )
    expect(await (await get({}, `?lastEventId=${name}.2`)).text()).toBe(
      '{"deleteSurface":{"surfaceId":"c"}}\n',
    )
    const gap = await get({ accept, 'last-event-id': 'old.7' })
    expect([gap.status, await gap.json()]).toMatchObject([410, { error: { code: 'resume_gap' } }])
  })

  test('SP-76: heartbeats, errors and readers that leave', async () => {
    const runtime = createTestRuntime()
    const channel = createSurfaceChannel({ runtime })
    const handler = createSurfaceHandler({ open: () => channel, heartbeatMs: 100, runtime })
    const read = async (accept: string) => {
      const response = await handler(new Request('http://host.example/s', { headers: { accept } }))
      return response.body?.getReader()
    }
    const text = (chunk: { value?: Uint8Array } | undefined) =>
      new TextDecoder().decode(chunk?.value)
    const sse = await read('text/event-stream')
    const first = sse?.read()
    await runtime.advance(100)
    expect(text(await first)).toBe(': ping\n\n')
    const lines = await read('*/*')
    const blank = lines?.read()
    await runtime.advance(100)
    expect(text(await blank)).toBe('\n')
    await lines?.cancel()
    const last = sse?.read()
    channel.close(new Error('inner'))
    const closing = text(await last)
    expect(closing).toContain('event: error\ndata: {"code":"internal_error"')
    expect(closing).not.toContain('inner')
  })

  test('SP-76: the helpers take any source', async () => {
    const source = async function* () {
      yield del('a')
    }
    expect(await toJsonLinesResponse(source()).text()).toBe('{"deleteSurface":{"surfaceId":"a"}}\n')
    const items = async function* () {
      yield { id: 'x\ny', message: del('a') }
    }
    expect(await toSseResponse(items()).text()).toBe(
      'id: xy\ndata: {"deleteSurface":{"surfaceId":"a"}}\n\n',
    )
  })
})
