// Runs each night (.ci/night).
import { execFile } from 'node:child_process'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openSqlite } from '@x/store-kysely/sqlite'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { startServer } from '../server/start-server.ts'
import { ids, KEY, makeInstallation, PASSWORD } from './langflow-installation.ts'

const PROGRAM = fileURLToPath(
  new URL('../../examples/reference-server/src/migrate/main.ts', import.meta.url),
)
const SECRET = 'a secret of the machine'
const ESCAPE = '\u001B]0;owned\u0007\u202Egnp'

interface Ended {
  readonly code: number | null
  readonly output: string
}

let root: string
let before: string
let target: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'hostile-'))
  await mkdir(join(root, 'machine'))
  await writeFile(join(root, 'machine', 'secret.txt'), SECRET)
})
afterAll(() => rm(root, { recursive: true, force: true }))
beforeEach(async () => {
  before = await mkdtemp(join(root, 'from-'))
  target = await mkdtemp(join(root, 'to-'))
})

/** Runs the command as `npm run migrate` does, with little memory. */
function migrate(...options: string[]): Promise<Ended> {
  const program = ['--max-old-space-size=512', '--import', 'tsx', '--conditions=@x/source', PROGRAM]
  const env = { PATH: process.env['PATH'], SERVICE_CONFIG_DIR: target }
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [...program, ...options],
      { env, timeout: 120_000 },
      (_error, stdout, stderr) => resolve({ code: child.exitCode, output: stdout + stderr }),
    )
  })
}

const fromFolder = (): string[] => [
  '--from',
  `sqlite:${join(before, 'langflow.db')}`,
  '--config-dir',
  before,
]

async function change(...statements: ReturnType<typeof sql>[]): Promise<void> {
  const db = openSqlite<unknown>(join(before, 'langflow.db'))
  for (const statement of statements) await statement.execute(db)
  await db.destroy()
}

const hex = (id: string): string => id.replaceAll('-', '')
const flowRow = (id: string, name: string, data: string | null) =>
  sql`insert into flow select ${id}, ${name}, description, icon, icon_bg_color, gradient, is_component, updated_at, webhook, null, tags, locked, mcp_enabled, action_name, action_description, access_type, ${data}, user_id, folder_id, fs_path from flow where id = ${hex(ids.flow)}`
const uuid = (digit: string): string => ids.flow.replaceAll('4', digit)

test('AB-47 a hostile installation copies no file of the machine, and what is moved can be read', async () => {
  await makeInstallation(before, { nodes: [], edges: [] })
  const machine = join(root, 'machine')
  await symlink(join(machine, 'secret.txt'), join(before, ids.ada, 'link.txt'))
  await rm(join(before, ids.flow), { recursive: true })
  await symlink(machine, join(before, ids.flow))
  const file = (id: string, path: string) =>
    sql`insert into file values (${hex(id)}, ${hex(ids.ada)}, ${path}, ${path}, 1, null, '2025-01-01', '2025-01-01')`
  const deep = `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`
  await change(
    file(uuid('c'), `${ids.ada}/link.txt`),
    file(uuid('d'), `${ids.ada}/../../machine/secret.txt`),
    file(uuid('e'), `../machine/secret.txt`),
    flowRow('../machine', 'outside', '{}'),
    flowRow(hex(uuid('1')), 'broken', '{"nodes":'),
    flowRow(hex(uuid('2')), 'deep', deep),
    flowRow(hex(uuid('3')), 'no graph', '"text"'),
    flowRow(hex(uuid('5')), `sound ${ESCAPE}`, '{"nodes":[],"edges":[]}'),
    sql`insert into user select ${hex(uuid('6'))}, ${`ro\u200Bot`}, password, 1, 1, create_at, updated_at from user limit 1`,
    sql`insert into user select ${'../../x'}, ${`bad${ESCAPE}`}, password, 1, 1, create_at, updated_at from user limit 1`,
    sql`insert into message select 'x', timestamp, sender, sender_name, session_id, context_id, text, files, error, edit, properties, category, content_blocks, flow_id from message limit 1`,
  )
  const { code, output } = await migrate(...fromFolder())
  expect({ code, output }).toMatchObject({ code: 0 })
  // eslint-disable-next-line no-control-regex
  expect(output).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u202E]/)
  for (const line of [
    '"outside", its id is not a UUID',
    '"broken", its data is not a flow',
    '"deep", its data is not a flow',
    '"no graph", its data is not a flow',
  ])
    expect(output).toContain(line)
  expect(output).toContain('users: 2 copied, 0 already there, 2 skipped')

  const server = await startServer({ SERVICE_CONFIG_DIR: target })
  try {
    const headers = { 'x-api-key': KEY }
    const ask = async (path: string): Promise<string> => {
      const answer = await fetch(`${server.url}${path}`, { headers })
      const body = await answer.text()
      expect([path, answer.status, body.includes(SECRET)]).toEqual([path, 200, false])
      return body
    }
    const flows = await ask('/api/v1/flows/?get_all=true')
    expect(flows).toContain('sound')
    const files = JSON.parse(await ask('/api/v2/files/')) as { id: string; name: string }[]
    expect(files.map(({ name }) => name)).toEqual(['notes'])
    expect(await ask(`/api/v1/files/list/${ids.flow}`)).not.toContain('secret')
    const body = new URLSearchParams({ username: 'ada', password: PASSWORD })
    expect((await fetch(`${server.url}/api/v1/login`, { method: 'POST', body })).status).toBe(200)
  } finally {
    await server.end('SIGTERM')
  }
})

