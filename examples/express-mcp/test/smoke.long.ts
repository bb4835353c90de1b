import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startExample, type Example } from '../../../tools/start-example.ts'

const TOKEN = 'the token of this test'

let example: Example
beforeAll(async () => {
  example = await startExample(new URL('../', import.meta.url), { MCP_TOKEN: TOKEN })
})
afterAll(() => example.stop())

async function connect(token: string): Promise<Client> {
  const client = new Client({ name: 'smoke', version: '1' })
  const headers = { 'x-api-key': token }
  const url = new URL(`${example.url}/mcp`)
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
  return client
}

test('MC-101 the app offers a flow as a tool beside its own routes', async () => {
  expect(await (await fetch(example.url)).text()).toBe('The app itself\n')
  const client = await connect(TOKEN)
  const { tools } = await client.listTools()
  expect(tools).toMatchObject([{ name: 'greeting', description: 'Greets somebody by name.' }])
  const result = await client.callTool({ name: 'greeting', arguments: { input_value: 'Ada' } })
  expect(result.content).toEqual([{ type: 'text', text: 'Good morning, Ada' }])
  await client.close()
})

test('MC-102 clients without the token are refused', async () => {
  await expect(connect('another token than that')).rejects.toThrow(/401|Unauthorized|Credentials/)
})
