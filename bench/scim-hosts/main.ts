import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import {
  createCatalogueStore,
  createScimService,
  defineResourceType,
  type ScimOptions,
  type ScimService,
} from '@x/scim-core'
import { createMemoryScimStore } from '@x/scim-core/memory'
import { createJwtAuth } from '@x/scim-core/oauth'
import { createWebhooks } from '@x/scim-core/outbound'
import { createScimStore, migrateScim, type ScimStoreOptions } from '@x/store-kysely/scim'
import { openPostgres } from '@x/store-kysely/postgres'
import { openSqlite } from '@x/store-kysely/sqlite'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { seedLargeGroups } from '../../packages/store-kysely/test/large-groups.ts'
import { cpuPerOperation, interleave, pairRatio, type Candidate } from '../lib/measure.ts'
import { report, type Figure } from '../lib/report.ts'
import { fieldFigures } from './field.ts'
import { reconcileFigures } from './reconcile.ts'
import { scanStoreFigures } from './scan-store.ts'

/** `SCIM_HOSTS_QUICK=1` measures smaller groups; `DATABASE_URL` names a PostgreSQL. */
const isQuick = process.env['SCIM_HOSTS_QUICK'] === '1'
const ROUNDS = 7
const PATCHES = 10
const EVENTS = 2_000
const GROUPS = isQuick ? 20 : 200
const BASE = 'http://127.0.0.1/scim/v2'
const TOKEN = 'bench'
const TENANT = 'default'
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

const folder = mkdtempSync(join(tmpdir(), 'bench-scim-hosts-'))

/** A service over a SQLite file of its own. */
async function openService(
  name: string,
  options: ScimStoreOptions & Pick<ScimOptions, 'outbox' | 'beforeCommit'> = {},
) {
  const { outbox = false, beforeCommit, ...hooks } = options
  const db = openSqlite<unknown>(join(folder, `${name.replaceAll(' ', '-')}.db`))
  await migrateScim(db)
  const store = createScimStore(db, hooks)
  const auth = { kind: 'token', token: TOKEN } as const
  const given = { store, baseUrl: BASE, auth, outbox, ...(beforeCommit && { beforeCommit }) }
  return { db, store, service: createScimService(given) }
}

