import { once } from 'node:events'
import { createServer as createPlainServer, type IncomingMessage } from 'node:http'
import { createServer, request, type RequestOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { ConnectionOptions } from 'node:tls'
import { expect, test } from 'vitest'
import { toNodeListener } from '@x/http-adapters/node'
import { listen, send } from './loopback.ts'

/** A key that both ends know already: TLS without a certificate. */
const psk = Buffer.alloc(32, 7)
const settings = { ciphers: 'PSK', maxVersion: 'TLSv1.2' } as const

test('AD-11 over TLS the scheme is https, also of a host that was seen over http', async () => {
  const listener = toNodeListener(({ url }) => new Response(url))
  const headers = { host: 'public.example' }
  const plain = await listen(createPlainServer(listener))
  expect((await send(plain.port, { headers })).text).toBe('http://public.example/')
  await plain.stop()

  const server = createServer({ ...settings, pskCallback: () => psk }, listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const options: RequestOptions & ConnectionOptions = {
    ...settings,
    port: (server.address() as AddressInfo).port,
    path: '/x?y',
    headers,
    agent: false,
    pskCallback: () => ({ psk, identity: 'test' }),
    checkServerIdentity: () => undefined,
  }
  const [answer] = (await once(request(options).end(), 'response')) as [IncomingMessage]
  expect(await text(answer)).toBe('https://public.example/x?y')
  server.close()
})
