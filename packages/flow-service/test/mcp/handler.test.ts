import { describe, expect, test } from 'vitest'
import { builtinComponents } from '@x/flow-components'
import { createRegistry, FlowCompileError } from '@x/flow-engine'
import { createMcpHandler, mcpClientConfig, type McpHandlerOptions } from '@x/flow-service/mcp'
import { flowBuilder } from '@x/flow-engine/testing'

const TOKEN = 'a token of 16 or more'

function echo(name: string, type = 'ChatOutput') {
  const flow = flowBuilder(name)
  const input = flow.add('ChatInput')
  flow.connect(`${input}.message`, `${flow.add(type)}.input_value`)
  return { ...flow.toJSON(), name }
}

function texts() {
  const flow = flowBuilder('texts')
  const input = flow.add('TextInput', { values: { input_value: 'as it was' } })
  flow.connect(`${input}.text`, `${flow.add('TextOutput')}.input_value`)
  return { ...flow.toJSON(), name: 'Texts' }
}

const handler = (more: Partial<McpHandlerOptions> = {}) =>
  createMcpHandler({
    name: 'support',
    tools: [echo('Echo')],
    components: createRegistry(builtinComponents),
    auth: { kind: 'none' },
    ...more,
  })

function ask(
  handle: ReturnType<typeof createMcpHandler>,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return handle(
    new Request('http://host/anywhere', {
      method: 'POST',
      headers: { accept: '*/*', 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
    }),
  )
}

const LIST = { method: 'tools/list' }
const call = (name: string, args: object) => ({
  method: 'tools/call',
  params: { name, arguments: args },
})

describe('createMcpHandler', () => {
  test('MC-101 the given flows are tools, under given names or the names of the flows', async () => {
    const handle = handler({
      tools: [
        echo('Twice'),
        { flow: echo('x'), name: 'twice', title: 'T', description: 'D' },
        texts(),
      ],
    })
    const { result } = (await (await ask(handle, LIST)).json()) as { result: unknown }
    expect(result).toMatchObject({
      tools: [
        { name: 'twice_1', title: 'Twice', description: 'Tool generated from flow: twice' },
        { name: 'twice', title: 'T', description: 'D' },
        { name: 'texts' },
      ],
    })
    for (const [name, args, text] of [
      ['twice_1', { input_value: 'hi' }, 'hi'],
      ['twice', { input_value: 'ho' }, 'ho'],
      ['texts', { input_value: 'new' }, 'new'],
      ['texts', {}, 'as it was'],
    ] as const)
      expect(await (await ask(handle, call(name, args))).json()).toMatchObject({
        result: { content: [{ type: 'text', text }], isError: false },
      })
  })

  test('MC-101 a caller cannot change values that the host has fixed', async () => {
    const tools = [
      { flow: texts(), tweaks: { 'TextInput-00001': { input_value: 'fixed' } } },
      { flow: echo('Echo'), tweaks: { 'ChatInput-00001': { input_value: 'fixed' } } },
    ]
    const handle = handler({ tools })
    for (const name of ['texts', 'echo']) {
      const answer = await ask(handle, call(name, { input_value: 'mine' }))
      expect(await answer.json()).toMatchObject({
        result: { content: [{ text: 'fixed' }], isError: false },
      })
    }
  })

  test('MC-101 flows that do not compile and invalid names are refused at creation', () => {
    expect(() => handler({ tools: [echo('x', 'NoSuchComponent')] })).toThrow(FlowCompileError)
    expect(() => handler({ tools: [{ flow: echo('x'), name: 'a b' }] })).toThrow('a b')
    const twice = { flow: echo('x'), name: 'same' }
    expect(() => handler({ tools: [twice, twice] })).toThrow('same')
    expect(() => handler({ maxCalls: 0 })).toThrow('maxCalls')
  })

  test('HO-30 with a base path other paths get 404, without one it answers on any', async () => {
    const handle = handler({ basePath: '/mcp' })
    const at = (path: string) =>
      handle(new Request(`http://host${path}`, { method: 'POST', body: '{}' }))
    const outside = await at('/mcpx')
    expect([outside.status, await outside.json()]).toEqual([
      404,
      { detail: 'The path /mcpx is not below the base path "/mcp" of the MCP server.' },
    ])
    for (const path of ['/mcp', '/mcp/']) expect((await at(path)).status).not.toBe(404)
    expect(() => handler({ basePath: 'mcp' })).toThrow(
      `createMcpHandler: option "basePath" must begin with / and not end with /, got 'mcp'; write '/mcp'`,
    )
  })

  test('HO-21 unknown options are refused', () => {
    expect(() => handler(JSON.parse('{"tool":[]}') as object)).toThrow(
      'createMcpHandler: unknown option "tool". Did you mean "tools"?',
    )
  })

  test('MC-102 a missing or weak authentication option is refused', () => {
    for (const auth of [undefined, null, {}, { kind: 'token' }, { kind: 'token', token: 'short' }])
      expect(() => handler({ auth: auth as never })).toThrow(TypeError)
    expect(() => handler({ auth: { kind: 'token', token: [] } })).toThrow('16 characters')
  })

  test('MC-102 a token is accepted as Bearer or x-api-key', async () => {
    const handle = handler({ auth: { kind: 'token', token: ['another token of many', TOKEN] } })
    const statuses = await Promise.all(
      [
        { authorization: `Bearer ${TOKEN}` },
        { 'x-api-key': TOKEN },
        { authorization: 'Bearer wrong', 'x-api-key': TOKEN },
        { 'x-api-key': `${TOKEN}x` },
        {},
      ].map(async (headers) => (await ask(handle, LIST, headers as Record<string, string>)).status),
    )
    expect(statuses).toEqual([200, 200, 401, 401, 401])
    const refused = await ask(handle, LIST)
    expect(refused.headers.get('www-authenticate')).toBe('Bearer')
  })

  test('MC-102 the host can authenticate itself and return its own response', async () => {
    const seen: unknown[] = []
    const handle = handler({
      auth(request, context) {
        seen.push(context)
        const who = request.headers.get('x-who')
        if (who === 'gone') return new Response('gone', { status: 410 })
        return who === null ? null : { userId: who }
      },
    })
    expect((await ask(handle, LIST)).status).toBe(401)
    expect((await ask(handle, LIST, { 'x-who': 'gone' })).status).toBe(410)
    expect((await ask(handle, LIST, { 'x-who': 'ada' })).status).toBe(200)
    expect(seen).toEqual([{}, {}, {}])
  })

  test('MC-9 a page of another origin is refused unless its origin is allowed', async () => {
    const origin = { origin: 'https://page.example' }
    expect((await ask(handler(), LIST, origin)).status).toBe(403)
    const open = handler({ allowedOrigins: ['https://page.example'] })
    expect((await ask(open, LIST, origin)).status).toBe(200)
    expect((await ask(handler(), LIST, { origin: 'http://host' })).status).toBe(200)
  })

  test('resources come from the host', async () => {
    const uri = 'manual://first'
    const handle = handler({
      resources: {
        list: () => [{ uri, name: 'First' }],
        read: (given) => (given === uri ? { uri, text: 'Chapter 1' } : null),
      },
    })
    const read = async (given: string) =>
      (await ask(handle, { method: 'resources/read', params: { uri: given } })).json()
    expect(await read(uri)).toMatchObject({ result: { contents: [{ text: 'Chapter 1' }] } })
    expect(await read('manual://second')).toMatchObject({ error: { code: -32002 } })
  })

  test('an error thrown by the host is reported and not shown to the client', async () => {
    const errors: unknown[] = []
    const boom = (): never => {
      throw new Error('boom at /etc')
    }
    const onError = (error: unknown): void => void errors.push(error)
    const closed = await ask(handler({ auth: boom, onError }), LIST)
    expect([closed.status, await closed.text()]).toEqual([
      500,
      '{"detail":"Internal Server Error"}',
    ])
    const resources = { list: boom, read: boom }
    const broken = await ask(handler({ resources, onError }), { method: 'resources/list' })
    expect(await broken.json()).toMatchObject({
      error: { code: -32603, message: 'Internal error' },
    })
    expect(errors).toHaveLength(2)
  })

  test('MC-103 mcpClientConfig returns the configuration of a client', () => {
    expect(mcpClientConfig({ name: 'support', url: 'https://x/mcp', apiKey: 'k' })).toEqual({
      mcpServers: {
        support: { type: 'http', url: 'https://x/mcp', headers: { 'x-api-key': 'k' } },
      },
    })
  })
})
