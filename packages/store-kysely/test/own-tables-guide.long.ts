import { needs } from '@x/test-kit/needs'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { transform } from 'esbuild'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { sqliteDriverName } from '../src/engine/sqlite-driver-name.ts'
import { postgresDatabase } from './databases.ts'

const guide = (name: string): URL => new URL(`../../../docs/guides/${name}.md`, import.meta.url)
const GUIDE = guide('scim-own-tables')
const POSTGRES_GUIDE = guide('scim-own-tables-postgres')

const TOKEN = 'a-token-of-the-guide'

/** Requests of a directory, sent to what the code of the guide exports. */
const DRIVER = `;{
const call = async (method, path, body) => {
  const answer = await handle(new Request('http://127.0.0.1:3000/scim/v2' + path, {
    method,
    headers: { authorization: 'Bearer ${TOKEN}', 'content-type': 'application/scim+json' },
    ...(body && { body: JSON.stringify(body) }),
  }))
  const text = await answer.text()
  return { status: answer.status, body: text === '' ? {} : JSON.parse(text) }
}
const patch = (path, op) => call('PATCH', path, {
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: [op],
})
const made = await call('POST', '/Users', {
  userName: 'ada@app.example', displayName: 'Ada', name: { givenName: 'A' }, externalId: 'HR-1',
})
const again = await call('POST', '/Users', { userName: 'ADA@app.example' })
const patched = await patch('/Users/' + made.body.id, { op: 'replace', path: 'active', value: false })
const found = await call('GET', '/Users?filter=' + encodeURIComponent('userName eq "ada@app.example"'))
const [user] = found.body.Resources
const second = await call('POST', '/Users', { userName: 'bob@app.example' })
const group = await call('POST', '/Groups', {
  displayName: 'Editors', externalId: 'G-1', members: [{ value: made.body.id }],
})
const path = '/Groups/' + group.body.id
await patch(path, { op: 'add', path: 'members', value: [{ value: second.body.id }] })
await patch(path, { op: 'remove', path: 'members[value eq "' + made.body.id + '"]' })
await patch(path, { op: 'replace', path: 'displayName', value: 'Writers' })
const shown = (await call('GET', path)).body
const names = ['title', 'nickName', 'displayName', 'userType', 'locale', 'preferredLanguage']
const changes = await Promise.all(names.map((name) =>
  patch('/Users/' + second.body.id, { op: 'add', path: name, value: 'de' })))
const bob = (await call('GET', '/Users/' + second.body.id)).body
const removed = [await call('DELETE', path), await call('GET', path)]
console.log(JSON.stringify({
  made: made.status, again: again.status, active: patched.body.active, total: found.body.totalResults,
  user: [user.displayName, user.name, user.externalId],
  group: [group.status, shown.displayName, shown.externalId,
    shown.members.map(({ value }) => value === second.body.id)],
  changed: [[...new Set(changes.map(({ status }) => status))], names.filter((name) => bob[name] === 'de').length],
  removed: removed.map(({ status }) => status),
}))
process.exit(0)
}`

async function blockWith(word: string, page = GUIDE): Promise<string> {
  const text = await readFile(page, 'utf8')
  const blocks = [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code)
  const block = blocks.find((code) => code.includes(word))
  if (block === undefined) throw new Error(`The guide has no block with ${word}`)
  return block
}

async function run(
  block: string,
  env: Readonly<Record<string, string>> = {},
  driver = DRIVER,
): Promise<unknown> {
  const { code } = await transform(block, { loader: 'ts', format: 'esm', target: 'node20' })
  const { PATH = '', HOME = '' } = process.env
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', 'tsx', '--conditions=@x/source', '--input-type=module', '--eval', code + driver],
    {
      cwd: fileURLToPath(new URL('..', import.meta.url)),
      env: { PATH, HOME, SCIM_TOKEN: TOKEN, ...env },
    },
  )
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
}

const EXPECTED = {
  made: 201,
  again: 409,
  active: false,
  total: 1,
  user: ['Ada', { givenName: 'A' }, 'HR-1'],
  group: [201, 'Writers', 'G-1', [true]],
  // Changes at the same time are all kept.
  changed: [[200], 6],
  removed: [204, 404],
}

