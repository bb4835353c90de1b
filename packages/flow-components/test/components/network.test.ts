import { createTestRuntime } from '@x/wire'
import { describe, expect, test } from 'vitest'
import { builtinComponents, mcpTools, url } from '@x/flow-components'
import type { McpService, McpTool } from '@x/flow-engine'
import type { DataFrame } from '@x/flow-engine'
import { createMessage, type Message } from '@x/flow-engine'
import type { Tool } from '@x/flow-engine'
import { createRegistry, runFlow } from '@x/flow-engine'
import { flowBuilder, testComponent } from '@x/flow-engine/testing'
import { scriptedFetch, textAnswer } from '@x/test-kit'

describe('URLComponent (CO-40)', () => {
  const page = (body: string, status = 200) => textAnswer(body, 'text/html', status)
  const read = async (inputs: object, ...answers: Parameters<typeof scriptedFetch>) => {
    const { fetch, requests } = scriptedFetch(...answers)
    const options = { inputs: { ...inputs }, services: { fetch } }
    const { value } = await testComponent(url, { ...options, output: 'page_results' })
    return { rows: (value as DataFrame).rows, requests }
  }

  test('CO-40: addresses are trimmed, get https:// and are fetched once; rows have six columns', async () => {
    const html =
      '<html lang="de"><head><title>T</title><meta name="description" content="D"></head><body>x</body></html>'
    const headers = [{ key: 'X-A', value: 'b' }]
    const { rows, requests } = await read(
      { urls: [' a.test ', 'https://a.test', ''], headers },
      page(html),
    )
    expect(rows).toEqual([
      {
        text: 'Tx',
        url: 'https://a.test',
        title: 'T',
        description: 'D',
        content_type: 'text/html',
        language: 'de',
      },
    ])
    expect(requests).toMatchObject([{ method: 'GET', headers: { 'x-a': 'b' } }])
  })

  test('CO-40: the HTML source is returned instead of the text on request', async () => {
    const { rows } = await read({ urls: ['a.test'], format: 'HTML' }, page('<p>x</p>'))
    expect(rows).toMatchObject([{ text: '<p>x</p>' }])
  })

  test('CO-40: error statuses count as pages unless they are checked', async () => {
    const { rows } = await read({ urls: ['a.test'] }, page('gone', 404))
    expect(rows).toMatchObject([{ text: 'gone' }])
    await expect(
      read({ urls: ['a.test'], check_response_status: true }, page('gone', 404)),
    ).rejects.toThrow('Error loading documents: No documents were successfully loaded from any URL')
  })

  test('CO-40: texts of the message are separated by a blank line, its data are the rows', async () => {
    const { fetch } = scriptedFetch(page('one'), page('two'))
    const { value } = await testComponent(url, {
      inputs: { urls: ['a.test', 'b.test'] },
      services: { fetch },
      output: 'raw_results',
    })
    expect((value as Message).text).toBe('one\n\ntwo')
    expect((value as Message).data).toMatchObject({ data: [{ text: 'one' }, { text: 'two' }] })
  })

  test('CO-40: a missing and an invalid address are named in the error', async () => {
    await expect(read({ urls: [' ', ''] })).rejects.toThrow(
      'Error loading documents: No valid URLs provided.',
    )
    await expect(read({ urls: ['http://a b'] })).rejects.toThrow(
      'Error loading documents: Invalid URL: http://a b',
    )
  })
})