test('AB-47 a linked database, and a log beside it that is a link, are not written to', async () => {
  await makeInstallation(before, { nodes: [], edges: [] })
  await change(sql`pragma wal_checkpoint(truncate)`)
  const real = join(root, 'machine', 'real.db')
  await writeFile(real, await readFile(join(before, 'langflow.db')))
  const kept = join(root, 'machine', 'kept.bin')
  await writeFile(kept, SECRET)
  await rm(join(before, 'langflow.db'))
  await symlink(real, join(before, 'langflow.db'))
  await rm(join(before, 'langflow.db-wal'), { force: true })
  await symlink(kept, join(before, 'langflow.db-wal'))
  const bytes = await readFile(real)
  const { code } = await migrate(...fromFolder())
  expect(code).toBe(0)
  expect((await readFile(real)).equals(bytes)).toBe(true)
  expect(await readFile(kept, 'utf8')).toBe(SECRET)
})

test('AB-47 a table whose rows never end is left', async () => {
  await makeInstallation(before, { nodes: [], edges: [] })
  await change(
    sql`alter table message rename to old`,
    sql`create view message as with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000) select null as id, timestamp, sender, sender_name, session_id, context_id, text, files, error, edit, properties, category, content_blocks, flow_id from old, n`,
  )
  const { code, output } = await migrate(...fromFolder())
  expect(code).toBe(1)
  expect(output).toContain('The rows of "message" do not end, or have no ids')
})

/** A hostile service: what it answers to a path; undefined for a plain answer. */
type Answers = (path: string) => { status?: number; headers?: object; body: string } | undefined
const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

const PLAIN: Readonly<Record<string, unknown>> = {
  '/api/v1/users/whoami': { id: ids.ada, username: 'eve', is_active: true, is_superuser: false },
}

async function serve(answers: Answers, seen: IncomingHttpHeaders[] = []): Promise<string> {
  const server = createServer((request, response) => {
    seen.push(request.headers)
    const path = request.url ?? ''
    const {
      status = 200,
      headers = {},
      body,
    } = answers(path) ?? {
      body: JSON.stringify(PLAIN[path.split('?')[0] ?? ''] ?? []),
    }
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    if (body !== 'endless') return void response.end(body)
    const piece = Buffer.alloc(1024 * 1024, ' ')
    const more = (): void => {
      while (!response.destroyed && response.write(piece));
    }
    response.on('drain', more)
    more()
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const fromApi = (url: string): string[] => ['--from', url, '--api-key', 'sk-of-the-user']

test('AB-46, AB-47 a service that redirects to another does not take the API key there', async () => {
  const seen: IncomingHttpHeaders[] = []
  const other = await serve(() => undefined, seen)
  const url = await serve(() => ({ status: 302, headers: { location: `${other}/x` }, body: '' }))
  const { code, output } = await migrate(...fromApi(url))
  expect(code).toBe(1)
  expect(output).toMatch(/^[^\n]* is redirected to "http:[^\n]*\n$/)
  expect(seen).toEqual([])
})

test.each([
  ['an endless list', '/api/v1/flows/', 'endless'],
  ['an endless answer about the user', '/api/v1/users/whoami', 'endless'],
  ['an object for a list', '/api/v1/projects/', '{"length":1e9}'],
  ['null for the user', '/api/v1/users/whoami', 'null'],
  ['text', '/api/v1/variables/', '<html>'],
  ['a list that is nested too deep', '/api/v1/flows/', '['.repeat(200_000) + ']'.repeat(200_000)],
])('AB-47 %s ends with one line', async (_name, path, body) => {
  const url = await serve((asked) => (asked.startsWith(path) ? { body } : undefined))
  const { code, output } = await migrate(...fromApi(url))
  expect([code, output]).toEqual([1, expect.not.stringMatching(/\n {4}at |heap out of memory/)])
  expect(output.split('\n').filter((line) => line.includes(url))).toHaveLength(1)
})

test('AB-47 records with NUL characters, lone surrogates and foreign ids are left out', async () => {
  const flow = { user_id: ids.ada, data: { nodes: [], edges: [] }, updated_at: null }
  const url = await serve((path) => {
    if (path.startsWith('/api/v1/flows/'))
      return {
        body: JSON.stringify([
          { ...flow, id: uuid('1'), name: 'half \uD800' },
          { ...flow, id: uuid('2'), name: 'nul \u0000' },
          { ...flow, id: '../../x', name: 'path' },
          { ...flow, id: uuid('5'), name: 'sound' },
        ]),
      }
    if (path.startsWith('/api/v1/monitor/messages'))
      return {
        body: JSON.stringify([
          { id: uuid('1'), flow_id: uuid('5'), session_id: 's', text: 'nul \u0000', timestamp: '' },
          { id: uuid('2'), flow_id: uuid('5'), session_id: 's', text: 'sound', timestamp: '' },
        ]),
      }
    return undefined
  })
  const { code, output } = await migrate(...fromApi(url))
  expect({ code, output }).toMatchObject({ code: 0 })
  expect(output).toContain('flows: 1 copied, 0 already there, 3 skipped')
  expect(output).toContain('messages: 1 copied, 0 already there, 1 skipped')
})