describe('the code of the guide on own tables, as it stands there', () => {
  test.each(['db.exec', 'new Kysely'])('SH-3 %s', async (word) => {
    const folder = await mkdtemp(join(tmpdir(), 'guide-'))
    try {
      const block = (await blockWith(word)).replace(
        "'app.db'",
        JSON.stringify(join(folder, 'app.db')),
      )
      expect(await run(block)).toEqual(EXPECTED)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })

  // better-sqlite3 has no binary for older versions of Node, where the guide's libsql is the driver.
  test.skipIf(sqliteDriverName() !== 'better-sqlite3')(
    'SH-3 db.exec with better-sqlite3, which has the same calls',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'guide-'))
      try {
        const block = (await blockWith('db.exec'))
          .replace("'app.db'", JSON.stringify(join(folder, 'app.db')))
          .replace("from 'libsql'", "from 'better-sqlite3'")
        expect(block).toContain("import Database from 'better-sqlite3'")
        expect(await run(block)).toEqual(EXPECTED)
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    },
  )

  test(
    'SF-42 SF-43 plain pg, Express and a token for each customer',
    needs('postgres'),
    async () => {
      const database = await postgresDatabase()
      const env = { DATABASE_URL: database.address, PORT: '0' }
      const program = await blockWith('expressHandler', POSTGRES_GUIDE)
      const script = await blockWith('mail_key is null', POSTGRES_GUIDE)
      for (const statement of [
        sql`create table users (id bigserial primary key, org_id text not null, email text not null,
          name text not null, active boolean not null default true,
          created_at timestamptz not null default now())`,
        sql`insert into users (org_id, email, name) values ('acme', 'Grace@App.Example', 'Grace'),
          ('globex', 'ada@app.example', 'Ada of another customer')`,
      ]) {
        await statement.execute(database.db)
      }
      const STOP = ';console.log(JSON.stringify(null)); process.exit(0)'
      await run(program, env, STOP)
      await run(script, env, STOP)
      const digest = createHash('sha256').update(TOKEN).digest('hex')
      await sql`insert into scim_tokens values (${digest}, 'acme')`.execute(database.db)
      expect(await run(program, env)).toEqual(EXPECTED)
      const { rows } = await sql<{
        readonly org_id: string
        readonly name: string
      }>`select org_id, name from users order by id`.execute(database.db)
      expect(rows).toEqual([
        { org_id: 'acme', name: 'Grace' },
        { org_id: 'globex', name: 'Ada of another customer' },
        { org_id: 'acme', name: 'Ada' },
        { org_id: 'acme', name: 'de' },
      ])
      // Who was there before is found, by name and by mail, and not created again.
      const found = `;{
const call = async (path, body) => (await handle(new Request('http://127.0.0.1:3000/scim/v2' + path, {
  method: body ? 'POST' : 'GET', ...(body && { body: JSON.stringify(body) }),
  headers: { authorization: 'Bearer ${TOKEN}', 'content-type': 'application/scim+json' },
}))).json()
const by = async (filter) => (await call('/Users?filter=' + encodeURIComponent(filter))).Resources
  .map(({ id, displayName }) => [id, displayName])
console.log(JSON.stringify([
  await by('userName eq "grace@app.example"'), await by('emails.value eq "GRACE@app.example"'),
  (await call('/Users', { userName: 'grace@app.example' })).status,
]))
process.exit(0)
}`
      expect(await run(program, env, found)).toEqual([[['1', 'Grace']], [['1', 'Grace']], '409'])
      await database.close()
    },
  )

  test('SH-3 Drizzle over PostgreSQL', needs('postgres'), async () => {
    const database = await postgresDatabase()
    for (const statement of [
      sql`create table person (org text, id text, email text not null, email_key text not null, name text,
          active boolean not null, scim json, primary key (org, id), unique (org, email_key))`,
      sql`create table directory_group (org text, id text, name text not null, external_id text,
          primary key (org, id))`,
      sql`create table directory_member (org text, group_id text, person_id text,
          primary key (org, group_id, person_id))`,
    ]) {
      await statement.execute(database.db)
    }
    expect(await run(await blockWith('drizzle('), { DATABASE_URL: database.address })).toEqual(
      EXPECTED,
    )
    await database.close()
  })
})
