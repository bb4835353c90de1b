import { describe, expect, test } from 'vitest'
import type { Bench, TestHandler } from '../adapter-contract.ts'
import { send } from '../loopback.ts'

const readAs: TestHandler = async (request) => {
  const { pathname } = new URL(request.url)
  switch (pathname) {
    case '/json':
      return Response.json({ read: await request.json() })
    case '/bytes':
      return new Response(await request.arrayBuffer())
    case '/blob': {
      const blob = await request.blob()
      return Response.json({ size: blob.size, type: blob.type })
    }
    case '/form':
      return Response.json(
        [...(await request.formData())].map(([name, value]) => [
          name,
          typeof value === 'string' ? value : `${value.name}:${value.size}`,
        ]),
      )
    case '/stream': {
      let size = 0
      for await (const chunk of request.body ?? []) size += (chunk as Uint8Array).length
      return Response.json({ size })
    }
    default:
      return new Response(await request.text())
  }
}

const MULTIPART =
  '--edge\r\nContent-Disposition: form-data; name="field"\r\n\r\nvalue\r\n' +
  '--edge\r\nContent-Disposition: form-data; name="file"; filename="f.txt"\r\n' +
  'Content-Type: text/plain\r\n\r\n12345\r\n--edge--\r\n'

export function bodyCases(bench: Bench): void {
  const serve = bench.serve.bind(bench)

  describe('bodies', () => {
    const post = async (
      path: string,
      body: string | Uint8Array | readonly string[],
      type = 'application/json',
    ): Promise<Awaited<ReturnType<typeof send>>> => {
      const { port } = await serve(readAs)
      return send(port, { method: 'POST', path, body, headers: { 'content-type': type } })
    }

    test('AD-31.4 JSON', async () => {
      expect((await post('/json', '{"a":["ü",null]}')).json()).toEqual({
        read: { a: ['ü', null] },
      })
    })

    test('AD-31.4 text, a byte order mark left out', async () => {
      expect((await post('/text', '\ufefftext ü')).text).toBe('text ü')
    })

    test('AD-31.4 bytes', async () => {
      const bytes = Uint8Array.from({ length: 70_000 }, (_, index) => index % 256)
      const answer = await post('/bytes', bytes, 'application/octet-stream')
      expect(Buffer.compare(answer.bytes, bytes)).toBe(0)
      expect((await post('/bytes', 'few', 'text/plain')).text).toBe('few')
    })

    test('AD-12 invalid UTF-8 is decoded with replacement characters', async () => {
      expect((await post('/text', new Uint8Array([65, 255, 66]))).text).toBe('A\ufffdB')
    })

    test('AD-12 JSON may begin with a byte order mark', async () => {
      expect((await post('/json', '\ufeff[1]')).json()).toEqual({ read: [1] })
    })

    test('AD-31.4 a blob with its type', async () => {
      expect((await post('/blob', '12345', 'text/x-sent')).json()).toEqual({
        size: 5,
        type: 'text/x-sent',
      })
    })

    test('AD-31.4 a form', async () => {
      const answer = await post('/form', 'a=1&a=2&b=%C3%BC', 'application/x-www-form-urlencoded')
      expect(JSON.parse(answer.text)).toEqual([
        ['a', '1'],
        ['a', '2'],
        ['b', 'ü'],
      ])
    })

    test('AD-31.4 a multipart form with a file', async () => {
      const answer = await post('/form', MULTIPART, 'multipart/form-data; boundary=edge')
      expect(JSON.parse(answer.text)).toEqual([
        ['field', 'value'],
        ['file', 'f.txt:5'],
      ])
    })

    test('AD-31.4 a chunked upload, whole and as a stream', async () => {
      expect((await post('/text', ['one ', 'two'])).text).toBe('one two')
      expect((await post('/stream', ['one ', 'two'])).json()).toEqual({ size: 7 })
    })

    test('AD-31.4 an empty body', async () => {
      expect((await post('/text', '')).text).toBe('')
      expect((await post('/text', [])).text).toBe('')
      expect((await post('/stream', '')).json()).toEqual({ size: 0 })
    })

    test('AD-12 a GET has no body, and reading it gives nothing', async () => {
      const { port } = await serve(async (request) =>
        Response.json([request.body, await request.text(), request.bodyUsed]),
      )
      expect(JSON.parse((await send(port)).text)).toEqual([null, '', false])
    })

    test('AD-12 invalid JSON rejects with a SyntaxError', async () => {
      const { port } = await serve(async (request) => {
        const error: unknown = await request.json().catch((reason: unknown) => reason)
        return Response.json({ isSyntax: error instanceof SyntaxError })
      })
      const answer = await send(port, { method: 'POST', body: '{"a":' })
      expect(answer.json()).toEqual({ isSyntax: true })
    })

    test('AD-12 a second read rejects with a TypeError', async () => {
      const { port } = await serve(async (request) => {
        const before = request.bodyUsed
        await request.text()
        const refused = await Promise.all(
          [() => request.text(), () => request.json(), () => request.arrayBuffer()].map((read) =>
            read().then(
              () => false,
              (error: unknown) => error instanceof TypeError,
            ),
          ),
        )
        return Response.json({ before, after: request.bodyUsed, refused })
      })
      expect((await send(port, { method: 'POST', body: '{}' })).json()).toEqual({
        before: false,
        after: true,
        refused: [true, true, true],
      })
    })

    test('AD-12 clone() gives both the whole body', async () => {
      const { port } = await serve(async (request) => {
        const copy = request.clone()
        const [one, two] = await Promise.all([request.text(), copy.text()])
        return Response.json({ one, two, used: request.bodyUsed })
      })
      expect((await send(port, { method: 'PUT', body: 'sent' })).json()).toEqual({
        one: 'sent',
        two: 'sent',
        used: true,
      })
    })

    test('AD-12 a clone has method, headers and signal of the request', async () => {
      const { port } = await serve((request) => {
        const { method, url, headers, signal } = request.clone()
        return Response.json([
          method,
          url === request.url,
          headers.get('x-sent'),
          signal.aborted,
          request.body === request.body,
        ])
      })
      const headers = { 'x-sent': 'v' }
      const answer = await send(port, { method: 'PATCH', body: 'sent', headers })
      expect(JSON.parse(answer.text)).toEqual(['PATCH', true, 'v', false, true])
    })

    test('AD-12 a body that was looked at can still be read whole', async () => {
      const { port } = await serve(async (request) => {
        const before = [request.body === null, request.bodyUsed]
        const sent = await request.text()
        return Response.json([...before, sent, request.bodyUsed])
      })
      const answer = await send(port, { method: 'POST', body: 'sent' })
      expect(JSON.parse(answer.text)).toEqual([false, false, 'sent', true])
    })

    test('AD-12 clone() of a request that was read is refused', async () => {
      const { port } = await serve(async (request) => {
        await request.text()
        try {
          request.clone()
        } catch (error) {
          return Response.json({ isType: error instanceof TypeError })
        }
        return new Response('cloned')
      })
      expect((await send(port, { method: 'PUT', body: 'sent' })).json()).toEqual({ isType: true })
    })

    test('AD-31.4 a body can be streamed back while it arrives', async () => {
      const { port } = await serve((request) => new Response(request.body))
      const body = 'x'.repeat(300_000)
      expect((await send(port, { method: 'POST', body })).text).toHaveLength(body.length)
    })
  })
}
