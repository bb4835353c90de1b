import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqlite } from '@x/store-kysely/sqlite'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startExample, type Example } from '../../../tools/start-example.ts'

const TOKEN = 'secret'
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

interface Body {
  readonly id: string
  readonly [name: string]: unknown
}

let folder: string
let example: Example

const start = (): Promise<Example> =>
  startExample(new URL('../', import.meta.url), {
    DATABASE: join(folder, 'app.db'),
    SCIM_TOKEN: TOKEN,
  })

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'own-users-'))
  example = await start()
})
afterEach(async () => {
  await example.stop()
  await rm(folder, { recursive: true, force: true })
})

async function scim(
  method: string,
  path: string,
  body?: object,
): Promise<{ readonly status: number; readonly body: Body }> {
  const response = await fetch(`${example.url}/scim/v2${path}`, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/scim+json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Body }
}

const page = async (path: string): Promise<readonly Record<string, unknown>[]> => {
  const response = await fetch(`${example.url}${path}`)
  return (await response.json()) as Record<string, unknown>[]
}

const patch = (path: string, ...operations: object[]) =>
  scim('PATCH', path, { schemas: [PATCH], Operations: operations })

const person = async (userName: string, more: object = {}): Promise<string> => {
  const { status, body } = await scim('POST', '/Users', { userName, ...more })
  expect(status).toBe(201)
  return body.id
}

describe("SH-78 SCIM on an app's own tables", () => {
  test('a directory provisions, finds, changes and disables users of the app', async () => {
    const name = { givenName: 'Ada', familyName: 'King' }
    const id = await person('ada@app.example', { name })
    expect(await page('/app/users')).toEqual([
      { id, email: 'ada@app.example', name: 'Ada King', status: 'active', role: 'member' },
    ])
    const filter = encodeURIComponent('userName eq "ADA@app.example"')
    expect((await scim('GET', `/Users?filter=${filter}`)).body).toMatchObject({ totalResults: 1 })
    expect(await scim('POST', '/Users', { userName: 'Ada@App.example' })).toMatchObject({
      status: 409,
      body: { scimType: 'uniqueness' },
    })
    await patch(`/Users/${id}`, { op: 'replace', path: 'displayName', value: 'Ada L' })
    await patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false })
    await patch(`/Users/${id}`, { op: 'replace', path: 'active', value: true })
    expect((await scim('DELETE', `/Users/${id}`)).status).toBe(204)
    expect(await page('/app/users')).toMatchObject([{ name: 'Ada L', status: 'disabled' }])
    expect((await page('/app/outbox')).map(({ type, userId }) => [type, userId])).toEqual([
      ['user.disabled', id],
      ['user.enabled', id],
      ['user.disabled', id],
    ])
  })

  test(
    'directory groups grant roles, the highest wins, and each change is announced once',
    { tags: ['long'] },
    async () => {
      const id = await person('ada@app.example')
      const role = async () => (await page('/app/users'))[0]?.['role']
      const group = async (displayName: string): Promise<string> =>
        (await scim('POST', '/Groups', { displayName, members: [{ value: id }] })).body.id
      const editors = await group('App Editors')
      expect(await role()).toBe('editor')
      const admins = await group('App Admins')
      expect(await role()).toBe('admin')
      await patch(`/Groups/${editors}`, { op: 'remove', path: `members[value eq "${id}"]` })
      expect(await role()).toBe('admin')
      await patch(`/Groups/${admins}`, { op: 'replace', path: 'displayName', value: 'Staff' })
      expect(await role()).toBe('member')
      await patch(`/Groups/${admins}`, { op: 'replace', path: 'displayName', value: 'App Admins' })
      expect((await scim('DELETE', `/Groups/${admins}`)).status).toBe(204)
      expect(await role()).toBe('member')
      const types = (await page('/app/outbox')).map(({ type }) => type)
      expect(types).toEqual(Array.from({ length: 5 }, () => 'user.role_changed'))
    },
  )

  test(
    'users created by the app itself are listed in pages after a restart',
    { tags: ['long'] },
    async () => {
      const db = openSqlite<unknown>(join(folder, 'app.db'))
      for (let n = 0; n < 5; n += 1) {
        await sql`insert into users values (${`u${n}`}, 'default', ${`user${n}@app.example`}, null,
        'active')`.execute(db)
        await sql`insert into memberships values (${`u${n}`}, 'default', 'member')`.execute(db)
      }
      await db.destroy()
      await example.stop()
      example = await start()
      const { body } = await scim('GET', '/Users?startIndex=4&count=10')
      expect(body).toMatchObject({ totalResults: 5, itemsPerPage: 2 })
      expect((await scim('GET', '/Users/u3')).body).toMatchObject({ userName: 'user3@app.example' })
    },
  )

  test("a failed request is rolled back in the app's tables", async () => {
    const body = { displayName: 'App Admins', members: [{ value: 'nobody' }] }
    expect((await scim('POST', '/Groups', body)).status).toBe(400)
    expect(await page('/app/outbox')).toEqual([])
    expect((await scim('GET', '/Groups')).body).toMatchObject({ totalResults: 0 })
  })
})
