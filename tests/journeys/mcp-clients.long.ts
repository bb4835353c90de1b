import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport as SseV1 } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport as TransportV1 } from '@modelcontextprotocol/sdk/shared/transport.js'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { FakeOpenAi } from '@x/flow-engine/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createFlow, echoGraph } from './flows.ts'
import { chatFlow, formOf } from './material.ts'
import { newPerson, type Person } from './people.ts'
import { type Gate } from './model-gate.ts'
import { type Service } from './service.ts'
import { approvalFlow } from './flow-calls.ts'
import { startModelService } from './model-service.ts'

let service: Service
let model: FakeOpenAi
let gate: Gate
let bob: Person
let project: string
let end: () => Promise<void>

beforeAll(async () => {
  ;({ service, model, gate, end } = await startModelService())
  bob = await newPerson(service, 'bob')
  project = await createProject('Harbour', 'Answers about ships.')
  await offer({ name: 'Echo', description: 'Says it again.', data: echoGraph() })
  await offer({ name: 'Chat', data: chatFlow().data })
})
afterAll(() => end())
beforeEach(() => void model.requests.splice(0))

async function createProject(name: string, description = ''): Promise<string> {
  const made = await service.call('POST', '/api/v1/projects/', { body: { name, description } })
  return (made.json() as { id: string }).id
}

async function offer(flow: Readonly<Record<string, unknown>>, enabled = true): Promise<string> {
  const body = { folder_id: project, mcp_enabled: enabled, data: null, ...flow }
  return (await createFlow(service, body)).id
}

const address = (path = 'streamable'): URL =>
  new URL(`${service.url}/api/v1/mcp/project/${project}/${path}`)
const withKey = (key = service.key) => ({ requestInit: { headers: { 'x-api-key': key } } })

/** The interface that all clients share. */
interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>
  callTool(
    params: { name: string; arguments?: Record<string, unknown> },
    ...more: unknown[]
  ): Promise<object>
  close(): Promise<void>
}

async function sdk1(transport: HttpV1 | SseV1): Promise<ClientV1> {
  const client = new ClientV1({ name: 'journey', version: '1' })
  await client.connect(transport as TransportV1)
  return client
}

async function sdk2(mode: 'auto' | 'legacy', key = service.key): Promise<Client> {
  const client = new Client({ name: 'journey', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(new StreamableHTTPClientTransport(address(), withKey(key)))
  return client
}

const clients: Readonly<Record<string, () => Promise<AnyClient>>> = {
  'sdk 1.x, Streamable HTTP': () => sdk1(new HttpV1(address(), withKey())),
  'sdk 1.x, HTTP+SSE': () => sdk1(new SseV1(address('sse'), withKey())),
  'client 2.x, auto': () => sdk2('auto'),
  'client 2.x, legacy': () => sdk2('legacy'),
}

describe.each(Object.entries(clients))('MC-112 %s', (_, connect) => {
  let client: AnyClient
  beforeAll(async () => void (client = await connect()))
  afterAll(() => client.close())

  test('MC-11 MC-14 MC-15 lists the flows of the project', async () => {
    const { tools } = await client.listTools()
    expect(tools).toMatchObject([
      {
        name: 'echo',
        title: 'Echo',
        description: 'Says it again.',
        inputSchema: {
          type: 'object',
          properties: { input_value: { type: 'string' }, session_id: { type: 'string' } },
        },
      },
      { name: 'chat', description: 'Tool generated from flow: chat' },
    ])
  })

  test('MC-22 MC-23 calls a flow, which keeps the session', async () => {
    const args = { input_value: 'hi there', session_id: `of ${_}` }
    expect(await client.callTool({ name: 'echo', arguments: args })).toMatchObject({
      content: [{ type: 'text', text: 'hi there' }],
      isError: false,
    })
    const path = `/api/v1/monitor/messages?session_id=${encodeURIComponent(args.session_id)}`
    const stored = (await service.call('GET', path)).json() as { text: string }[]
    expect(stored.map(({ text }) => text)).toEqual(['hi there', 'hi there'])
  })

  test('MC-24 a failing flow gives an error result', async () => {
    const result = await client.callTool({ name: 'chat', arguments: { input_value: 'refuse' } })
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^Error Executing the Chat tool\. Error: /) }],
    })
  })

  test('MC-21 arguments of a wrong type give an error result that names the field', async () => {
    expect(await client.callTool({ name: 'echo', arguments: { input_value: 5 } })).toMatchObject({
      isError: true,
      content: [{ text: 'Input validation error: input_value: Input should be a string' }],
    })
  })

  test('MC-20 an unknown tool is a protocol error', async () => {
    await expect(client.callTool({ name: 'none', arguments: {} })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("Tool 'none' not found"),
    })
  })

  test('MC-26 progress notifications follow the run', async () => {
    model.reply('Hello')
    const seen: { progress: number; total?: number; message?: string }[] = []
    const onprogress = (now: (typeof seen)[number]): void => void seen.push(now)
    const call = { name: 'chat', arguments: { input_value: 'Hi' } }
    // Version 1 takes a schema of the result in between.
    const more = _.startsWith('sdk 1') ? [undefined, { onprogress }] : [{ onprogress }]
    expect(await client.callTool(call, ...more)).toMatchObject({ content: [{ text: 'Hello' }] })
    expect(seen[0]).toMatchObject({ progress: 1, total: 3, message: 'Chat Input' })
    // A client may pass over the last one, which comes together with the result.
    const steps = seen.map(({ progress }) => progress)
    expect(steps).toEqual([1, 2, 3].filter((step) => steps.includes(step)))
  })

  test('MC-27 MC-43 aborting a call ends the run and its model connection', async () => {
    const before = gate.left
    const leaving = new AbortController()
    const call = { name: 'chat', arguments: { input_value: 'wait' } }
    const signal = { signal: leaving.signal }
    const called = client.callTool(
      call,
      ...(_.startsWith('sdk 1') ? [undefined, signal] : [signal]),
    )
    await expect.poll(() => gate.waiting).toBe(1)
    leaving.abort()
    await expect(called).rejects.toThrow()
    await expect.poll(() => [gate.waiting, gate.left]).toEqual([0, before + 1])
  })
})

