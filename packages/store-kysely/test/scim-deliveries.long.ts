// Runs each night (.ci/night).
import { spawn, type ChildProcess } from 'node:child_process'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { OutboxEvent } from '@x/scim-core'
import { createSecurityEvents, createWebhooks, verifyWebhook } from '@x/scim-core/outbound'
import { createScimStore, migrateScim } from '@x/store-kysely/scim'
import { afterEach, describe, expect, test } from 'vitest'
import { fileDatabase, postgresDatabase, postgresUrl, type TestDatabase } from './databases.ts'
import { joinedProgram } from './joined-program.ts'
import type { SenderOrder } from './scim-sender-process.ts'

const TENANT = 'default'
const AUDIENCE = 'https://peer.example'
const SECRET_KEY = 'a secret key of at least 32 characters'
const ES256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const SENDER = await joinedProgram('scim-sender-process.ts')
const WRITER = await joinedProgram('scim-outbox-process.ts')

const closing: (() => Promise<unknown> | void)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

/** A request to the receiver, and whether it was answered with success. */
interface Attempt {
  readonly id: string
  readonly resource: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly isAccepted: boolean
}

/** What happens to the first attempts of events, in turn. */
const FAULTS: readonly ((response: ServerResponse, path: string) => boolean)[] = [
  (response) => answered(response, 500),
  // Tokens are waited for much longer than webhooks.
  (response, path) => (path === '/hook' ? false : answered(response, 503)),
  (response) => answered(response, 307, { location: '/elsewhere' }),
  (response) => {
    response.destroy()
    return false
  },
  (response) => answered(response, 204),
]

function answered(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): boolean {
  response.writeHead(status, headers).end()
  return status < 300
}

/** A receiver that fails, hangs, redirects and breaks off the first attempt of most events. */
function unreliableReceiver() {
  const attempts = new Map<string, Attempt[]>([
    ['/hook', []],
    ['/set', []],
  ])
  let server: Server | undefined
  let port = 0
  const start = async (): Promise<void> => {
    server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const path = request.url ?? ''
        const seen = attempts.get(path)
        const body = Buffer.concat(chunks).toString()
        const { id, resource } =
          path === '/hook' ? readWebhook(request.headers, body) : readSet(body)
        const known = seen?.some((one) => one.id === id) === true
        const fault = FAULTS[new Set(seen?.map((one) => one.id)).size % FAULTS.length]
        const isAccepted =
          known || fault === undefined ? answered(response, 204) : fault(response, path)
        const headers = request.headers as Record<string, string>
        seen?.push({ id, resource, headers, body, isAccepted })
        if (seen === undefined) attempts.set(path, [])
      })
    })
    await new Promise<void>((resolve) => server?.listen(port, '127.0.0.1', resolve))
    port = (server.address() as AddressInfo).port
  }
  const kill = async (): Promise<void> => {
    const ended = new Promise((resolve) => server?.close(resolve))
    server?.closeAllConnections()
    await ended
  }
  closing.push(kill)
  const of = (path: string): readonly Attempt[] => attempts.get(path) ?? []
  return { start, kill, of, attempts, url: (path: string) => `http://127.0.0.1:${port}${path}` }
}

function readWebhook(headers: object, body: string): { id: string; resource: string } {
  const { data } = JSON.parse(body) as { data: { id: string } }
  return { id: String(Reflect.get(headers, 'webhook-id')), resource: data.id }
}

function readSet(token: string): { id: string; resource: string } {
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as {
    jti: string
    sub_id: { uri: string }
  }
  return { id: claims.jti, resource: claims.sub_id.uri.replace('/Users/', '') }
}

function run(program: string, ...args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  closing.push(() => killed(child))
  return child
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = new Promise((resolve) => child.once('close', resolve))
  child.kill('SIGKILL')
  await closed
}

/** Each event was accepted, and no attempt of one came before the one before it was accepted. */
function expectInOrder(attempts: readonly Attempt[], events: readonly OutboxEvent[]): void {
  const accepted = new Set(attempts.filter((one) => one.isAccepted).map(({ id }) => id))
  expect(events.filter(({ id }) => !accepted.has(id))).toEqual([])
  expect(accepted.size).toBe(events.length)
  const next = new Map<string, string[]>()
  for (const { resourceId, id } of events) {
    next.set(resourceId, [...(next.get(resourceId) ?? []), id])
  }
  const done = new Set<string>()
  for (const { id, resource, isAccepted } of attempts) {
    const before = next.get(resource)?.slice(0, next.get(resource)?.indexOf(id)) ?? []
    expect(before.filter((one) => !done.has(one))).toEqual([])
    if (isAccepted) done.add(id)
  }
}

