// Runs each night (.ci/night).
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { openSqlite } from '@x/store-kysely/sqlite'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { seedLargeGroups } from '../../packages/store-kysely/test/large-groups.ts'
import { startService, type Answer, type SharedService } from '../journeys/service.ts'
import { besideHealth, HEALTH, HEALTH_NOTED, OTHERS, stopwatch } from './attack.ts'
import { keepsAnswering } from './keeps-answering.ts'

const CONNECTIONS = '/api/v1/scim/connections'
const DAY = 86_400_000

let shared: SharedService
let token = ''
let connection = ''
beforeAll(async () => {
  const secret = randomBytes(16).toString('hex')
  const environment = {
    SCIM_ENABLED: 'true',
    SCIM_TOKEN: secret,
    SCIM_BULK: 'true',
    SCIM_CONNECTIONS: 'true',
  }
  shared = await startService({ ...environment, SCIM_QUIRKS: 'none' })
  const made = await shared.service.call('POST', CONNECTIONS, {
    body: { name: 'Acme', provider: 'other', settings: { userName: 'any' } },
  })
  const answer = made.json() as { connection: { id: string }; token: string }
  token = answer.token
  connection = `${CONNECTIONS}/${answer.connection.id}`
})
afterAll(() => shared.end())

const scim = (method: string, path: string, body?: object, secret = token): Promise<Answer> =>
  shared.service.call(method, `/api/v1/scim/v2${path}`, {
    key: null,
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/scim+json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })

interface Token {
  readonly id: string
  readonly token: string
}

const issue = async (body: object): Promise<Token> =>
  (await shared.service.call('POST', `${connection}/tokens`, { body })).json() as Token
const rotate = (id: string): Promise<Answer> =>
  shared.service.call('POST', `${connection}/tokens/${id}/rotate`, { body: {} })

test('AB-81: a revoked or expired token cannot be rotated; a rotated token keeps its lifetime', () =>
  keepsAnswering(shared.service, async () => {
    const revoked = await issue({})
    await shared.service.call('DELETE', `${connection}/tokens/${revoked.id}`)
    expect((await rotate(revoked.id)).status).toBe(409)

    const short = await issue({ expiresAt: new Date(Date.now() + 2_000).toISOString() })
    await expect
      .poll(async () => (await scim('GET', '/Users', undefined, short.token)).status)
      .toBe(401)
    expect((await rotate(short.id)).status).toBe(409)

    const old = await issue({ expiresAt: new Date(Date.now() + 90 * DAY).toISOString() })
    const fresh = (await rotate(old.id)).json() as Token
    const { tokens } = (await shared.service.call('GET', `${connection}/tokens`)).json() as {
      readonly tokens: readonly { id: string; expiresAt: string }[]
    }
    const successor = tokens.find(({ id }) => id === fresh.id)
    const days = (Date.parse(successor?.expiresAt ?? '') - Date.now()) / DAY
    expect(days).toBeGreaterThan(89)
    expect(days).toBeLessThanOrEqual(90)
  }))

test('AB-82: a token is accepted while its last use cannot be recorded', async () => {
  const { token: fresh } = await issue({})
  const db = openSqlite<unknown>(join(shared.service.folder, 'service.db'))
  try {
    await db.transaction().execute(async (tx) => {
      // Nobody else writes until this ends.
      await sql`update scim_connection set name = name`.execute(tx)
      const { slowest } = await besideHealth(shared.service, async () => {
        const elapsed = stopwatch(shared.service)
        for (let n = 0; n < 5; n += 1)
          expect((await scim('GET', '/Users', undefined, fresh)).status).toBe(200)
        // Waiting for the writer would take its five seconds for each.
        expect(elapsed()).toBeLessThan(OTHERS)
      })
      expect(slowest).toBeLessThan(HEALTH)
    })
  } finally {
    await db.destroy()
  }
  expect((await scim('GET', '/Users', undefined, fresh)).status).toBe(200)
})

test('AB-83: circular references in a Bulk request are resolved with all tolerances off', async () => {
  const core = 'urn:ietf:params:scim:schemas:core:2.0:User'
  const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
  const user = (name: string, manager: string) => ({
    method: 'POST',
    path: '/Users',
    bulkId: name,
    data: {
      schemas: [core, enterprise],
      userName: `${name}@corp.example`,
      [enterprise]: { manager: { value: `bulkId:${manager}` } },
    },
  })
  const size = 1_000
  const names = Array.from({ length: size }, (_, n) => `u${n}`)
  const Operations = names.map((name, n) => user(name, names[(n + 1) % size] ?? ''))
  const schemas = ['urn:ietf:params:scim:api:messages:2.0:BulkRequest']
  const { result, slowest } = await besideHealth(shared.service, () =>
    scim('POST', '/Bulk', { schemas, Operations }),
  )
  const { Operations: done } = result.json() as {
    readonly Operations: readonly { status: string; location: string }[]
  }
  expect(new Set(done.map(({ status }) => status))).toEqual(new Set(['201']))
  const [first, second] = done.map(({ location }) => location.split('/').at(-1) ?? '')
  const read = (await scim('GET', `/Users/${first}`)).json()
  expect(read).toMatchObject({ [enterprise]: { manager: { value: second } } })
  expect(slowest).toBeLessThan(HEALTH_NOTED)
})

test('AB-89: a long filter over 100,000 users is refused before it is evaluated', async () => {
  const db = openSqlite<unknown>(join(shared.service.folder, 'service.db'))
  await seedLargeGroups(db, { groups: 1, members: 100_000 })
  await db.destroy()
  const filter = Array.from({ length: 60 }, (_, n) => `userName co "x${n}y"`).join(' or ')
  const list = `/Users?count=1&filter=${encodeURIComponent(filter)}`
  const one = `/Users?filter=${encodeURIComponent('userName eq "u000001@corp.example"')}`
  const { result, slowest } = await besideHealth(shared.service, async () => {
    const attacking = Array.from({ length: 20 }, () => scim('GET', list))
    const honest = await scim('GET', one)
    expect([honest.status, honest.text.includes('"totalResults":1')]).toEqual([200, true])
    return Promise.all(attacking)
  })
  for (const { status, text } of result)
    expect([status, text.includes('tooMany')]).toEqual([400, true])
  expect(slowest).toBeLessThan(HEALTH_NOTED)
})
