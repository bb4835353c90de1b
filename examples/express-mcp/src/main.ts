import { readFile } from 'node:fs/promises'
import express from 'express'
import { builtinComponents } from '@x/flow-components'
import { createRegistry, type FlowJson } from '@x/flow-engine'
import { createMcpHandler, mcpClientConfig } from '@x/flow-service/mcp'
import { expressHandler } from '@x/http-adapters/express'

const TOKEN = process.env['MCP_TOKEN'] ?? 'a-token-for-trying-it-out'
const file = await readFile(new URL('../flow.json', import.meta.url), 'utf8')

const handler = createMcpHandler({
  name: 'greetings',
  tools: [{ flow: JSON.parse(file) as FlowJson, description: 'Greets somebody by name.' }],
  components: createRegistry(builtinComponents),
  auth: { kind: 'token', token: TOKEN },
})

const app = express()
app.get('/', (_request, response) => void response.send('The app itself\n'))
app.use('/mcp', expressHandler(handler))
const server = app.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => {
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : address
  const url = `http://127.0.0.1:${port}`
  const config = mcpClientConfig({ name: 'greetings', url: `${url}/mcp`, apiKey: TOKEN })
  console.log(JSON.stringify(config, null, 2))
  console.log(`Listening on ${url}`)
})
