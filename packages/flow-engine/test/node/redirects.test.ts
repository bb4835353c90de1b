import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createGuardedFetch as createNodeFetch } from '../../src/node/guarded-fetch.ts'
import { createGuardedFetch as createPortableFetch } from '../../src/outgoing/guarded-fetch.ts'
import { openFetch } from '../../src/outgoing/open-fetch.ts'

interface Seen {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Answers `/STATUS/TARGET` with a redirect and everything else with its path. */
async function startServer(seen: Seen[]): Promise<{ server: Server; url: string }> {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url: path = '', headers } = request
    seen.push({ method, path, headers, body: await text(request) })
    const [, status, target = ''] = /^\/(\d{3})\/(.*)$/.exec(path) ?? []
    if (status === undefined) return void response.end(path)
    response.writeHead(Number(status), { location: decodeURIComponent(target) }).end()
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const seen: Seen[] = []
let servers: Server[] = []
let here = ''
let there = ''
beforeAll(async () => {
  const both = [await startServer(seen), await startServer(seen)]
  servers = both.map(({ server }) => server)
  ;[here = '', there = ''] = both.map(({ url }) => url)
})
afterAll(() => servers.forEach((server) => server.close()))
beforeEach(() => void (seen.length = 0))

const allow = ['127.0.0.1']
const via = (status: number, target: string): string =>
  `${here}/${status}/${encodeURIComponent(target)}`
const KEYS = {
  authorization: 'Bearer secret',
  cookie: 'sid=secret',
  'proxy-authorization': 'Basic secret',
  'x-api-key': 'secret',
  'x-goog-api-key': 'secret',
  'api-key': 'secret',
  'x-of-some-vendor': 'secret',
}

describe.each([
  ['on Node', createNodeFetch({ allow })],
  ['elsewhere', createPortableFetch({ allow })],
  ['for addresses of the operator', openFetch(createNodeFetch())],
])('AB-46 redirects %s', (_where, send) => {
  test('take no key to another origin, whatever the name of its header', async () => {
    const headers = { ...KEYS, accept: 'text/plain', 'user-agent': 'probe' }
    const answer = await send(via(302, `${there}/end`), { headers })
    expect(await answer.text()).toBe('/end')
    expect(answer.redirected).toBe(true)
    expect(answer.url).toBe(`${there}/end`)
    expect(JSON.stringify(seen[1]?.headers)).not.toContain('secret')
    expect(seen[1]?.headers).toMatchObject({ accept: 'text/plain', 'user-agent': 'probe' })
  })

  test('also when the headers come with a Request', async () => {
    await send(new Request(via(307, `${there}/end`), { headers: KEYS }))
    expect(JSON.stringify(seen[1]?.headers)).not.toContain('secret')
  })

  test('that lead away and back bring no key back', async () => {
    await send(via(302, `${there}/302/${encodeURIComponent(`${here}/end`)}`), { headers: KEYS })
    expect(seen.map(({ path }) => path.slice(0, 4))).toEqual(['/302', '/302', '/end'])
    expect(JSON.stringify(seen[2]?.headers)).not.toContain('secret')
  })

  test('send no body to another origin', async () => {
    const post = { method: 'POST', body: '{"api_key":"secret"}' }
    await expect(send(via(307, `${there}/end`), post)).rejects.toThrow('resend the request body')
    await expect(send(via(308, `${there}/end`), post)).rejects.toThrow('resend the request body')
    expect(seen).toHaveLength(2)
    await send(via(303, `${there}/end`), post)
    expect(seen.at(-1)).toMatchObject({ method: 'GET', body: '' })
  })

  test('keep headers and body on the same origin', async () => {
    const headers = { 'x-api-key': 'secret', 'content-type': 'application/json' }
    const answer = await send(via(307, '/end'), { method: 'POST', headers, body: '{"a":1}' })
    expect(await answer.text()).toBe('/end')
    expect(seen[1]).toMatchObject({ method: 'POST', body: '{"a":1}', headers })
  })

  test('end after 20, and lead to web addresses only', async () => {
    await expect(send(via(302, 'file:///etc/passwd'))).rejects.toThrow('web address')
    await expect(send(via(302, 'data:text/plain,x'))).rejects.toThrow('web address')
    let url = `${here}/end`
    for (let count = 0; count < 4; count += 1) url = via(302, url)
    expect(await (await send(url)).text()).toBe('/end')
  })
})

test('AB-46 an endless redirect is left after 20', async () => {
  const answers = (): Response => new Response(null, { status: 302, headers: { location: '/' } })
  const { followingRedirects } = await import('@x/wire')
  let count = 0
  const send = followingRedirects(async () => {
    count += 1
    return answers()
  })
  await expect(send('http://host.example/')).rejects.toThrow('Too many redirects')
  expect(count).toBe(21)
})