const kinds: [name: string, isThere: boolean, open: () => Promise<TestDatabase>][] = [
  ['a SQLite file', true, () => fileDatabase()],
  ['PostgreSQL', postgresUrl !== null, postgresDatabase],
]

describe.each(kinds)('deliveries over %s', (_name, isThere, open) => {
  test.skipIf(!isThere)(
    'SH-24 SH-25 SH-32 each committed event arrives, in order for each resource, whatever fails or is killed',
    async () => {
      const database = await open()
      closing.push(() => database.close())
      await migrateScim(database.db)
      const { outbox } = createScimStore(database.db)
      const pair = await crypto.subtle.generateKey(ES256, true, ['sign', 'verify'])
      const key = await crypto.subtle.exportKey('jwk', pair.privateKey)
      const order: SenderOrder = {
        address: database.address,
        secretKey: SECRET_KEY,
        key: { ...key },
      }
      const shared = { store: outbox, secretKey: SECRET_KEY, allowLoopback: true }
      const webhooks = createWebhooks(shared)
      const sets = createSecurityEvents({
        ...shared,
        issuer: 'https://app.example',
        baseUrl: 'https://app.example/scim/v2',
        key: { ...key },
      })
      const receiver = unreliableReceiver()
      await receiver.start()
      const url = receiver.url('/hook')
      const { secret } = await webhooks.endpoints.create({ tenant: TENANT, url })
      const delivery = { method: 'push', url: receiver.url('/set') } as const
      await sets.streams.create({ tenant: TENANT, audience: AUDIENCE, delivery })

      // Two dispatchers send what a third process writes; it is killed, and then one of them.
      const [first] = [run(SENDER, JSON.stringify(order)), run(SENDER, JSON.stringify(order))]
      const writer = run(WRITER, database.address)
      let lines = 0
      await new Promise<void>((resolve) => {
        writer.stdout?.on('data', (data: Buffer) => {
          lines += data.toString().split('\n').length - 1
          if (lines > 90) writer.kill('SIGKILL')
        })
        writer.once('close', () => resolve())
      })
      await expect.poll(() => receiver.of('/hook').length).toBeGreaterThan(20)
      await killed(first)
      const begun = receiver.of('/hook').length
      run(SENDER, JSON.stringify(order))
      await expect.poll(() => receiver.of('/hook').length).toBeGreaterThan(begun + 5)
      await receiver.kill()
      await receiver.start()

      const waiting = async (): Promise<number> =>
        (await webhooks.deliveries(TENANT, { state: 'waiting' })).deliveries.length
      await expect.poll(waiting, { timeout: 200_000, interval: 500 }).toBe(0)
      const events: OutboxEvent[] = []
      for (let after = '0.0'; ;) {
        const page = await outbox.read(TENANT, { after, limit: 500 })
        if (page.events.length === 0) break
        events.push(...page.events)
        after = page.next
      }
      expect(events.length).toBeGreaterThan(60)
      const { deliveries } = await webhooks.deliveries(TENANT, { limit: 10_000 })
      expect(deliveries).toHaveLength(2 * events.length)
      expect(deliveries.filter(({ state }) => state !== 'delivered')).toEqual([])

      expectInOrder(receiver.of('/hook'), events)
      expectInOrder(receiver.of('/set'), events)
      expect([...receiver.attempts.keys()]).toEqual(['/hook', '/set'])
      const bodies = new Map<string, string>()
      for (const { id, headers, body } of receiver.of('/hook')) {
        expect(bodies.get(id) ?? body).toBe(body)
        bodies.set(id, body)
        expect(verifyWebhook({ secret, headers, body }).id).toBe(id)
      }
      for (const { body } of receiver.of('/set')) {
        const [head, claims, signature = ''] = body.split('.')
        const isGenuine = await crypto.subtle.verify(
          ES256,
          pair.publicKey,
          Buffer.from(signature, 'base64url'),
          Buffer.from(`${head}.${claims}`),
        )
        expect(isGenuine).toBe(true)
      }
    },
  )
})
