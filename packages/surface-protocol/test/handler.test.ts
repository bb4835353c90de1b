import { describe, expect, test, vi } from 'vitest'
import {
  createSurfaceChannel,
  createSurfaceHandler,
  toSseResponse,
  type SurfaceHandlerOptions,
} from '@x/surface-protocol/http'
import { createTestRuntime } from '@x/surface-protocol/testing'
import { SurfaceError } from '@x/surface-protocol'

const del = (surfaceId: string) => ({ deleteSurface: { surfaceId } })
const address = 'http://host.example/s'

const setup = (options: Partial<SurfaceHandlerOptions> = {}) => {
  const runtime = createTestRuntime()
  const channel = createSurfaceChannel({ runtime })
  const handler = createSurfaceHandler({ open: () => channel, runtime, ...options })
  const get = (headers: Record<string, string> = {}, query = '') =>
    handler(new Request(`${address}${query}`, { headers }))
  const post = (body: string, type = 'application/json') =>
    handler(new Request(address, { method: 'POST', body, headers: { 'content-type': type } }))
  return { runtime, channel, handler, get, post }
}
const decode = ({ value }: { value?: Uint8Array | undefined }) => new TextDecoder().decode(value)

describe('what a surface handler answers by itself', () => {
  test('HO-30: with a base path other paths get 404', async () => {
    const { get } = setup({ basePath: '/surfaces' })
    const outside = await get()
    expect([outside.status, await outside.json()]).toEqual([
      404,
      {
        error: {
          code: 'not_found',
          message: 'The path /s is not below the base path "/surfaces" of the surface.',
        },
      },
    ])
    expect((await setup({ basePath: '/s' }).get()).status).toBe(200)
    expect(() => setup({ basePath: '/s/' })).toThrow(
      `createSurfaceHandler: option "basePath" must begin with / and not end with /, got '/s/'; write '/s'`,
    )
    expect(() => setup({ opn: 1 } as never)).toThrow('unknown option "opn". Did you mean "open"?')
  })

  test('SP-76: a heartbeat is sent after 15 seconds of silence', async () => {
    const { runtime, channel, get } = setup()
    const items = channel.subscribe()
    for (const [response, sign] of [
      [await get({ accept: 'text/event-stream' }), ': ping\n\n'],
      [await get(), '\n'],
      [toSseResponse(items, { runtime }), ': ping\n\n'],
    ] as const) {
      const reader = response.body?.getReader()
      let seen: string | undefined
      const read = reader?.read().then((chunk) => (seen = decode(chunk)))
      await runtime.advance(14_999)
      expect(seen).toBeUndefined()
      await runtime.advance(1)
      await read
      expect(seen).toBe(sign)
      await reader?.cancel()
    }
  })

  test('HO-44: a body that the host ends with a status is answered with it', async () => {
    const onError = vi.fn<(error: unknown) => void>()
    const { handler } = setup({ onError })
    const pull = () => {
      throw Object.assign(new Error('secret'), { status: 413 })
    }
    const body = new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 })
    const headers = { 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body, duplex: 'half' as const }
    const response = await handler(new Request(address, init))
    const error = { code: 'limit_exceeded', message: 'Payload Too Large' }
    expect([response.status, await response.json()]).toEqual([413, { error }])
    expect(onError).not.toHaveBeenCalled()
  })

  test('SP-75: a body may have 65536 bytes, not one more', async () => {
    const { post } = setup()
    const sized = (size: number) => {
      const frame = JSON.stringify({ error: { a: '' } }).length
      return JSON.stringify({ error: { a: 'x'.repeat(size - frame) } })
    }
    expect((await post(sized(65_536))).status).toBe(202)
    const refused = await post(sized(65_537))
    expect([refused.status, await refused.json()]).toMatchObject([
      413,
      { error: { code: 'limit_exceeded' } },
    ])
  })

  test('SP-75: JSON and JSON Lines are taken, other types refused', async () => {
    const { channel, post } = setup()
    channel.close()
    const error = JSON.stringify({ error: {} })
    for (const type of [
      'application/json',
      'application/json; charset=utf-8',
      'APPLICATION/JSONL',
      'application/x-ndjson',
    ]) {
      expect((await post(error, type)).status).toBe(202)
    }
    for (const type of ['text/plain', 'application/jsonx', 'multipart/form-data; boundary=x']) {
      expect((await post(error, type)).status).toBe(415)
    }
  })

  test('SP-75: Accept decides between events and lines, or refuses both', async () => {
    const { channel, get } = setup()
    channel.close()
    for (const [accept, form] of [
      ['text/event-stream;q=0, */*', 'application/jsonl; charset=utf-8'],
      ['application/jsonl, text/event-stream', 'text/event-stream; charset=utf-8'],
      ['application/x-ndjson', 'application/jsonl; charset=utf-8'],
    ] as const) {
      const response = await get({ accept })
      expect(response.headers.get('content-type')).toBe(form)
      expect(response.headers.get('cache-control')).toBe('no-cache')
    }
    expect((await get({ accept: '*/*;q=0' })).status).toBe(406)
  })

  test('SP-75: an empty Accept gets lines', async () => {
    const { channel, get } = setup()
    channel.close()
    const response = await get({ accept: '' })
    expect(response.headers.get('content-type')).toBe('application/jsonl; charset=utf-8')
  })

  test('SP-75: a body nested too deep is not parsed', async () => {
    const { channel, post } = setup()
    channel.close()
    const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
    expect((await post(nested(128))).status).toBe(422)
    const refused = await post(nested(129))
    expect([refused.status, await refused.json()]).toMatchObject([
      413,
      { error: { code: 'limit_exceeded' } },
    ])
  })

  test('SP-75: unknown errors have a fixed message, known ones their own', async () => {
    const failing = (error: unknown) =>
      setup({
        open: () => {
          throw error
        },
      }).get()
    const unknown = await failing(new Error('secret'))
    expect([unknown.status, await unknown.json()]).toEqual([
      500,
      { error: { code: 'internal_error', message: 'An internal error occurred.' } },
    ])
    const known = await failing(new SurfaceError({ code: 'surface_not_found', detail: 'Gone.' }))
    expect([known.status, await known.json()]).toEqual([
      404,
      { error: { code: 'surface_not_found', message: 'Gone.' } },
    ])
  })

  test('SP-76: lines are resumed by query only, events by the header first', async () => {
    const { channel, get } = setup()
    for (const id of ['a', 'b', 'c']) await channel.send(del(id))
    const second = channel.lastId?.replace(/3$/, '2') ?? ''
    channel.close()
    const lines = await get({ 'last-event-id': second })
    expect((await lines.text()).trim().split('\n')).toHaveLength(3)
    const accept = 'text/event-stream'
    const byQuery = await get({ accept }, `?lastEventId=${second}`)
    expect((await byQuery.text()).match(/^id: /gm)).toHaveLength(1)
    const both = await get({ accept, 'last-event-id': second }, '?lastEventId=old.7')
    expect(both.status).toBe(200)
  })

  test('SP-76: a channel that closes with an error says so to events and aborts lines', async () => {
    const { channel, get } = setup()
    const events = await get({ accept: 'text/event-stream' })
    const lines = await get()
    channel.close(new SurfaceError({ code: 'limit_exceeded', detail: 'Too much.' }))
    expect(await events.text()).toBe(
      'event: error\ndata: {"code":"limit_exceeded","message":"Too much."}\n\n',
    )
    await expect(lines.text()).rejects.toThrow()
  })

  test.each(['text/event-stream', 'application/jsonl'])(
    'SP-76: a request that is aborted ends its body, %s, without an error that hosts would log',
    async (accept) => {
      const { channel, handler } = setup()
      const leave = new AbortController()
      const options = { headers: { accept }, signal: leave.signal }
      const response = await handler(new Request(address, options))
      await channel.send(del('a'))
      const reader = response.body?.getReader()
      expect(decode((await reader?.read()) ?? {})).toContain('deleteSurface')
      const next = reader?.read()
      leave.abort()
      expect(await next).toEqual({ done: true, value: undefined })
    },
  )

  test('SP-76: no message is taken from the channel before the reader has room', async () => {
    let taken = 0
    const source = async function* () {
      for (let n = 0; n < 100; n += 1) {
        taken += 1
        yield { id: String(n), message: del('a') }
      }
    }
    const { runtime } = setup()
    const reader = toSseResponse(source(), { runtime }).body?.getReader()
    await reader?.read()
    await new Promise((resolve) => setImmediate(resolve))
    expect(taken).toBeLessThanOrEqual(3)
    await reader?.cancel()
  })
})

