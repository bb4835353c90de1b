// Runs each night (.ci/night).
import { needs } from '@x/test-kit/needs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postgresDatabase, type TestDatabase } from '../../packages/store-kysely/test/databases.ts'
import { inFolder, startServer, type Started } from '../server/start-server.ts'
import { besideHealth } from './attack.ts'
import { keepsAnswering } from './keeps-answering.ts'

const TOKEN = 'a-token-of-the-directory-0123456789'
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const PAGE = 10

describe('two shipped servers on one PostgreSQL', needs('postgres'), () => {
  let database: TestDatabase
  let servers: readonly Started[] = []
  let release = (): void => undefined
  let ended: Promise<void> = Promise.resolve()
  beforeAll(async () => {
    database = await postgresDatabase()
    await new Promise<void>((resolve, reject) => {
      ended = inFolder(async (folder) => {
        const start = (name: string): Promise<Started> =>
          startServer({
            SERVICE_CONFIG_DIR: join(folder, name),
            SERVICE_DATABASE_URL: database.address,
            SERVICE_SECRET_KEY: 'a secret that both of them are given',
            SCIM_ENABLED: 'true',
            SCIM_TOKEN: TOKEN,
            SCIM_DELETE_USER: 'remove',
          })
        servers = [await start('a'), await start('b')]
        resolve()
        await new Promise<void>((over) => (release = over))
        for (const server of servers) await server.end('SIGKILL')
      }).catch(reject)
    })
  })
  afterAll(async () => {
    release()
    await ended
    await database.close()
  })

  const serverOf = (n: number): Started => {
    const server = servers[n % servers.length]
    if (server === undefined) throw new Error('No server has started')
    return server
  }
  /** A request to one server or the other. */
  const scim = (n: number, method: string, path: string, body?: object): Promise<Response> =>
    fetch(`${serverOf(n).url}/api/v1/scim/v2${path}`, {
      method,
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/scim+json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const made = async (path: string, body: object): Promise<string> =>
    ((await (await scim(0, 'POST', path, body)).json()) as { id: string }).id
  const users = (mark: string, count: number): Promise<string[]> =>
    Promise.all(
      Array.from({ length: count }, (_, n) =>
        made('/Users', { userName: `${mark}${n}@corp.example` }),
      ),
    )
  const change = (n: number, group: string, operation: object): Promise<Response> =>
    scim(n, 'PATCH', `/Groups/${group}?attributes=id`, {
      schemas: [PATCH],
      Operations: [operation],
    })

  test('AB-84: pages read alternately from two processes are consistent', () =>
    keepsAnswering(serverOf(0), async () => {
      const names = Array.from({ length: 60 }, (_, n) => `group ${String(n).padStart(3, '0')}`)
      const ids: string[] = []
      for (const displayName of names) ids.push(await made('/Groups', { displayName }))
      const walk = async (first: number): Promise<string[]> => {
        const seen: string[] = []
        for (let turn = first; ; turn += 1) {
          const path = `/Groups?count=${PAGE}&startIndex=${seen.length + 1}&attributes=id`
          const answer = await scim(turn, 'GET', path)
          const { Resources = [] } = (await answer.json()) as { Resources?: { id: string }[] }
          seen.push(...Resources.map(({ id }) => id))
          if (Resources.length < PAGE) return seen
        }
      }
      const all = await walk(0)
      expect(new Set(all)).toEqual(new Set(ids))
      expect(await walk(1)).toEqual(all)
      for (const id of all.slice(0, 5)) await scim(1, 'DELETE', `/Groups/${id}`)
      expect(await walk(0)).toEqual(all.slice(5))
      expect(await walk(1)).toEqual(all.slice(5))
      await Promise.all(all.slice(5).map((id, n) => scim(n, 'DELETE', `/Groups/${id}`)))
    }))

  test('AB-85: 120 concurrent requests that remove members and delete the same users all succeed', async () => {
    const ids = await users('pair', 60)
    const group = await made('/Groups', {
      displayName: 'pairs',
      members: ids.map((value) => ({ value })),
    })
    const { result } = await besideHealth(serverOf(0), () =>
      Promise.all(
        ids.flatMap((id, n) => [
          change(n, group, { op: 'remove', path: `members[value eq "${id}"]` }),
          scim(n + 1, 'DELETE', `/Users/${id}`),
        ]),
      ),
    )
    const refused = result.map(({ status }) => status).filter((status) => status >= 300)
    expect(refused).toEqual([])
    const read = (await (await scim(0, 'GET', `/Groups/${group}`)).json()) as { members?: [] }
    expect(read.members ?? []).toEqual([])
  })

  test('AB-86: concurrent changes leave no membership of a deleted user', () =>
    keepsAnswering(serverOf(0), async () => {
      const ids = await users('race', 60)
      const group = await made('/Groups', { displayName: 'races' })
      const answers = await Promise.all(
        ids.flatMap((value, n) => [
          change(n, group, { op: 'add', path: 'members', value: [{ value }] }),
          scim(n + 1, 'DELETE', `/Users/${value}`),
        ]),
      )
      for (const { status } of answers) expect([200, 204, 400]).toContain(status)
      const { rows } = await sql`select member_id from scim_member as m where not exists
      (select 1 from scim_user as u where u.tenant = m.tenant and u.id = m.member_id)`.execute(
        database.db,
      )
      expect(rows).toEqual([])
    }))
})