describe('MC-50 protocol version negotiation', () => {
  test('`auto` settles on 2026-07-28, `legacy` on 2025-11-25', async () => {
    const [auto, legacy] = await Promise.all([sdk2('auto'), sdk2('legacy')])
    expect(auto.getNegotiatedProtocolVersion()).toBe('2026-07-28')
    expect(legacy.getNegotiatedProtocolVersion()).toBe('2025-11-25')
    await Promise.all([auto.close(), legacy.close()])
  })
})

describe('MC-29 a flow with human input', () => {
  beforeAll(async () => {
    const flow = await approvalFlow(service)
    await offer({ ...flow })
  })
  const call = { name: 'approve', arguments: { input_value: 'Send the offer?' } }

  test('MC-29 DR-44 the client asks its user, and the run continues with the answer', async () => {
    const asked: unknown[] = []
    const client = new Client(
      { name: 'journey', version: '1' },
      { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: 'auto' } },
    )
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params)
      return { action: 'accept', content: { action_id: 'approve' } }
    })
    await client.connect(new StreamableHTTPClientTransport(address(), withKey()))
    expect(await client.callTool(call)).toMatchObject({
      content: [{ text: 'Send the offer?' }],
      isError: false,
    })
    expect(asked).toMatchObject([
      {
        message: 'Send the offer?',
        requestedSchema: { properties: { action_id: { enum: ['approve', 'reject'] } } },
      },
    ])
    await client.close()
  })

  test.each(Object.entries(clients))('MC-29 %s without forms is refused', async (_, connect) => {
    const client = await connect()
    expect(await client.callTool(call)).toMatchObject({
      isError: true,
      content: [{ text: 'This flow asks a person; the client cannot.' }],
    })
    await client.close()
  })
})

test('MC-70 MC-71 MC-72 files of flows are resources, both text and binary', async () => {
  const id = await offer({ name: 'Files', data: echoGraph() }, false)
  const upload = async (name: string, bytes?: Uint8Array): Promise<string> => {
    const body = await formOf(name, bytes)
    const answer = await service.call('POST', `/api/v1/files/upload/${id}`, { body })
    return answer.text
  }
  await upload('note.txt')
  await upload('odd ä.bin', Uint8Array.of(0, 255, 1))
  for (const mode of ['auto', 'legacy'] as const) {
    const client = await sdk2(mode)
    const { resources } = await client.listResources()
    const [note, odd] = resources.map(({ uri }) => uri).toSorted()
    expect(resources[0]).toMatchObject({ description: 'File in flow: Files' })
    const read = async (uri = '') => (await client.readResource({ uri })).contents
    const both = [...(await read(note)), ...(await read(odd))]
    expect(both).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ mimeType: 'text/plain', text: 'Bring the blue umbrella.' }),
        expect.objectContaining({ blob: 'AP8B' }),
      ]),
    )
    const unknown = [
      `${service.url}/api/v1/files/download/${id}/none.txt`,
      `${service.url}/api/v1/files/download/${id}/..%2f..%2fsecret`,
      'file:///etc/passwd',
    ]
    for (const uri of unknown)
      await expect(client.readResource({ uri })).rejects.toMatchObject({ data: { uri } })
    await client.close()
  }
})

test('MC-5 strangers and other users are refused with every client', async () => {
  for (const mode of ['auto', 'legacy'] as const) {
    await expect(sdk2(mode, bob.key)).rejects.toThrow(/404|Project not found/)
    await expect(sdk2(mode, 'sk-wrong')).rejects.toThrow(/401|Unauthorized|Invalid API key/i)
  }
  await expect(sdk1(new SseV1(address('sse'), withKey(bob.key)))).rejects.toThrow(/404/)
})

test("the caller's server has the flows of all of the caller's projects", async () => {
  const url = new URL(`${service.url}/api/v1/mcp/streamable`)
  const client = new Client({ name: 'journey', version: '1' })
  const bearer = { requestInit: { headers: { authorization: `Bearer ${service.key}` } } }
  await client.connect(new StreamableHTTPClientTransport(url, bearer))
  const names = (await client.listTools()).tools.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['echo', 'chat']))
  await client.close()
})
