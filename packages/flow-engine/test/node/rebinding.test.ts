import dns from 'node:dns'
import { createServer, type Server } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { createGuardedFetch } from '../../src/node/guarded-fetch.ts'

const servers: Server[] = []
afterEach(() => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
  for (const server of servers.splice(0)) server.close()
})

/** Serves the name of the address, and a redirect at `/again`; each connection serves one request. */
async function serve(address: string, port: number): Promise<{ port: number; seen: string[] }> {
  const seen: string[] = []
  const server = createServer((message, reply) => {
    seen.push(message.url ?? '')
    const location = message.url === '/again' ? { location: '/inside' } : {}
    reply.writeHead(message.url === '/again' ? 302 : 200, { connection: 'close', ...location })
    reply.end(address)
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(port, address, resolve))
  return { port: (server.address() as AddressInfo).port, seen }
}

/** A name server that gives these answers in turn, the last one from then on. */
function answer(...answers: readonly (readonly string[])[]): { readonly asked: number } {
  const state = { asked: 0 }
  const lookup = (
    _host: string,
    _options: object,
    callback: (...given: unknown[]) => void,
  ): void => {
    const addresses = answers[Math.min(state.asked, answers.length - 1)] ?? []
    state.asked += 1
    callback(
      null,
      addresses.map((address) => ({ address, family: 4 })),
    )
  }
  vi.spyOn(dns, 'lookup').mockImplementation(lookup as typeof dns.lookup)
  syncBuiltinESMExports()
  return state
}

const OPEN = '127.0.0.2'
const CLOSED = '127.0.0.1'
const blocked = { code: 'address_blocked' }

test('AB-40: a name that later leads inside is refused by the lookup that connects', async () => {
  const { port, seen } = await serve(OPEN, 0)
  const inside = await serve(CLOSED, port)
  const guarded = createGuardedFetch({ allow: [OPEN] })
  const names = answer([OPEN], [CLOSED])
  expect(await (await guarded(`http://rebinding.example:${port}/`)).text()).toBe(OPEN)
  await expect(guarded(`http://rebinding.example:${port}/`)).rejects.toMatchObject(blocked)
  // One lookup for each connection: no second one could answer otherwise.
  expect(names.asked).toBe(2)
  expect([seen, inside.seen]).toEqual([['/'], []])
})

test('AB-40: a redirect to the same name looks it up again, and refuses what leads inside', async () => {
  const { port, seen } = await serve(OPEN, 0)
  const inside = await serve(CLOSED, port)
  const guarded = createGuardedFetch({ allow: [OPEN] })
  answer([OPEN], [CLOSED])
  await expect(guarded(`http://rebinding.example:${port}/again`)).rejects.toMatchObject(blocked)
  expect([seen, inside.seen]).toEqual([['/again'], []])
})

test('AB-40: one address inside among several refuses the name', async () => {
  const { port, seen } = await serve(OPEN, 0)
  answer([OPEN, CLOSED])
  const guarded = createGuardedFetch({ allow: [OPEN] })
  await expect(guarded(`http://rebinding.example:${port}/`)).rejects.toMatchObject(blocked)
  expect(seen).toEqual([])
})
