// Runs each night (.ci/night).
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createStdioMcp } from '@x/flow-components/node'
import { beforeAll, expect, test, vi } from 'vitest'
import { withService, type Answer, type Service } from '../journeys/service.ts'
import { useService } from './attack.ts'
import { keepsAnswering } from './keeps-answering.ts'
import { addUser, run, saveFlow } from './flows.ts'

vi.setConfig({ testTimeout: 300_000 })

/** A tool server over stdio with one tool; it leaves a line in a file when it starts. */
const TOOL_SERVER = `
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
appendFileSync(process.argv[2], process.argv[3] + '\\n')
const isOdd = process.argv[3] === 'pattern'
const schema = { type: 'object', properties: { x: { type: 'string', pattern: '^(a+)+$' } } }
const listed = isOdd ? { outputSchema: schema } : {}
const told = isOdd ? { structuredContent: { x: 'a'.repeat(20) + '!' } } : {}
const results = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 't', version: '1' } }),
  'tools/list': () => ({ tools: [{ name: 'say', inputSchema: { type: 'object', properties: {} }, ...listed }] }),
  'tools/call': () => ({ content: [{ type: 'text', text: 'said by the command' }], ...told }),
}
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: results[method]?.(params) ?? {} }))
})
`
const NOT_ALLOWED = 'Local commands are for superusers'

const running = useService({ SERVICE_MCP_STDIO: 'true', SERVICE_MCP_STDIO_COMMANDS: 'node' })
let ada = ''
beforeAll(async () => {
  ada = await addUser(running(), 'ada')
})

/** The configuration of a tool server that notes its start as `name`. */
async function commandOf(
  { folder }: Service,
  name: string,
  more: object = {},
): Promise<Record<string, unknown>> {
  const script = join(folder, 'tool-server.mjs')
  await writeFile(script, TOOL_SERVER)
  return { command: 'node', args: [script, join(folder, 'started'), name], ...more }
}

async function startedIn({ folder }: Service): Promise<string[]> {
  const text = await readFile(join(folder, 'started'), 'utf8').catch(() => '')
  return text.split('\n').filter((line) => line !== '')
}

type Template = Record<string, Record<string, unknown>>
interface Graph {
  readonly nodes: { data: { type: string; node: { template: Template } } }[]
}

/** A flow that calls the one tool of a server, as the editor saves it once the tool is chosen. */
async function toolFlow(
  service: Service,
  server: object,
  options: NonNullable<Parameters<typeof saveFlow>[2]> = {},
): Promise<string> {
  const id = await saveFlow(
    service,
    [
      ['MCPTools', {}],
      ['ParserComponent', { mode: 'Stringify' }, 'response>input_data'],
      ['ChatOutput', {}, 'parsed_text>input_value'],
    ],
    options,
  )
  const key = options.key ?? service.key
  const data = await graphOf(service, id, key)
  const { template } = toolNode(data)
  Object.assign(template['mcp_server'] ?? {}, { value: server })
  Object.assign(template['tool'] ?? {}, { value: 'say', show: true, options: ['say'] })
  const saved = await service.call('PATCH', `/api/v1/flows/${id}`, { key, body: { data } })
  expect(saved.status).toBe(200)
  return id
}

async function graphOf(service: Service, flow: string, key: string): Promise<Graph> {
  const stored = await service.call('GET', `/api/v1/flows/${flow}`, { key })
  return (stored.json() as { data: Graph }).data
}

function toolNode({ nodes }: Graph): { readonly template: Template } {
  const found = nodes.find(({ data: { type } }) => type === 'MCPTools')
  if (found === undefined) throw new Error('The flow has no MCP Tools')
  return found.data.node
}

async function visit(service: Service, flow: string): Promise<Answer> {
  const path = `/api/v1/build_public_tmp/${flow}/flow?event_delivery=direct`
  const headers = { cookie: 'client_id=visitor' }
  return service.call('POST', path, { key: null, headers, body: {} })
}

test('AB-75: a superuser starts a listed command from a flow, by name or by path', async () => {
  const service = running()
  const byName = await toolFlow(service, { name: 'x', config: await commandOf(service, 'own') })
  const answer = await run(service, byName)
  expect(answer.text).toContain('said by the command')
  const path = await commandOf(service, 'path', { command: process.execPath })
  expect((await run(service, await toolFlow(service, { name: 'x', config: path }))).status).toBe(
    200,
  )
  expect(await startedIn(service)).toEqual(expect.arrayContaining(['own', 'path']))
})

