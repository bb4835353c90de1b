import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createGuardedFetch } from '../../src/node/guarded-fetch.ts'

const server = createServer((message, reply) => {
  if (message.url?.startsWith('/to/') === true) {
    reply.writeHead(302, { location: decodeURIComponent(message.url.slice(4)) }).end()
    return
  }
  const parts: Buffer[] = []
  message.on('data', (part: Buffer) => parts.push(part))
  message.on('end', () => reply.end(`${message.method} ${Buffer.concat(parts).toString()}`))
})
let port = 0

beforeAll(async () => {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  ;({ port } = server.address() as AddressInfo)
})
afterAll(() => void server.close())

describe('createGuardedFetch', () => {
  const closed = createGuardedFetch()
  const open = createGuardedFetch({ allow: ['127.0.0.1'] })

  test.each(['127.0.0.1', 'localhost', '[::1]', '2130706433', '0x7f.1', '127.1'])(
    'AB-40: %s cannot be fetched',
    async (host) => {
      await expect(closed(`http://${host}:${port}/`)).rejects.toMatchObject({
        code: 'address_blocked',
      })
    },
  )

  test('an allowed address can be fetched, with method and body', async () => {
    const url = `http://127.0.0.1:${port}/`
    expect(await (await open(url)).text()).toBe('GET ')
    const request = new Request(url, { method: 'POST', body: 'hello' })
    expect(await (await open(request)).text()).toBe('POST hello')
  })

  test('AB-40: a redirect is checked again', async () => {
    const target = encodeURIComponent('http://127.0.0.2:8080/secret')
    await expect(open(`http://127.0.0.1:${port}/to/${target}`)).rejects.toMatchObject({
      message: 'Address 127.0.0.2 is not allowed (SERVICE_SSRF_ALLOW)',
    })
  })
})
