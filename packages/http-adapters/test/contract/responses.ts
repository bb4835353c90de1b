import { expect, describe, test } from 'vitest'
import { jsonResponse } from '@x/http-adapters'
import type { Bench } from '../adapter-contract.ts'
import { send } from '../loopback.ts'

const everyByte = Uint8Array.from({ length: 256 }, (_, index) => index)

export function responseCases({ mount, serve }: Bench): void {
  describe('responses', () => {
    test('AD-20 several Set-Cookie stay separate lines', async () => {
      const { port } = await serve(() => {
        const headers = new Headers({ 'x-one': '1' })
        headers.append('set-cookie', 'a=1; Path=/')
        headers.append('set-cookie', 'b=2')
        return new Response('body', { headers })
      })
      const { headers } = await send(port)
      expect(headers['set-cookie']).toEqual(['a=1; Path=/', 'b=2'])
      expect(headers['x-one']).toBe('1')
    })

    test.each([204, 304])('AD-21 %s has no body and no length', async (status) => {
      const { port } = await serve(() => new Response(null, { status, headers: { 'x-a': '1' } }))
      const answer = await send(port)
      expect(answer.status).toBe(status)
      expect(answer.text).toBe('')
      expect(answer.headers['content-length']).toBeUndefined()
      expect(answer.headers['x-a']).toBe('1')
    })

    test('AD-21 205 has no body', async () => {
      const { port } = await serve(() => new Response(null, { status: 205 }))
      const answer = await send(port)
      expect([answer.status, answer.text]).toEqual([205, ''])
    })

    test('AD-21 an answer without body says so', async () => {
      const { port } = await serve(() => new Response(null, { status: 404 }))
      const answer = await send(port)
      expect([answer.status, answer.text]).toEqual([404, ''])
      expect(answer.headers['transfer-encoding']).toBeUndefined()
    })

    test('AD-21 HEAD keeps type and length and sends no body', async () => {
      let cancelled = 0
      const { port } = await serve(
        () =>
          new Response(
            new ReadableStream({ cancel: () => void cancelled++ }, { highWaterMark: 0 }),
            { headers: { 'content-type': 'text/x-kept', 'content-length': '1234' } },
          ),
      )
      const answer = await send(port, { method: 'HEAD' })
      expect(answer.text).toBe('')
      expect(answer.headers).toMatchObject({
        'content-type': 'text/x-kept',
        'content-length': '1234',
      })
      expect(cancelled).toBe(mount.cancelsHead ? 1 : 0)
    })

    test('AD-14 a deferred answer arrives like a genuine one', async () => {
      const { port } = await serve((request) =>
        jsonResponse(request, { sent: 'ü' }, { status: 201, headers: { 'X-Own': 'yes' } }),
      )
      const answer = await send(port)
      expect(answer.status).toBe(201)
      expect(answer.json()).toEqual({ sent: 'ü' })
      expect(answer.headers).toMatchObject({
        'content-type': 'application/json',
        'content-length': '13',
        'x-own': 'yes',
      })
    })

    test('AD-14 jsonResponse takes every form of headers, and keeps cookies apart', async () => {
      const cookies = new Headers([
        ['set-cookie', 'a=1'],
        ['set-cookie', 'b=2'],
        ['content-type', 'application/scim+json'],
      ])
      const { port } = await serve((request) => jsonResponse(request, 1, { headers: cookies }))
      const { headers } = await send(port)
      expect(headers['set-cookie']).toEqual(['a=1', 'b=2'])
      expect(headers['content-type']).toBe('application/scim+json')
    })

    test('AD-14 a deferred answer that was looked at is sent as it is by then', async () => {
      const { port } = await serve(async (request) => {
        const inner = jsonResponse(request, { inner: true })
        expect(inner).toBeInstanceOf(Response)
        expect([inner.status, inner.ok]).toEqual([200, true])
        inner.headers.set('x-added', 'by the wrapper')
        return inner
      })
      const answer = await send(port)
      expect(answer.headers['x-added']).toBe('by the wrapper')
      expect(answer.json()).toEqual({ inner: true })
    })

    test('AD-14 a deferred answer can be wrapped in a new Response', async () => {
      const { port } = await serve((request) => {
        const inner = jsonResponse(request, { inner: true }, { status: 202 })
        return new Response(inner.body, inner)
      })
      const answer = await send(port)
      expect([answer.status, answer.json()]).toEqual([202, { inner: true }])
      expect(answer.headers['content-type']).toBe('application/json')
    })

    test('AD-14 a deferred answer that was read cannot be sent', async () => {
      const { port } = await serve(async (request) => {
        const inner = jsonResponse(request, { inner: true })
        await inner.text()
        return inner
      })
      expect((await send(port)).status).not.toBe(200)
    })

    test('AD-21 a body of one ready chunk has a length', async () => {
      const { port } = await serve(() => new Response('ready'))
      const answer = await send(port)
      expect(answer.headers['content-length']).toBe('5')
      expect(answer.headers['transfer-encoding']).toBeUndefined()
      expect(answer.text).toBe('ready')
    })

    test('AD-31.3 binary bodies byte for byte, from the handler and as a stream', async () => {
      const { port } = await serve((request) =>
        request.url.endsWith('/stream')
          ? new Response(ReadableStream.from([everyByte, everyByte.slice(0, 10)]))
          : new Response(everyByte),
      )
      expect([...(await send(port)).bytes]).toEqual([...everyByte])
      expect([...(await send(port, { path: '/stream' })).bytes]).toEqual([
        ...everyByte,
        ...everyByte.slice(0, 10),
      ])
    })

    test('AD-21 a stream is chunked unless the handler gave a length', async () => {
      const chunks = async function* (): AsyncGenerator<Uint8Array> {
        for (const text of ['one ', 'two ', 'three']) {
          await new Promise((resolve) => setImmediate(resolve))
          yield new TextEncoder().encode(text)
        }
      }
      const { port } = await serve((request) => {
        const headers: Record<string, string> = request.url.endsWith('/length')
          ? { 'content-length': '13' }
          : {}
        return new Response(ReadableStream.from(chunks()), { headers })
      })
      const chunked = await send(port)
      expect(chunked.text).toBe('one two three')
      expect(chunked.headers['transfer-encoding']).toBe('chunked')
      const known = await send(port, { path: '/length' })
      expect(known.text).toBe('one two three')
      expect(known.headers['content-length']).toBe('13')
      expect(known.headers['transfer-encoding']).toBeUndefined()
    })

    test('AD-20 the status text of the handler is sent', async () => {
      const { port } = await serve(() => new Response('', { status: 200, statusText: 'Fine' }))
      expect((await fetch(`http://127.0.0.1:${port}/`)).statusText).toBe('Fine')
    })
  })
}
