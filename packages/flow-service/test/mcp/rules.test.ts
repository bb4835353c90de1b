import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { builtinComponents } from '@x/flow-components'
import { createRegistry } from '@x/flow-engine'
import { createFlowService, type FlowService } from '../../src/service.ts'
import {
  CALL,
  chain,
  createService,
  LIST,
  OWN,
  textOf,
  type Rpc,
  type Service,
} from './mcp-service.ts'

let service: Service
let second: FlowService
beforeAll(async () => {
  service = await createService()
  const components = createRegistry([...builtinComponents, ...OWN.values()])
  second = createFlowService({ ...service.engine.options, components })
})
afterAll(async () => {
  await second.close()
  await service.engine.close()
})

const none = '00000000-0000-4000-8000-000000000000'
const answered = async (answer: Response) => [answer.status, (await answer.json()) as object]

describe('rules of the MCP server', () => {
  test('MC-3 any process can answer any request', async () => {
    const label = (
      await service.post({
        ...LIST,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25' },
      })
    ).headers.get('mcp-session-id')
    const request = new Request(`http://host${service.path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-api-key': service.key,
        'mcp-session-id': label ?? '',
      },
      body: JSON.stringify({
        ...CALL,
        params: { name: 'echo', arguments: { input_value: 'from the other one' } },
      }),
    })
    const { result } = (await (await second.handler(request)).json()) as Rpc
    expect(textOf({ result: result ?? {} })).toBe('from the other one')
  })

  test('MC-8 auto login gives no access to a project', async () => {
    const { engine, post } = await createService(
      {},
      { settings: { autoLogin: true, allowedHosts: ['host'] } },
    )
    expect((await post(LIST, { 'x-api-key': undefined })).status).toBe(401)
    await engine.close()
  })

  test('MC-10 route, origin, credentials, project, size and protocol are checked in this order', async () => {
    const far = { origin: 'https://elsewhere.test' }
    const nobody = { 'x-api-key': undefined }
    const unknown = `/api/v1/mcp/project/${none}/streamable`
    const big = 'x'.repeat(5 * 1024 * 1024)
    const statuses = await Promise.all(
      [
        service.post(big, { ...far, ...nobody }, { at: '/api/v1/mcp/project/x/streamable' }),
        service.post(big, { ...far, ...nobody }, { at: unknown }),
        service.post(big, nobody, { at: unknown }),
        service.post(big, {}, { at: unknown }),
        service.post(big),
        service.post('no message', { 'content-type': 'text/plain' }),
      ].map(async (answer) => (await answer).status),
    )
    expect(statuses.slice(1)).toEqual([403, 401, 404, 413, 415])
    expect(statuses[0]).toBeGreaterThanOrEqual(400)
  })

  test('MC-16 every tool accepts a session id, and none requires one', async () => {
    const { result } = await service.rpc('tools/list')
    for (const { inputSchema } of (result?.['tools'] ?? []) as {
      inputSchema: { properties: Record<string, object>; required: string[] }
    }[]) {
      expect(inputSchema.properties['session_id']).toEqual({
        type: 'string',
        description:
          'Optional session identifier used to persist conversation history across tool calls. Omit to start a new session.',
      })
      expect(inputSchema.required).not.toContain('session_id')
    }
  })

  test('MC-82 an unknown project and one of another user are not found by any settings route', async () => {
    const ask = async (id: string, key: string, [method, path, body]: readonly string[]) => {
      const headers = { 'x-api-key': key, 'content-type': 'application/json' }
      const given = { method: method ?? '', headers, ...(body === undefined ? {} : { body }) }
      return answered(
        await service.engine.handler(
          new Request(`http://host/api/v1/mcp/project/${id}${path}`, given),
        ),
      )
    }
    const routes = [
      ['GET', ''],
      ['PATCH', '', '{"settings":[]}'],
      ['GET', '/composer-url'],
      ['GET', '/installed'],
    ]
    const missing = [404, { detail: 'Project not found' }]
    for (const one of routes) {
      expect(await ask(none, service.key, one)).toEqual(missing)
      expect(await ask(service.project, service.keys.other, one)).toEqual(missing)
    }
  })

  test('MC-92 values of each type are validated, and the schema follows changes of the flow', async () => {
    const args = { input_value: [], session_id: 7 }
    for (const [field, value] of Object.entries(args))
      expect(textOf(await service.call('echo', { [field]: value }))).toBe(
        `Input validation error: ${field}: Input should be a string`,
      )
    const listed = async () => JSON.stringify((await service.rpc('tools/list')).result)
    const before = await listed()
    expect(await listed()).toBe(before)
    await service.api(`/api/v1/flows/${service.echo}`, { data: chain('Reader') }, 'PATCH')
    expect(await service.call('echo', { input_value: 'x' })).toMatchObject({
      result: { isError: false },
    })
    await service.api(`/api/v1/flows/${service.echo}`, { data: chain() }, 'PATCH')
  })
})

test('MC-61 MC-63 fuzz: session ids and messages of HTTP+SSE', async () => {
  const at = service.path.replace('streamable', '')
  const ids = [
    '',
    'x',
    '0'.repeat(32),
    '..%2f',
    '%00',
    'a'.repeat(5000),
    '__proto__',
    '%F0%9F%98%80',
  ]
  const bodies = [
    '',
    '{',
    '[]',
    'null',
    '{"jsonrpc":"2.0"}',
    JSON.stringify(LIST),
    '[['.repeat(9999),
  ]
  for (const id of ids)
    for (const body of bodies) {
      const answer = await service.post(body, {}, { at: `${at}?session_id=${id}` })
      expect([400, 404]).toContain(answer.status)
      expect((await answer.text()).length).toBeLessThan(100)
    }
})
