import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { jsonResponse } from '@x/http-adapters'
import type { Bench, CommonOptions, TestHandler } from '../adapter-contract.ts'
import { open, send, settled, until } from '../loopback.ts'

const PLAIN = { detail: 'Internal Server Error' }
const boom = new Error('secret text')

export function errorCases(bench: Bench): void {
  const serve = bench.serve.bind(bench)

  describe('errors', () => {
    const unhandled = vi.fn<() => void>()
    beforeEach(() => {
      unhandled.mockClear()
      process.on('unhandledRejection', unhandled).on('uncaughtException', unhandled)
    })
    afterEach(async () => {
      await settled(() => true)
      process.off('unhandledRejection', unhandled).off('uncaughtException', unhandled)
      expect(unhandled).not.toHaveBeenCalled()
    })

    const failures: [name: string, handler: TestHandler, options: CommonOptions][] = [
      [
        'a handler that throws',
        () => {
          throw boom
        },
        {},
      ],
      ['a handler that rejects', () => Promise.reject(boom), {}],
      ['a handler that returns nothing', () => undefined as unknown as Response, {}],
      ['a handler that returns something else', async () => 'text' as unknown as Response, {}],
      [
        'a context that throws',
        () => new Response(),
        {
          context: () => {
            throw boom
          },
        },
      ],
      ['a context that rejects', () => new Response(), { context: () => Promise.reject(boom) }],
      [
        'a match that throws',
        () => new Response(),
        {
          match: () => {
            throw boom
          },
        },
      ],
      ['an origin that is none', () => new Response(), { origin: () => 'nonsense' }],
      [
        'a body that fails at once',
        () => new Response(new ReadableStream({ start: (c) => c.error(boom) })),
        {},
      ],
    ]

    test.each(failures)('AD-26 %s is a plain 500', async (_name, handler, options) => {
      const { port } = await serve(handler, options)
      const answer = await send(port)
      expect([answer.status, answer.json()]).toEqual([500, PLAIN])
      expect(answer.headers['content-type']).toBe('application/json')
    })

    test.each(failures)(
      'AD-26 %s is reported once, and may be answered',
      async (_name, handler, options) => {
        const onError = vi.fn<() => Response>(() => Response.json({ own: true }, { status: 503 }))
        const { port } = await serve(handler, { ...options, onError })
        const answer = await send(port, { path: '/x' })
        expect([answer.status, answer.json()]).toEqual([503, { own: true }])
        expect(onError).toHaveBeenCalledTimes(1)
        expect(onError).toHaveBeenCalledWith(
          expect.any(Error),
          expect.objectContaining({ sent: false, request: expect.any(Request) as unknown }),
        )
      },
    )

    test.each([
      [
        'throws',
        () => {
          throw boom
        },
      ],
      ['rejects', () => Promise.reject(boom)],
    ])('AD-8 the handler is not called when the context %s', async (_name, context) => {
      const handler = vi.fn<TestHandler>(() => new Response())
      const { port } = await serve(handler, { context })
      expect((await send(port)).status).toBe(500)
      expect(handler).not.toHaveBeenCalled()
    })

    test.each([
      [
        'fails itself',
        () => {
          throw boom
        },
      ],
      ['rejects', () => Promise.reject(boom)],
      ['returns no Response', () => undefined],
    ])('AD-26 an onError that %s leads to the plain 500', async (_name, onError) => {
      const { port } = await serve(() => Promise.reject(boom), { onError })
      const answer = await send(port)
      expect([answer.status, answer.json()]).toEqual([500, PLAIN])
    })

    test('AD-26 an error in mid-stream resets the connection and is reported with sent: true', async () => {
      const onError = vi.fn<() => void>()
      let pulls = 0
      const { port } = await serve(
        () =>
          new Response(
            new ReadableStream(
              {
                async pull(controller) {
                  await new Promise((resolve) => setImmediate(resolve))
                  if (pulls++ > 3) controller.error(boom)
                  else controller.enqueue(new Uint8Array(10))
                },
              },
              { highWaterMark: 0 },
            ),
          ),
        { onError },
      )
      await expect(send(port)).rejects.toThrow()
      await settled(() => onError.mock.calls.length > 0)
      expect(onError).toHaveBeenCalledTimes(1)
      expect(onError).toHaveBeenCalledWith(boom, expect.objectContaining({ sent: true }))
    })

    test('AD-26 a deferred answer that HTTP cannot carry is a 500, and leaves nothing behind', async () => {
      const onError = vi.fn<() => void>()
      const { port } = await serve(
        (request) =>
          request.url.endsWith('/header')
            ? jsonResponse(request, 1, { headers: { 'x-good': '1', 'x-bad': 'a\nb' } })
            : jsonResponse(request, 1, { status: Number(request.url.slice(-3)) }),
        { onError },
      )
      expect((await send(port, { path: '/599' })).status).toBe(599)
      for (const path of ['/header', '/600', '/199']) {
        const answer = await send(port, { path })
        expect([answer.status, answer.json()]).toEqual([500, PLAIN])
        expect(answer.headers['x-good']).toBeUndefined()
      }
      expect(onError).toHaveBeenCalledTimes(3)
    })

    test('AD-26 onError gets the request of the handler, and nothing is printed', async () => {
      const printed = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
      const logged = vi.spyOn(console, 'error').mockReturnValue(undefined)
      const requests: Request[] = []
      const { port } = await serve(
        (request) => {
          requests.push(request)
          throw boom
        },
        { onError: (_error, { request }) => void requests.push(request) },
      )
      await send(port)
      expect(requests).toHaveLength(2)
      expect(requests[1]).toBe(requests[0])
      expect(printed).not.toHaveBeenCalled()
      expect(logged).not.toHaveBeenCalled()
      vi.restoreAllMocks()
    })

    test('AD-26 a thenable of a handler is waited for like a promise', async () => {
      const then = (resolve: (response: Response) => void): void => resolve(new Response('made'))
      // oxlint-disable-next-line unicorn/no-thenable -- what other promise libraries give
      const { port } = await serve(() => ({ then }) as Promise<Response>)
      expect((await send(port)).text).toBe('made')
    })

    test('AD-26 Response.error() is a 500', async () => {
      const { port } = await serve(() => Response.error())
      expect((await send(port)).status).toBe(500)
    })

    test('AD-27 a handler that fails after the client has left raises no unhandled rejection', async () => {
      let isFailed = false
      const { port } = await serve(async (request) => {
        await new Promise<void>((resolve) => {
          request.signal.addEventListener('abort', () => resolve())
        })
        isFailed = true
        throw boom
      })
      const socket = await open(port)
      socket.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n')
      await settled(() => true)
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
      socket.destroy()
      await settled(() => isFailed)
      await settled(() => true)
      expect(unhandled).not.toHaveBeenCalled()
    })

    test('AD-27 after a failure the connection serves its next request', async () => {
      const { port } = await serve((request) => {
        if (request.url.endsWith('/bad')) throw boom
        return new Response('good')
      })
      const socket = await open(port)
      socket.write('GET /bad HTTP/1.1\r\nHost: h\r\n\r\n')
      await until(socket, PLAIN.detail)
      socket.write('GET /good HTTP/1.1\r\nHost: h\r\n\r\n')
      expect(await until(socket, 'good')).toContain('200 OK')
      socket.destroy()
    })
  })
}
