import { createMcpHandler as createSdkHandler, Server } from '@modelcontextprotocol/server'
import { builtinComponents } from '@x/flow-components'
import { createRegistry } from '@x/flow-engine'
import { createMcpHandler } from '@x/flow-service/mcp'
import { flowBuilder } from '@x/flow-engine/testing'
import { describe, afterAll, expect, test } from 'vitest'

const flow = flowBuilder('Echo')
const input = flow.add('ChatInput')
flow.connect(`${input}.message`, `${flow.add('ChatOutput')}.input_value`)
const ours = createMcpHandler({
  name: 'echo',
  tools: [{ flow: flow.toJSON(), name: 'echo', description: 'Says it.' }],
  components: createRegistry(builtinComponents),
  auth: { kind: 'none' },
})

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The SDK's own server over the same tool (MC-91). */
const sdk = createSdkHandler(() => {
  const server = new Server(
    { name: 'echo', version: '1.0.0' },
    { capabilities: { tools: {}, resources: {}, prompts: {} } },
  )
  const schema = { type: 'object' as const, properties: { input_value: { type: 'string' } } }
  server.setRequestHandler('tools/list', () => ({
    tools: [{ name: 'echo', description: 'Says it.', inputSchema: schema }],
  }))
  server.setRequestHandler('tools/call', ({ params }) => ({
    content: [{ type: 'text', text: textOf(params.arguments?.['input_value']) }],
    isError: false,
  }))
  server.setRequestHandler('resources/list', () => ({ resources: [] }))
  server.setRequestHandler('prompts/list', () => ({ prompts: [] }))
  return server
})
afterAll(() => sdk.close())

const VERSION = 'io.modelcontextprotocol/protocolVersion'
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
const META = { [VERSION]: '2026-07-28', [CAPABILITIES]: {} }
const JSON_TYPE = { 'content-type': 'application/json' }
const BOTH = { ...JSON_TYPE, accept: 'application/json, text/event-stream' }

type Case = readonly [name: string, body: unknown, headers?: Record<string, string>, rule?: string]

