import { needs } from '@x/test-kit/needs'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { mcpClientConfig } from '@x/flow-service/mcp'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createFlow, echoGraph } from '../journeys/flows.ts'
import { startService, type Service } from '../journeys/service.ts'
import { blocksOf, blockWith, linesOf, load } from './blocks.ts'

const PAGE = 'docs/guides/mcp.md'
const FLOW = new URL('../../examples/express-mcp/flow.json', import.meta.url)
const TOKEN = 'a token of at least 16 characters'

let service: Service
let project: string
let flow: string
let end: () => Promise<void>
beforeAll(async () => {
  ;({ service, end } = await startService({}))
  const made = await service.call('POST', '/api/v1/projects/', { body: { name: 'Support' } })
  ;({ id: project } = made.json() as { id: string })
  const body = { name: 'Money back', data: echoGraph(), folder_id: project, mcp_enabled: false }
  ;({ id: flow } = await createFlow(service, body))
  vi.stubEnv('FLOW_API_KEY', service.key)
  vi.stubEnv('MCP_TOKEN', TOKEN)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await end()
})

const placed = (code: string): string =>
  code.replaceAll('https://flows.example', service.url).replaceAll('/PROJECT/', `/${project}/`)

test(
  "MC-113 the guide's command exposes a flow as a tool, and its program calls it",
  needs('bash', 'curl'),
  async () => {
    const [command = ''] = await blocksOf(PAGE, 'sh')
    const env = { ...process.env, PROJECT: project, FLOW: flow, FLOW_API_KEY: service.key }
    const { stdout } = await promisify(execFile)('bash', ['-ec', placed(command)], { env })
    expect(JSON.parse(stdout)).toMatchObject({
      message: expect.stringContaining('settings for 1 flow'),
    })

    const code = placed(await blockWith(PAGE, 'await client.listTools()'))
    expect(await linesOf('mcp-client', `${code}\nawait client.close()`)).toEqual([
      [['refund']],
      [[{ type: 'text', text: 'Order 17' }]],
    ])
  },
)

test("MC-113 MC-103 the guide's client configuration is the one generated for its address and key", async () => {
  const [text = ''] = await blocksOf(PAGE, 'json')
  const url = 'https://flows.example/api/v1/mcp/project/PROJECT/streamable'
  expect(JSON.parse(text)).toEqual(mcpClientConfig({ name: 'support', url, apiKey: 'YOUR KEY' }))
  const [command = ''] = await blocksOf(PAGE, 'sh not run: needs Claude Code')
  expect(command.replaceAll(/\\\n\s*/g, '')).toBe(
    `claude mcp add --transport http support ${url} --header "x-api-key: YOUR KEY"\n`,
  )
})

test('MC-113 the app of the guide exposes one flow and refuses strangers', async () => {
  const code = (await blockWith(PAGE, "readFile('refund.json'"))
    .replace("'refund.json'", `new URL('${FLOW.href}')`)
    .replace(/^express\(\)/m, 'export const server = express()')
    .replace('listen(3000)', "listen(0, '127.0.0.1')")
  const { server } = await load<{ server: Server }>('mcp-app', code)
  try {
    if (!server.listening) await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const client = new Client({ name: 'reader of the guide', version: '1' })
    const headers = { authorization: `Bearer ${TOKEN}` }
    const url = new URL(`http://127.0.0.1:${port}/mcp`)
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
    const { tools } = await client.listTools()
    expect(tools).toMatchObject([
      { description: 'Refunds an order. Takes the number of the order.' },
    ])
    await client.close()
    const stranger = { headers: { authorization: 'Bearer no' }, method: 'POST', body: '{}' }
    expect((await fetch(url, stranger)).status).toBe(401)
  } finally {
    server.closeAllConnections()
    server.close()
  }
})