const request = (method: string, path: string, body?: object, token = TOKEN): Request =>
  new Request(`${BASE}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })

async function ask({ handle }: ScimService, asked: Request): Promise<{ id: string }> {
  const answer = await handle(asked)
  if (answer.status >= 300) throw new Error(`${asked.method} ${asked.url}: ${answer.status}`)
  const text = await answer.text()
  return (text === '' ? {} : JSON.parse(text)) as { id: string }
}

const patch = (path: string, operation: object): Request =>
  request('PATCH', path, { schemas: [PATCH], Operations: [operation] })

/** CPU of PATCHes of one member of a group of 1,000. */
async function memberPatches(service: ScimService): Promise<Candidate> {
  const ids: string[] = []
  for (let n = 0; n < 1_000; n += 1) {
    ids.push((await ask(service, request('POST', '/Users', { userName: `m${n}@b.example` }))).id)
  }
  const members = ids.map((value) => ({ value }))
  const { id } = await ask(service, request('POST', '/Groups', { displayName: 'G', members }))
  const path = `/Groups/${id}?attributes=id`
  let next = 0
  return () =>
    cpuPerOperation(PATCHES, async () => {
      for (let n = 0; n < PATCHES; n += 2) {
        const value = ids[next++ % ids.length]
        await ask(service, patch(path, { op: 'remove', path: `members[value eq "${value}"]` }))
        await ask(service, patch(path, { op: 'add', path: 'members', value: [{ value }] }))
      }
    })
}

/** CPU of PATCHes that switch a user on and off. */
async function activePatches(service: ScimService): Promise<Candidate> {
  const { id } = await ask(service, request('POST', '/Users', { userName: 'a@b.example' }))
  return () =>
    cpuPerOperation(PATCHES, async () => {
      for (let n = 0; n < PATCHES; n += 1) {
        const operation = { op: 'replace', path: 'active', value: n % 2 === 1 }
        await ask(service, patch(`/Users/${id}`, operation))
      }
    })
}

/** The cost of requests with some options, relative to requests without them. */
async function costOf(
  name: string,
  options: Parameters<typeof openService>[1],
  { limit, work }: { readonly limit: number; readonly work: typeof activePatches },
): Promise<Figure> {
  const plain = await openService(`${name}-without`)
  const more = await openService(`${name}-with`, options)
  const { median, quartiles, one, other } = await pairRatio(
    await work(more.service),
    await work(plain.service),
  )
  await Promise.all([plain.db.destroy(), more.db.destroy()])
  const [low, high] = quartiles.map((value) => value.toFixed(2))
  return {
    name: `${name} / without`,
    value: median,
    unit: 'x CPU',
    limit,
    note: `quartiles ${low} and ${high}; ${Math.round(one)} against ${Math.round(other)} us`,
  }
}

const hook = { limit: 1.15, work: activePatches }

/** The receiver answers at once, in this process: what is measured is reading, signing and settling. */
async function webhookRate(): Promise<Figure> {
  const { db, store, service } = await openService('webhooks', { outbox: true })
  const webhooks = createWebhooks({
    store: store.outbox,
    secretKey: 'k'.repeat(32),
    fetch: async () => new Response(null, { status: 204 }),
  })
  await webhooks.endpoints.create({ tenant: TENANT, url: 'https://receiver.example/' })
  for (let n = 0; n < EVENTS; n += 1) {
    await service.users.create(TENANT, { userName: `w${n}@b.example` })
  }
  const cpu = await cpuPerOperation(EVENTS, async () => {
    const { delivered } = await webhooks.deliverDue()
    if (delivered !== EVENTS) throw new Error(`${delivered} of ${EVENTS} were delivered`)
  })
  await db.destroy()
  return {
    name: 'webhook deliveries',
    value: 1_000_000 / cpu,
    unit: 'per second of CPU',
    limit: 2_000,
    better: 'higher',
    note: `${Math.round(cpu)} us each`,
  }
}

/** The most CPU in microseconds of one turn of the event loop: a delay on a busy machine says little. */
function watchTurns(): { readonly stop: () => number } {
  let isOver = false
  let worst = 0
  let last = process.cpuUsage()
  const turn = (): void => {
    const { user, system } = process.cpuUsage(last)
    worst = Math.max(worst, user + system)
    last = process.cpuUsage()
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  return {
    stop() {
      isOver = true
      return worst
    },
  }
}

async function largeList(): Promise<Figure[]> {
  const { db, service } = await openService('groups')
  await seedLargeGroups(db, { groups: GROUPS, members: 20_000 })
  globalThis.gc?.()
  const before = process.memoryUsage().rss
  let most = 0
  const delay = monitorEventLoopDelay({ resolution: 5 })
  const turns = watchTurns()
  delay.enable()
  const answer = await service.handle(request('GET', `/Groups?count=${GROUPS}`))
  let bytes = 0
  for await (const chunk of answer.body ?? []) {
    bytes += (chunk as Uint8Array).byteLength
    most = Math.max(most, process.memoryUsage().rss)
  }
  delay.disable()
  const longest = Math.round(turns.stop() / 1_000)
  await db.destroy()
  const size = `${GROUPS} groups of 20,000 members, ${Math.round(bytes / 1_048_576)} MiB`
  const note = `${size}; delay of at most ${Math.round(delay.max / 1e6)} ms by the clock`
  return [
    { name: 'GET Groups: longest turn', value: longest, unit: 'ms CPU', limit: 50, note },
    { name: 'GET Groups: RSS grows', value: (most - before) / 1_048_576, unit: 'MiB', limit: 100 },
  ]
}

/** Tokens that come for the first time, more than are remembered, and one that comes again and again. */
async function jwtCheck(): Promise<Figure[]> {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const key = { ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256' }
  const auth = createJwtAuth({
    issuer: 'https://login.example',
    audience: 'scim',
    jwks: { keys: [key] },
    tenant: TENANT,
  })
  if (auth.kind !== 'bearer') throw new Error('A JWT is a bearer token')
  const token = (n: number): Promise<string> =>
    new SignJWT({ scope: 'scim', client_id: 'c', jti: String(n) })
      .setProtectedHeader({ alg: 'ES256', kid: 'k' })
      .setIssuer('https://login.example')
      .setAudience('scim')
      .setExpirationTime('1h')
      .setIssuedAt()
      .sign(privateKey)
  const tokens = await Promise.all(Array.from({ length: 500 }, (_, n) => token(n)))
  const [first = ''] = tokens
  const asked = request('GET', '/Users')
  const { authenticate } = auth
  const checks = (given: readonly string[]) => () =>
    cpuPerOperation(given.length, async () => {
      for (const one of given) {
        const found = await authenticate(one, asked, {})
        if (found === null || 'problem' in found) throw new Error('A token was refused')
      }
    })
  const measured = await interleave(
    { first: checks(tokens), again: checks(tokens.map(() => first)) },
    { rounds: ROUNDS },
  )
  const cost = (name: string): number => (measured.get(name)?.median ?? NaN) / 1_000
  return [
    { name: 'JWT check with a cached key', value: cost('first'), unit: 'ms CPU', limit: 0.25 },
    { name: 'the same token again', value: cost('again'), unit: 'ms CPU', limit: 0.05 },
  ]
}

async function catalogue(): Promise<Figure> {
  const entries = Array.from({ length: 1_000 }, (_, n) => ({
    id: `r${n}`,
    displayName: `Role ${n}`,
  }))
  const service = createScimService({
    store: createMemoryScimStore(),
    baseUrl: BASE,
    auth: { kind: 'token', token: TOKEN },
    resourceTypes: [
      defineResourceType({
        name: 'Role',
        endpoint: '/Roles',
        schema: { urn: 'urn:example:Role', attributes: [{ name: 'displayName' }] },
        store: createCatalogueStore(() => entries),
      }),
    ],
  })
  const page = () =>
    cpuPerOperation(50, async () => {
      for (let n = 0; n < 50; n += 1) {
        await ask(service, request('GET', '/Roles?startIndex=501&count=100'))
      }
    })
  const measured = await interleave({ page }, { rounds: ROUNDS })
  const value = (measured.get('page')?.median ?? NaN) / 1_000
  return { name: 'catalogue of 1,000 roles, page of 100', value, unit: 'ms CPU', limit: 5 }
}

/** Statements, with those that begin and end a transaction. */
async function roundTrips(url: string): Promise<Figure> {
  let statements = 0
  const db = openPostgres<unknown>(url, { log: () => void (statements += 1) })
  await migrateScim(db)
  const store = createScimStore(db)
  const auth = { kind: 'token', token: TOKEN } as const
  const service = createScimService({ store, baseUrl: BASE, auth })
  const userName = `trips-${Date.now()}@b.example`
  const { id } = await ask(service, request('POST', '/Users', { userName }))
  const operation = { op: 'replace', path: 'title', value: 'x' }
  await ask(service, patch(`/Users/${id}`, { ...operation, value: 'w' }))
  statements = 0
  await ask(service, patch(`/Users/${id}`, operation))
  // Begin and commit are not logged.
  const value = statements + 2
  await db.destroy()
  return { name: 'PostgreSQL PATCH of a user', value, unit: 'round trips', limit: 5 }
}

const url = process.env['DATABASE_URL']
const figures = [
  await costOf(
    'PATCH of one member with onGroupWrite',
    { onGroupWrite: () => undefined },
    { limit: 1.15, work: memberPatches },
  ),
  await costOf('PATCH active with onUserWrite', { onUserWrite: () => undefined }, hook),
  await costOf('PATCH active with beforeCommit', { beforeCommit: async () => undefined }, hook),
  await costOf('PATCH active with outbox', { outbox: true }, { ...hook, limit: 1.35 }),
  await webhookRate(),
  ...(await jwtCheck()),
  await catalogue(),
  ...(await scanStoreFigures(folder)),
  ...(await reconcileFigures(join(folder, 'reconcile.db'))),
  ...(await fieldFigures(async (name) => (await openService(name)).store)),
  ...(url === undefined ? [] : [await roundTrips(url)]),
  ...(await largeList()),
]
rmSync(folder, { recursive: true, force: true })
report('scim-hosts', figures)