describe('what a host learns of a surface request', () => {
  test('OP-1, OP-10, OP-12: hooks, the id, and the cause of a 500 once', async () => {
    const failure = new Error('no channel')
    const told: unknown[] = []
    const ends: unknown[] = []
    const { handler } = setup({
      open: () => Promise.reject(failure),
      route: '/surfaces/{name}',
      onError: (error, info) => told.push(error, info),
      requestHooks: {
        onRequestEnd: ({ route, requestId }, { status, error }) =>
          void ends.push({ route, requestId, status, error }),
      },
    })
    const response = await handler(new Request(address), { requestId: 'r' })
    expect([response.status, response.headers.get('x-request-id')]).toEqual([500, 'r'])
    expect(told).toEqual([failure, { requestId: 'r' }])
    expect(ends).toEqual([
      { route: '/surfaces/{name}', requestId: 'r', status: 500, error: failure },
    ])
  })

  test('OP-12: without onError the cause is written to the console', async () => {
    const written = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const failure = new Error('no channel')
    const { handler } = setup({ open: () => Promise.reject(failure) })
    const response = await handler(new Request(address))
    const id = response.headers.get('x-request-id')
    expect(written.mock.calls).toEqual([[`Surface request ${id} failed:`, failure]])
    written.mockRestore()
  })
})
