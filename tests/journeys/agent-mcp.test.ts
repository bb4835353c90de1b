import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Server as McpServer } from '@modelcontextprotocol/sdk/server/index.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { startFakeOpenAi } from '@x/flow-engine/testing'
import { afterAll, expect, test } from 'vitest'
import { messageOf, runFlow, sharedService } from './flow-calls.ts'
import { createFlow, graphOf } from './flows.ts'

const model = await startFakeOpenAi()
const keys: unknown[] = []
/** A tool server of somebody else, a session for each request. */
const tools = createServer((request, response) => {
  keys.push(request.headers['x-harbour-key'])
  void (async () => {
    const mcp = new McpServer({ name: 'harbour', version: '1' }, { capabilities: { tools: {} } })
    mcp.setRequestHandler(ListToolsRequestSchema, () => ({
      tools: [
        {
          name: 'berth_of',
          description: 'Tells where a ship lies.',
          inputSchema: {
            type: 'object',
            properties: { ship: { type: 'string' } },
            required: ['ship'],
          },
        },
      ],
    }))
    mcp.setRequestHandler(CallToolRequestSchema, ({ params }) => ({
      content: [{ type: 'text', text: `${String(params.arguments?.['ship'])} lies at berth 7` }],
    }))
    const transport = new StreamableHTTPServerTransport({})
    await mcp.connect(transport as Parameters<typeof mcp.connect>[0])
    await transport.handleRequest(request, response)
  })()
}).listen(0, '127.0.0.1')
await once(tools, 'listening')
afterAll(async () => {
  tools.close()
  tools.closeAllConnections()
  await model.close()
})

const service = sharedService({ OPENAI_BASE_URL: model.url, SERVICE_SSRF_ALLOW: '127.0.0.1' })

test('an agent calls a tool of an MCP server that its user added', async () => {
  const url = `http://127.0.0.1:${(tools.address() as AddressInfo).port}/mcp`
  const added = await service().call('POST', '/api/v2/mcp/servers/harbour', {
    body: { url, headers: { 'x-harbour-key': 'of-the-user' } },
  })
  expect(added.status).toBe(200)
  const data = graphOf((flow) => {
    const input = flow.add('ChatInput')
    const harbour = flow.add('MCPTools', {
      toolMode: true,
      values: { mcp_server: { name: 'harbour' } },
    })
    const agent = flow.add('Agent', { values: { api_key: 'sk-journey' } })
    flow.connect(`${input}.message`, `${agent}.input_value`)
    flow.connect(`${harbour}.component_as_tool`, `${agent}.tools`)
    flow.connect(`${agent}.response`, `${flow.add('ChatOutput')}.input_value`)
  })
  const flow = await createFlow(service(), { name: 'Harbour', data })
  model.reply({ toolCalls: [{ name: 'berth_of', args: { ship: 'Aurora' } }] }, 'At berth 7')
  const answer = await runFlow(service(), flow.id, 'Where is the Aurora?')
  expect(messageOf(answer)).toBe('At berth 7')
  expect(JSON.stringify(model.requests.at(-1))).toContain('Aurora lies at berth 7')
  expect(new Set(keys)).toEqual(new Set(['of-the-user']))
})
