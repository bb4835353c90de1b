import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Server as McpServer } from '@modelcontextprotocol/sdk/server/index.js'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mcpTools } from '@x/flow-components'
import { createNode } from '@x/flow-engine'
import { refreshNode } from '@x/flow-engine'
import { isDataFrame } from '@x/flow-engine'
import type { Tool } from '@x/flow-engine'
import { testComponent } from '@x/flow-engine/testing'

const headers: (string | undefined)[] = []
let listed = 0
let server: Server
let url = ''

/** A real MCP server on loopback, a session for each connection. */
beforeAll(async () => {
  server = createServer((request, response) => {
    headers.push(request.headers['x-token']?.toString())
    void (async () => {
      const mcp = new McpServer({ name: 'test', version: '1' }, { capabilities: { tools: {} } })
      mcp.setRequestHandler(ListToolsRequestSchema, () => {
        listed += 1
        return {
          tools: [
            {
              name: 'add.numbers',
              description: 'Adds.',
              inputSchema: {
                type: 'object',
                properties: { a: { type: 'integer' }, note: { type: 'string' } },
                required: ['a'],
              },
            },
          ],
        }
      })
      mcp.setRequestHandler(CallToolRequestSchema, ({ params }) => ({
        content: [{ type: 'text', text: JSON.stringify({ given: params.arguments }) }],
      }))
      const transport = new StreamableHTTPServerTransport({})
      await mcp.connect(transport as Parameters<typeof mcp.connect>[0])
      await transport.handleRequest(request, response)
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/mcp`
})

afterAll(async () => {
  await new Promise((resolve) => {
    server.close(resolve)
    server.closeAllConnections()
  })
})

const choice = () => ({ name: 'test', config: { url, headers: { 'x-token': 'secret' } } })

describe('MCPTools over HTTP (CO-42)', () => {
  test('calls the chosen tool with the fields that have a value', async () => {
    const { value } = await testComponent(mcpTools, {
      allowPrivate: true,
      output: 'response',
      inputs: { mcp_server: choice(), tool: 'add.numbers', a: '3', note: null },
    })

    expect(isDataFrame(value) ? value.rows : value).toEqual([{ given: { a: 3 } }])
    expect(headers).toContain('secret')
  })

  test('missing arguments are named before a tool is called', async () => {
    const inputs = { mcp_server: choice(), tool: 'add.numbers' }
    const options = { allowPrivate: true, output: 'response', inputs }
    await expect(testComponent(mcpTools, options)).rejects.toThrow(
      "Error in build_output: Tool 'add.numbers' requires arguments but none were provided. Required fields: a.",
    )
  })

  test('offers its tools to a model under valid names', async () => {
    const { value } = await testComponent(mcpTools, {
      allowPrivate: true,
      output: 'component_as_tool',
      inputs: { mcp_server: choice() },
    })
    const [tool] = value as Tool[]

    expect(tool).toMatchObject({ name: 'add-numbers', description: 'Adds.' })
    expect(await tool?.call({ a: 1 }, { signal: new AbortController().signal })).toMatchObject({
      content: [{ type: 'text', text: '{"given":{"a":1}}' }],
    })
  })

  test('choosing a server in the editor offers its tools, choosing a tool shows fields for its arguments', async () => {
    const options = { services: { fetch } }
    const chosen = { field: 'mcp_server', value: choice() }
    const first = await refreshNode(mcpTools, createNode(mcpTools), chosen, options)
    expect(first.data.node.template.tool).toMatchObject({ options: ['add.numbers'], show: true })

    const second = await refreshNode(
      mcpTools,
      first,
      { field: 'tool', value: 'add.numbers' },
      options,
    )
    expect(second.data.node.template).toMatchObject({
      a: { _input_type: 'IntInput', required: true },
      note: { _input_type: 'MessageTextInput' },
    })

    const mode = { field: 'tool_mode', value: true, toolMode: true }
    const tools = await refreshNode(mcpTools, second, mode, options)
    expect(tools.data.node.template.tools_metadata?.value).toMatchObject([{ name: 'add.numbers' }])
    expect(tools.data.node.template).not.toHaveProperty('a')
  })

  test('with use_cache the list of tools is requested once in a run', async () => {
    listed = 0
    await testComponent(mcpTools, {
      allowPrivate: true,
      output: 'response',
      inputs: { mcp_server: choice(), tool: 'add.numbers', a: 1, use_cache: true },
    })
    expect(listed).toBe(1)
  })

  test('CO-42: a server with the older transport is reached over SSE, and all pages of its list are read', async () => {
    const older = createServer((request, response) => {
      if (request.method === 'POST' && request.url === '/sse') {
        response.writeHead(405).end()
        return
      }
      void (request.method === 'GET' ? connect(response) : post(request, response))
    })
    let transport: SSEServerTransport | undefined
    const connect = async (response: ServerResponse) => {
      transport = new SSEServerTransport('/messages', response)
      const mcp = new McpServer({ name: 'old', version: '1' }, { capabilities: { tools: {} } })
      mcp.setRequestHandler(ListToolsRequestSchema, ({ params }) =>
        params?.cursor === undefined
          ? { tools: [{ name: 'one', inputSchema: { type: 'object' } }], nextCursor: '2' }
          : { tools: [{ name: 'two', inputSchema: { type: 'object' } }] },
      )
      await mcp.connect(transport)
    }
    const post = async (request: IncomingMessage, response: ServerResponse) =>
      transport?.handlePostMessage(request, response)
    await new Promise<void>((resolve) => older.listen(0, '127.0.0.1', resolve))
    const { port } = older.address() as AddressInfo

    const { value } = await testComponent(mcpTools, {
      allowPrivate: true,
      output: 'component_as_tool',
      inputs: { mcp_server: { name: 'old', config: { url: `http://127.0.0.1:${port}/sse` } } },
    })

    expect((value as Tool[]).map(({ name }) => name)).toEqual(['one', 'two'])
    await new Promise((resolve) => {
      older.close(resolve)
      older.closeAllConnections()
    })
  })

  test('servers started by a command are disabled unless the host provides a service', async () => {
    const inputs = { mcp_server: { name: 'x', config: { command: 'ls' } }, tool: 't' }
    await expect(testComponent(mcpTools, { output: 'response', inputs })).rejects.toThrow(
      'Servers started by a command are off; the operator allows them with SERVICE_MCP_STDIO=true and SERVICE_MCP_STDIO_COMMANDS',
    )
  })

  test('CO-42: a missing server and one without an address are refused with a clear error', async () => {
    const tools = (mcp_server: object) =>
      testComponent(mcpTools, { output: 'component_as_tool', inputs: { mcp_server } })
    await expect(tools({})).rejects.toThrow('No MCP server selected')
    for (const config of [{}, { url: 'ftp://host/x' }, { url: 'http://' }]) {
      await expect(tools({ name: 'x', config })).rejects.toThrow(
        'Error updating tool list: The MCP server has no address',
      )
    }
  })

  test('an unreachable server is an error of the list of tools', async () => {
    const inputs = { mcp_server: { name: 'x', config: { url: 'http://127.0.0.1:1/mcp' } } }
    await expect(testComponent(mcpTools, { output: 'component_as_tool', inputs })).rejects.toThrow(
      'Error updating tool list: ',
    )
  })
})