describe('MCPTools (CO-42)', () => {
  const tools: McpTool[] = [
    {
      name: 'say',
      inputSchema: {
        type: 'object',
        properties: { text: { type: 'string' }, note: { type: 'string' } },
        required: ['text'],
      },
    },
  ]
  const content = [
    { type: 'text', text: 'plain' },
    { type: 'text', text: '{"a": 1}' },
    { type: 'text', text: '[1]' },
    { type: 'image', data: 'AQI=', mimeType: 'image/png' },
  ]

  function host(connectTo: Partial<Awaited<ReturnType<McpService['connect']>>> = {}) {
    const calls: unknown[] = []
    const connected: unknown[] = []
    const mcp: McpService = {
      connect(server, options) {
        connected.push([server, options.sessionId, options.userId])
        return Promise.resolve({
          listTools: () => Promise.resolve(tools),
          callTool(name, args) {
            calls.push([name, args])
            return Promise.resolve({ content, isError: false })
          },
          close: () => Promise.resolve(),
          ...connectTo,
        })
      },
    }
    return { mcp, calls, connected }
  }
  const server = { name: 'x', config: { url: 'http://x.test/mcp' } }

  test('CO-42: without a tool a single row says so', async () => {
    const { mcp } = host()
    const { value } = await testComponent(mcpTools, {
      inputs: { mcp_server: server },
      services: { mcp },
    })
    expect((value as DataFrame).rows).toEqual([{ error: 'You must select a tool' }])
  })

  test('CO-42: messages are sent as their text, null is omitted; each content item becomes a row', async () => {
    const { mcp, calls, connected } = host()
    const { value } = await testComponent(mcpTools, {
      inputs: { mcp_server: server, tool: 'say', text: createMessage('hi'), note: null },
      services: { mcp },
      sessionId: 's',
      userId: 'u',
    })
    expect(calls).toEqual([['say', { text: 'hi' }]])
    expect(connected).toContainEqual([server, 's', 'u'])
    expect((value as DataFrame).rows).toEqual([
      { type: 'text', text: 'plain' },
      { a: 1 },
      { type: 'text', text: '[1]' },
      { type: 'image', data: 'AQI=', mimeType: 'image/png' },
    ])
  })

  test('CO-42: strings in fields are converted to the types of the schema of the tool', async () => {
    const schema = {
      type: 'object',
      properties: {
        on: { type: 'boolean' },
        list: { type: 'array' },
        some: { type: 'object' },
        n: { type: 'number' },
        word: { type: 'string' },
      },
    }
    const { mcp, calls } = host({
      listTools: () => Promise.resolve([{ name: 'set', inputSchema: schema }]),
    })
    const given = { on: 'True', list: '[1]', some: '{"a":', n: 'many', word: 'true' }
    await testComponent(mcpTools, {
      inputs: { mcp_server: server, tool: 'set', ...given },
      services: { mcp },
    })
    // A value that fits no type is passed on unchanged: the server reports it.
    expect(calls).toEqual([['set', { ...given, on: true, list: [1] }]])
  })

  test('CO-42: a required argument missing beside others is named; connections are closed', async () => {
    let closed = 0
    const inputSchema = {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      required: ['a', 'b'],
    }
    const { mcp } = host({
      listTools: () => Promise.resolve([{ name: 'both', inputSchema }]),
      close: async () => void (closed += 1),
    })
    const asking = (values: object) =>
      testComponent(mcpTools, {
        inputs: { mcp_server: server, tool: 'both', ...values },
        services: { mcp },
      })
    await expect(asking({ a: 'x' })).rejects.toThrow(
      "Error in build_output: Tool 'both' lacks required arguments: b",
    )
    expect(closed).toBe(1)
    await asking({ a: 'x', b: 'y' })
    expect(closed).toBe(3)
  })

  test('CO-42: verify_ssl is sent with the configuration when it is off', async () => {
    const { mcp, connected } = host()
    const inputs = { mcp_server: server, tool: 'say', text: 'x', verify_ssl: false }
    await testComponent(mcpTools, { inputs, services: { mcp } })
    expect((connected[0] as unknown[])[0]).toMatchObject({
      config: { ...server.config, verify_ssl: false },
    })
  })

  test('CO-42: called by a model the answer is the whole result', async () => {
    const { mcp } = host()
    const { value } = await testComponent(mcpTools, {
      output: 'component_as_tool',
      inputs: { mcp_server: server },
      services: { mcp },
    })
    const { signal } = new AbortController()
    const [tool] = value as Tool[]
    expect(await tool?.call({ text: 'x' }, { signal })).toEqual({ content, isError: false })
  })

  test('CO-42: errors name the failed step', async () => {
    const asking = (connectTo: Parameters<typeof host>[0], runtime = createTestRuntime()) =>
      testComponent(mcpTools, {
        inputs: { mcp_server: server, tool: 'say', text: 'x' },
        services: { mcp: host(connectTo).mcp },
        runtime,
      })
    await expect(asking({ callTool: () => Promise.reject(new Error('broke')) })).rejects.toThrow(
      /^Error in build_output: broke$/,
    )
    await expect(asking({ listTools: () => Promise.reject(new Error('broke')) })).rejects.toThrow(
      /^Error in build_output: Error updating tool list: broke$/,
    )
  })

  test('CO-42: a server that does not list its tools within 30 seconds is abandoned', async () => {
    const runtime = createTestRuntime()
    const mcp: McpService = {
      connect: (_server, { signal }) =>
        Promise.resolve({
          listTools: () =>
            new Promise((_resolve, reject) => {
              signal.addEventListener('abort', () => reject(new Error('too late')))
              void runtime.advance(30_000)
            }),
          callTool: () => Promise.reject(new Error('never')),
          close: () => Promise.resolve(),
        }),
    }
    const inputs = { mcp_server: server, tool: 'say', text: 'x' }
    await expect(testComponent(mcpTools, { inputs, services: { mcp }, runtime })).rejects.toThrow(
      'Error in build_output: Timeout updating tool list: too late',
    )
  })

  test('CO-42: with use_cache the tools of a server are requested once in a run', async () => {
    const listings = async (use_cache: boolean): Promise<number> => {
      let count = 0
      const listTools = () => Promise.resolve(tools).finally(() => (count += 1))
      const flow = flowBuilder('Flow', { components: builtinComponents })
      for (const id of ['1', '2']) {
        const values = { mcp_server: server, tool: 'say', text: 'x', use_cache }
        flow.add('MCPTools', { id: `MCPTools-${id}`, values })
      }
      const components = createRegistry([mcpTools])
      const { mcp } = host({ listTools })
      // As the editor leaves it once a tool is chosen: a hidden field counts for nothing.
      const shown = JSON.stringify(flow.toJSON()).replaceAll('"show":false', '"show":true')
      const run = runFlow(JSON.parse(shown), { components, services: { mcp }, concurrency: 1 })
      await run.result
      return count
    }
    expect(await listings(true)).toBe(1)
    expect(await listings(false)).toBe(2)
  })
})