test('AB-44: schemas of a local tool server are not compiled and their patterns do not run', async () => {
  const config = await commandOf(running(), 'pattern')
  const { signal } = new AbortController()
  const client = await createStdioMcp({ commands: ['node'] }).connect(
    { name: 'x', config },
    { signal },
  )
  try {
    expect((await client.listTools()).map(({ name }) => name)).toEqual(['say'])
    const { content } = await client.callTool('say', {}, { signal })
    expect(content).toEqual([{ type: 'text', text: 'said by the command' }])
  } finally {
    await client.close()
  }
})

test('AB-75: other users can neither register a command nor start one from a flow', () =>
  keepsAnswering(running(), async () => {
    const service = running()
    const config = await commandOf(service, 'ada')
    for (const method of ['POST', 'PATCH']) {
      const path = '/api/v2/mcp/servers/mine'
      const answer = await service.call(method, path, { key: ada, body: config })
      expect([answer.status, answer.json()]).toEqual([403, { detail: NOT_ALLOWED }])
    }
    const address = { url: 'https://tools.example/mcp' }
    const path = '/api/v2/mcp/servers/remote'
    expect((await service.call('POST', path, { key: ada, body: address })).status).toBe(200)

    const flow = await toolFlow(service, { name: 'x', config }, { key: ada })
    expect((await run(service, flow, ada)).text).toContain(NOT_ALLOWED)
    const built = await service.call('POST', `/api/v1/build/${flow}/flow?event_delivery=direct`, {
      key: ada,
      body: {},
    })
    expect(built.text).toContain(NOT_ALLOWED)
    const tweaked = await toolFlow(service, { name: 'remote' }, { key: ada })
    const tweaks = { 'MCP Tools': { mcp_server: { name: 'y', config } } }
    await service.call('POST', `/api/v1/run/${tweaked}`, { key: ada, body: { tweaks } })

    const { template } = toolNode(await graphOf(service, flow, ada))
    const refreshed = await service.call('POST', '/api/v1/custom_component/update', {
      key: ada,
      body: {
        code: template['code']?.['value'],
        template,
        field: 'mcp_server',
        field_value: { name: 'x', config },
        tool_mode: false,
      },
    })
    expect([refreshed.status, refreshed.json()]).toEqual([403, { detail: NOT_ALLOWED }])
    expect(await startedIn(service)).not.toContain('ada')
  }))

test('AB-75: a visitor can start only a command that the owner has registered', () =>
  keepsAnswering(running(), async () => {
    const service = running()
    const inFlow = { name: 'unregistered', config: await commandOf(service, 'visited') }
    const open = await toolFlow(service, inFlow, { isPublic: true })
    expect((await visit(service, open)).text).toContain(NOT_ALLOWED)
    expect(await startedIn(service)).not.toContain('visited')

    const registered = await commandOf(service, 'registered')
    const path = '/api/v2/mcp/servers/registered'
    expect((await service.call('POST', path, { body: registered })).status).toBe(200)
    const offered = await toolFlow(service, { name: 'registered' }, { isPublic: true })
    expect((await visit(service, offered)).text).toContain('said by the command')
    expect(await startedIn(service)).toContain('registered')
    expect(await startedIn(service)).not.toContain('visited')
  }))

test('AB-75: only listed commands start, and none that imitates a listed one', () =>
  keepsAnswering(running(), async () => {
    const service = running()
    const refused = [
      await commandOf(service, 'shell', { command: 'sh' }),
      await commandOf(service, 'near', { command: './node' }),
      await commandOf(service, 'path', { env: { PATH: '/tmp' } }),
      await commandOf(service, 'preload', { env: { NODE_OPTIONS: '--import=/tmp/x.mjs' } }),
    ]
    for (const config of refused) {
      const answer = await run(service, await toolFlow(service, { name: 'x', config }))
      expect(answer.text).toMatch(
        /is not allowed; commands are listed in|cannot be set for a local/,
      )
    }
    for (const name of ['shell', 'near', 'preload'])
      expect(await startedIn(service)).not.toContain(name)
  }))

test('AB-75: commands start only if both the switch and the list are set', async () => {
  for (const environment of [
    { SERVICE_MCP_STDIO: 'true' },
    { SERVICE_MCP_STDIO_COMMANDS: 'node' },
  ]) {
    await withService(environment as Record<string, string>, async (service) => {
      const config = await commandOf(service, 'alone')
      const answer = await run(service, await toolFlow(service, { name: 'x', config }))
      expect(answer.text).toMatch(/SERVICE_MCP_STDIO_COMMANDS|Servers started by a command are off/)
      expect(await startedIn(service)).toEqual([])
    })
  }
})
