import { once } from 'node:events'
import { connect, createServer, type ClientHttp2Session } from 'node:http2'
import { connect as connectTcp, type AddressInfo, type Socket } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { jsonResponse, type FetchHandler } from '@x/http-adapters'
import { toNodeListener } from '@x/http-adapters/node'
import { deferred, settled, turns } from './loopback.ts'

/** Tells whether a TypeError is thrown, as for an invalid header name. */
function refuses(call: () => unknown): boolean {
  try {
    call()
    return false
  } catch (error) {
    return error instanceof TypeError
  }
}

describe('HTTP/2 compatibility mode (AD-31.10)', () => {
  let handler: FetchHandler
  const server = createServer(
    toNodeListener((request, context: object) => handler(request, context)),
  )
  let session: ClientHttp2Session
  beforeEach(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  })
  afterEach(async () => {
    session.destroy()
    await new Promise((resolve) => server.close(resolve))
  })

  const ask = async (
    headers: Record<string, string>,
    body?: string,
  ): Promise<{ status: unknown; headers: Record<string, unknown>; text: string }> => {
    const stream = session.request(headers)
    stream.end(body)
    const [received] = (await once(stream, 'response')) as [Record<string, unknown>]
    return { status: received[':status'], headers: received, text: await textOf(stream) }
  }

  /** The head of a frame and its payload (RFC 9113, section 4.1). */
  const frame = (type: number, flags: number, stream: number, payload: Buffer): Buffer => {
    const head = Buffer.alloc(9)
    head.writeUIntBE(payload.length, 0, 3)
    head.writeUInt8(type, 3)
    head.writeUInt8(flags, 4)
    head.writeUInt32BE(stream, 5)
    return Buffer.concat([head, payload])
  }
  const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
  const SETTINGS = frame(4, 0, 0, Buffer.alloc(0))
  /** GET http / of the static table. */
  const GET = Buffer.from([0x82, 0x86, 0x84])

  const openRaw = async (): Promise<Socket> => {
    const socket = connectTcp((server.address() as AddressInfo).port, '127.0.0.1')
    socket.on('error', () => undefined).resume()
    await once(socket, 'connect')
    return socket
  }

  test('AB-20 a target without a leading slash does not reach behind a guard', async () => {
    handler = ({ url }) => new Response(`ours ${new URL(url).pathname}`)
    // Node checks the paths of http and https only.
    const textOfPath = async (path: string): Promise<string> =>
      (await ask({ ':path': path, ':scheme': 'ftp' })).text
    expect(await textOfPath('/x')).toBe('ours /x')
    for (const path of ['x', '*', '?x', 'x:/x'])
      expect([path, await textOfPath(path)]).toEqual([path, '{"detail":"Not Found"}'])
  })

  test('AB-24 streams that are reset at once are cancelled, and others are answered', async () => {
    const signals: AbortSignal[] = []
    handler = ({ url, signal }) => {
      if (url.endsWith('/other')) return new Response('other')
      signals.push(signal)
      return new Promise<Response>(() => undefined)
    }
    const cancel = Buffer.from([0, 0, 0, 8])
    const resets = Array.from({ length: 5_000 }, (_, at) => [
      frame(1, 5, 2 * at + 1, GET),
      frame(3, 0, 2 * at + 1, cancel),
    ])
    const socket = await openRaw()
    socket.write(Buffer.concat([PREFACE, SETTINGS, ...resets.flat()]))
    expect(await ask({ ':path': '/other' })).toMatchObject({ status: 200, text: 'other' })
    await settled(() => signals.every(({ aborted }) => aborted))
    socket.destroy()
    await turns(50)
    expect(signals.filter(({ aborted }) => !aborted)).toEqual([])
    // The server takes about a thousand of them.
    expect(signals.length).toBeLessThan(5_000)
  })

  test('AB-24 headers that go on without end close the connection', async () => {
    let started = 0
    handler = () => {
      started += 1
      return new Response('')
    }
    const socket = await openRaw()
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.write(Buffer.concat([PREFACE, SETTINGS, frame(1, 1, 1, GET)]))
    const more = Buffer.from(`\0\u0003x-a\u0064${'b'.repeat(100)}`, 'latin1')
    const thousand = Buffer.concat(Array.from({ length: 1_000 }, () => frame(9, 0, 1, more)))
    for (let at = 0; at < 500 && !socket.destroyed; at += 1) {
      if (!socket.write(thousand)) await turns(20)
    }
    await closed
    expect(started).toBe(0)
  })

  test('method, url and headers arrive without the pseudo headers', async () => {
    handler = (request) =>
      jsonResponse(request, {
        method: request.method,
        url: request.url,
        isRefused: refuses(() => request.headers.get(':path')),
        keys: [...request.headers.keys()].filter((name) => name.startsWith(':')),
        sent: request.headers.get('x-sent'),
      })
    const { text } = await ask({ ':path': '/x?y=1', ':authority': 'public.example', 'x-sent': 'v' })
    expect(JSON.parse(text)).toEqual({
      method: 'GET',
      url: 'http://public.example/x?y=1',
      keys: [],
      sent: 'v',
      isRefused: true,
    })
  })

  test('a body is read; headers and status text of HTTP/1 are left out, unwarned', async () => {
    const onWarning = vi.fn<() => void>()
    process.on('warning', onWarning)
    handler = async (request) =>
      jsonResponse(request, await request.json(), {
        status: 201,
        headers: { connection: 'keep-alive', 'transfer-encoding': 'chunked', 'x-own': '1' },
      })
    const answer = await ask({ ':method': 'POST', ':path': '/' }, '{"a":1}')
    expect([answer.status, answer.text, answer.headers['x-own']]).toEqual([201, '{"a":1}', '1'])
    expect(answer.headers['connection']).toBeUndefined()
    handler = () => new Response('', { statusText: 'Fine' })
    expect((await ask({ ':path': '/' })).status).toBe(200)
    await turns(2)
    process.off('warning', onWarning)
    expect(onWarning).not.toHaveBeenCalled()
  })

  test('a POST without body has none (AD-12)', async () => {
    handler = ({ body }) => Response.json(body)
    const stream = session.request({ ':method': 'POST', ':path': '/' }, { endStream: true })
    expect(await textOf(stream)).toBe('null')
  })

  test('a stream arrives, several cookies stay apart', async () => {
    const headers = new Headers([
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2'],
    ])
    handler = (request) => new Response(request.body, { headers })
    const answer = await ask({ ':method': 'POST', ':path': '/' }, 'x'.repeat(100_000))
    expect(answer.text).toHaveLength(100_000)
    expect(answer.headers['set-cookie']).toEqual(['a=1', 'b=2'])
  })

  test('a large unread body does not delay the answer (AD-17)', async () => {
    handler = () => new Response('no', { status: 401 })
    const stream = session.request({ ':method': 'POST', ':path': '/' })
    stream.on('error', () => undefined)
    stream.write('x'.repeat(500_000))
    const [headers] = (await once(stream, 'response')) as [Record<string, unknown>]
    expect(headers[':status']).toBe(401)
    stream.close()
    expect((await ask({ ':path': '/' })).status).toBe(401)
  })

  test('after the answer the rest of an unread body is refused (AD-17)', async () => {
    const read = deferred<string>()
    handler = async (request) => {
      if (request.url.endsWith('/read')) void request.text().then(read.resolve)
      if (request.url.endsWith('/some')) {
        const reader = request.body?.getReader()
        await reader?.read()
        await reader?.cancel()
      }
      return new Response(null)
    }
    for (const path of ['/', '/some']) {
      const unread = session.request({ ':method': 'POST', ':path': path })
      unread.on('error', () => undefined).write('half')
      await once(unread.resume(), 'close')
    }

    const stream = session.request({ ':method': 'POST', ':path': '/read' })
    stream.write('half')
    await once(stream.resume(), 'end')
    stream.end(' whole')
    expect(await read.promise).toBe('half whole')
  })

  test('a signal first used after the client left is aborted (AD-18)', async () => {
    const called = deferred()
    const left = deferred()
    const isAborted = deferred<boolean>()
    handler = async (request) => {
      called.resolve()
      await left.promise
      isAborted.resolve(request.signal.aborted)
      return new Response('too late')
    }
    const stream = session.request({ ':path': '/' })
    stream.on('error', () => undefined)
    await called.promise
    stream.close(8)
    await once(stream, 'close')
    await turns(20)
    left.resolve()
    expect(await isAborted.promise).toBe(true)
  })

  test('the signal aborts and a body being read rejects when the client leaves (AD-18)', async () => {
    const called = deferred()
    const error = deferred<unknown>()
    const aborted = deferred()
    handler = async (request) => {
      request.signal.addEventListener('abort', () => aborted.resolve())
      called.resolve()
      error.resolve(await request.text().catch((reason: unknown) => reason))
      return new Response('too late')
    }
    const stream = session.request({ ':method': 'POST', ':path': '/' })
    stream.on('error', () => undefined)
    stream.write('half')
    await called.promise
    stream.close(8)
    expect(await error.promise).toMatchObject({ code: 'client_gone' })
    await aborted.promise
  })

  test('an error in mid-stream resets the stream (AD-26)', async () => {
    let pulls = 0
    handler = () =>
      new Response(
        new ReadableStream({
          async pull(controller) {
            await new Promise((resolve) => setImmediate(resolve))
            if (pulls++ > 2) controller.error(new Error('inner'))
            else controller.enqueue(new Uint8Array(10))
          },
        }),
      )
    await expect(ask({ ':path': '/' })).rejects.toThrow(/INTERNAL_ERROR/)
  })
})