const rpc = (method: string, params?: unknown, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params === undefined ? {} : { params }),
})
const init = (protocolVersion: unknown) =>
  rpc('initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'c', version: '1' } })
const modern = (method: string, params: object = {}, meta: object = META) =>
  rpc(method, { ...params, _meta: meta })
const head = (method: string, name?: string) => ({
  ...BOTH,
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': method,
  ...(name === undefined ? {} : { 'mcp-name': name }),
})
const call = { name: 'echo', arguments: { input_value: 'hi' } }

/** A rule is named where the two differ on purpose. */
const cases: readonly Case[] = [
  ...['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '1999-01-01'].map((version): Case => [
    `initialize ${version}`,
    init(version),
  ]),
  ['initialize without a version', init(undefined), BOTH, 'MC-35'],
  ['ping', rpc('ping')],
  ['tools/list', rpc('tools/list')],
  ['tools/call', rpc('tools/call', call)],
  ['tools/call without arguments', rpc('tools/call', { name: 'echo' })],
  ['tools/call of a name that is no string', rpc('tools/call', { name: 5 })],
  ['tools/call with arguments of a wrong form', rpc('tools/call', { ...call, arguments: 5 })],
  ['resources/list', rpc('resources/list')],
  ['prompts/list', rpc('prompts/list')],
  ['an unknown method', rpc('no/such')],
  ['an id that is a string', rpc('ping', undefined, 'a')],
  ['an id of 0', rpc('ping', undefined, 0)],
  ['a notification', { jsonrpc: '2.0', method: 'notifications/initialized' }],
  ['a response', { jsonrpc: '2.0', id: 1, result: {} }],
  ['no JSON', '{'],
  ['an empty body', ''],
  ['a number', 5],
  ['a string', '"x"'],
  ['null', 'null'],
  ['another jsonrpc', { ...rpc('ping'), jsonrpc: '1.0' }],
  ['no method', { jsonrpc: '2.0', id: 1 }],
  ['a batch', [rpc('ping')], BOTH, 'MC-35'],
  ['another content type', rpc('ping'), { ...BOTH, 'content-type': 'text/plain' }],
  ['no Accept', rpc('ping'), JSON_TYPE, 'MC-30'],
  ['Accept of JSON alone', rpc('ping'), { ...JSON_TYPE, accept: 'application/json' }, 'MC-30'],
  ['Accept of neither', rpc('ping'), { ...JSON_TYPE, accept: 'text/html' }],
  ['a known version', rpc('ping'), { ...BOTH, 'mcp-protocol-version': '2025-06-18' }],
  ['an unknown version', rpc('ping'), { ...BOTH, 'mcp-protocol-version': '1999-01-01' }],
  ['params that are a list', rpc('tools/list', []), BOTH, 'MC-35'],
  ['2026 discover', modern('server/discover'), head('server/discover')],
  ['2026 tools/list', modern('tools/list'), head('tools/list')],
  ['2026 tools/call', modern('tools/call', call), head('tools/call', 'echo')],
  ['2026 resources/list', modern('resources/list'), head('resources/list')],
  ['2026 ping', modern('ping'), head('ping')],
  ['2026 initialize', modern('initialize'), head('initialize')],
  ['2026 an unknown method', modern('no/such'), head('no/such')],
  [
    '2026 without the header of the version',
    modern('tools/list'),
    { ...BOTH, 'mcp-method': 'tools/list' },
  ],
  [
    '2026 without the header of the method',
    modern('tools/list'),
    { ...BOTH, 'mcp-protocol-version': '2026-07-28' },
  ],
  ['2026 another method in the header', modern('tools/list'), head('tools/call')],
  ['2026 without a name', modern('tools/call', call), head('tools/call')],
  ['2026 another name', modern('tools/call', call), head('tools/call', 'other')],
  [
    '2026 an encoded name',
    modern('tools/call', call),
    head('tools/call', `=?base64?${btoa('echo')}?=`),
  ],
  [
    '2026 another version',
    modern('tools/list', {}, { ...META, [VERSION]: '2027-01-01' }),
    head('tools/list'),
    'MC-51',
  ],
  ['2026 no version', modern('tools/list', {}, { [CAPABILITIES]: {} }), head('tools/list')],
  [
    '2026 no capabilities',
    modern('tools/list', {}, { [VERSION]: '2026-07-28' }),
    head('tools/list'),
  ],
  ['2026 no _meta', rpc('tools/list'), head('tools/list')],
]

interface Answer {
  readonly status: number
  readonly code?: number | undefined
  readonly resultType?: unknown
  readonly result?: unknown
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text()
  const data = /^data: (.*)$/m.exec(text)?.[1] ?? text
  let message: { error?: { code?: number }; result?: Record<string, unknown> } = {}
  try {
    message = JSON.parse(data) as typeof message
  } catch {
    // An empty body.
  }
  const { content, protocolVersion, tools, resources, prompts, supportedVersions } =
    message.result ?? {}
  return {
    status: response.status,
    code: message.error?.code,
    resultType: message.result?.['resultType'],
    result: {
      content,
      protocolVersion,
      resources,
      prompts,
      supportedVersions,
      tools: (tools as { name: string }[] | undefined)?.map(({ name }) => name),
    },
  }
}

describe("MC-91 the same requests to the SDK's server and to ours get the same answers", () => {
  test.each(cases.map((one) => [one[0], one] as const))('MC-91 %s', async (_, one) => {
    const [, body, headers = BOTH, rule] = one
    const ask = (): Request =>
      new Request('http://127.0.0.1/mcp', {
        method: 'POST',
        headers,
        body: typeof body === 'string' ? body : JSON.stringify(body),
      })
    const [own, theirs] = await Promise.all(
      [ours(ask()), sdk.fetch(ask())].map(async (answer) => answerOf(await answer)),
    )
    const differs = JSON.stringify(own) !== JSON.stringify(theirs)
    expect({ own, differs }).toEqual({
      own: rule === undefined ? theirs : own,
      differs: rule !== undefined,
    })
  })
})
