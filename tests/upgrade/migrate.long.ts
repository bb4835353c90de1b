import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { blocksOf } from '../docs/blocks.ts'
import { startServer, type Started } from '../server/start-server.ts'
import { ids, KEY, makeInstallation, PASSWORD } from './langflow-installation.ts'

const PROGRAM = fileURLToPath(
  new URL('../../examples/reference-server/src/migrate/main.ts', import.meta.url),
)
const ECHO = new URL('../../examples/reference-server/flows/echo.json', import.meta.url)

let before: string
let target: string
let server: Started

/** Runs the command as `npm run migrate` does; gives what it prints. */
async function migrate(...options: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', 'tsx', '--conditions=@x/source', PROGRAM, ...options],
    { env: { PATH: process.env['PATH'], SERVICE_CONFIG_DIR: target } },
  )
  return stdout
}

const GUIDE = 'docs/guides/migrate-from-langflow.md'

/** The options of a command of the guide, with these values in the place of those that it shows. */
async function optionsOf(index: number, values: Readonly<Record<string, string>>) {
  const block = (await blocksOf(GUIDE, 'sh'))[index]?.replaceAll('\\\n', '')
  const [, options = ''] = /npm run migrate -- (.+)/.exec(block ?? '') ?? []
  return Object.entries(values)
    .reduce((written, [shown, value]) => written.replaceAll(shown, value), options)
    .split(/\s+/)
}

const fromFolder = (index = 0) => optionsOf(index, { '/var/lib/langflow': before })
const fromService = () => optionsOf(1, { 'https://flows.example': server.url, 'sk-...': KEY })

async function get(path: string, headers: Record<string, string>): Promise<Response> {
  return await fetch(`${server.url}${path}`, { headers })
}

let report: string

beforeAll(async () => {
  before = await mkdtemp(join(tmpdir(), 'migrate-from-'))
  target = await mkdtemp(join(tmpdir(), 'migrate-to-'))
  const echo = JSON.parse(await readFile(ECHO, 'utf8')) as { data: object }
  await makeInstallation(before, echo.data)
  report = await migrate(...(await fromFolder()))
  server = await startServer({ SERVICE_CONFIG_DIR: target })
})

afterAll(async () => {
  await server.end('SIGTERM')
  await Promise.all([before, target].map((path) => rm(path, { recursive: true, force: true })))
})

test('the report has the lines that the guide shows', async () => {
  const [shown = ''] = await blocksOf(GUIDE, 'text')
  expect(report.trimEnd()).toBe(shown.trimEnd())
  expect(await fromFolder(2)).toEqual(await fromFolder())
})

test('the report lists copied data and secrets that must be entered again', () => {
  expect(report).toContain('users: 2 copied, 0 already there, 0 skipped')
  expect(report).toContain('flows: 1 copied')
  expect(report).toContain('variables: 2 copied, 0 already there, 1 skipped')
  expect(report).toContain('"OF_ANOTHER_KEY", its value cannot be read; enter it again')
  expect(report).toContain('files: 2 copied, 0 already there, 1 skipped')
  expect(report).toContain('"_mcp_servers_ada", enter MCP servers again')
  expect(report).toContain('messages: 1 copied')
  expect(report).not.toContain('sk-openai')
})

test('a copied user signs in with the old password repeatedly; a wrong one is refused', async () => {
  const signIn = async (password: string): Promise<number> => {
    const body = new URLSearchParams({ username: 'ada', password })
    return (await fetch(`${server.url}/api/v1/login`, { method: 'POST', body })).status
  }
  expect(await signIn('not the password')).toBe(401)
  expect(await signIn(PASSWORD)).toBe(200)
  expect(await signIn(PASSWORD)).toBe(200)
})

test('an old API key runs the copied flow by its name', async () => {
  const answer = await fetch(`${server.url}/api/v1/run/old-echo`, {
    method: 'POST',
    headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
    body: '{"input_value":"still here"}',
  })
  expect(answer.status).toBe(200)
  expect(await answer.text()).toContain('still here')
})

test('projects, variables, files and messages keep their ids and contents', async () => {
  const key = { 'x-api-key': KEY }
  const flow = await (await get(`/api/v1/flows/${ids.flow}`, key)).json()
  expect(flow).toMatchObject({ folder_id: ids.project, tags: ['kept'], mcp_enabled: true })
  const variables = await (await get('/api/v1/variables/', key)).json()
  expect(variables).toContainEqual(expect.objectContaining({ name: 'GREETING', value: 'grüezi' }))
  expect(variables).toContainEqual(
    expect.objectContaining({ name: 'OPENAI_API_KEY', type: 'Credential' }),
  )
  const file = await get(`/api/v2/files/${ids.file}`, key)
  expect(await file.text()).toBe('kept since 2025')
  const table = await get(`/api/v1/files/download/${ids.flow}/2025_table.csv`, key)
  expect(await table.text()).toBe('a,b\n1,2\n')
  const messages = await (await get('/api/v1/monitor/messages?session_id=talk', key)).json()
  expect(messages).toMatchObject([{ id: ids.message, text: 'the first question' }])
})

test("migration over the API moves one user's data; a second run moves nothing", async () => {
  const other = await mkdtemp(join(tmpdir(), 'migrate-api-'))
  const here = target
  try {
    target = other
    const first = await migrate(...(await fromService()))
    expect(first).toContain('users: 1 copied')
    expect(first).toContain('"ada": has no password here; a superuser sets one')
    expect(first).toContain('flows: 1 copied')
    expect(first).toContain('files: 2 copied')
    expect(first).toContain('"OPENAI_API_KEY", its value cannot be read; enter it again')
    const second = await migrate(...(await fromService()))
    expect(second).not.toMatch(/[1-9]\d* copied/)
  } finally {
    target = here
    await rm(other, { recursive: true, force: true })
  }
})

test('an invalid source or API key ends with a one-line error', async () => {
  await expect(migrate('--from', 'sqlite:/nowhere/at/all.db')).rejects.toMatchObject({
    stderr: expect.stringMatching(/^--from must be [^\n]*\n$/) as string,
  })
  await expect(migrate('--from', server.url, '--api-key', 'sk-wrong')).rejects.toMatchObject({
    stderr: expect.stringContaining('check --api-key') as string,
  })
})

test.each([
  [[], '--from is missing; npm run migrate -- --help shows how to use it'],
  [['--from', 'https://127.0.0.1:1'], 'https://127.0.0.1:1 cannot be reached: '],
  [
    ['--from', 'postgres://me:secret@127.0.0.1:1/db'],
    'Cannot read the table "flow" of postgres://',
  ],
])('migrate %j stops with one line that says why', async (options, told) => {
  const failed = await migrate(...options).catch((error: unknown) => error)
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining(told) })
  const { stderr } = failed as { readonly stderr: string }
  expect([stderr.trim().split('\n').length, stderr.includes('secret')]).toEqual([1, false])
})
