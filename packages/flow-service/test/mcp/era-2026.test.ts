import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  CAPABILITIES_KEY,
  createService,
  LIST,
  META,
  VERSION_KEY,
  type Rpc,
  type Service,
} from './mcp-service.ts'

let service: Service
beforeAll(async () => void (service = await createService()))
afterAll(() => service.engine.close())

describe('the stateless protocol version', () => {
  const request = (method: string, params: object = {}, meta: object = META) => ({
    ...LIST,
    method,
    params: { ...params, _meta: meta },
  })
  const headers = (method: string, name?: string): Record<string, string> => ({
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(name === undefined ? {} : { 'mcp-name': name }),
  })
  const ask = async (body: object, given: Record<string, string>) => {
    const answer = await service.post(body, given)
    return [answer.status, await answer.json()] as [number, Rpc]
  }

  test('MC-53 results contain resultType and the server info', async () => {
    const [, discovered] = await ask(request('server/discover'), headers('server/discover'))
    expect(discovered.result).toEqual({
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {}, resources: {} },
      ttlMs: 0,
      cacheScope: 'private',
      resultType: 'complete',
      _meta: {
        'io.modelcontextprotocol/serverInfo': expect.objectContaining({ title: 'Tools' }),
      },
    })
    const args = { name: 'echo', arguments: { input_value: 'hi' } }
    expect(await ask(request('tools/call', args), headers('tools/call', 'echo'))).toMatchObject([
      200,
      { result: { content: [{ text: 'hi' }], isError: false, resultType: 'complete' } },
    ])
    const listed = await ask(request('tools/list'), headers('tools/list'))
    expect(listed).toMatchObject([200, { result: { tools: [{ name: 'echo' }, {}], ttlMs: 0 } }])
  })

  const list = headers('tools/list')
  const echo = { name: 'echo', arguments: {} }
  const cases: [string, object, Record<string, string>, number, number][] = [
    [
      'no version in _meta',
      request('tools/list', {}, { [CAPABILITIES_KEY]: {} }),
      list,
      400,
      -32602,
    ],
    [
      'no capabilities',
      request('tools/list', {}, { [VERSION_KEY]: '2026-07-28' }),
      list,
      400,
      -32602,
    ],
    [
      'another version',
      request('tools/list', {}, { ...META, [VERSION_KEY]: '2027-01-01' }),
      list,
      400,
      -32022,
    ],
    [
      'no header of the version',
      request('tools/list'),
      { 'mcp-method': 'tools/list' },
      400,
      -32020,
    ],
    [
      'no header of the method',
      request('tools/list'),
      { 'mcp-protocol-version': '2026-07-28' },
      400,
      -32020,
    ],
    ['another method', request('tools/list'), headers('tools/call'), 400, -32020],
    ['no name', request('tools/call', echo), headers('tools/call'), 400, -32020],
    ['another name', request('tools/call', echo), headers('tools/call', 'stuck'), 400, -32020],
    ['a method of the other era', request('ping'), headers('ping'), 404, -32601],
    [
      'subscriptions',
      request('subscriptions/listen'),
      headers('subscriptions/listen'),
      404,
      -32601,
    ],
    [
      'an unknown tool',
      request('tools/call', { name: 'x' }),
      headers('tools/call', 'x'),
      200,
      -32602,
    ],
  ]
  test.each(cases)('MC-51 MC-52 MC-55 %s', async (_, body, given, status, code) => {
    expect(await ask(body, given)).toMatchObject([status, { id: 7, error: { code } }])
  })

  test('MC-51 a mismatch of header and body is named; encoded tool names are accepted', async () => {
    const [, { error }] = await ask(request('tools/list'), headers('tools/call'))
    expect(error?.data).toEqual({ mismatch: { header: 'tools/call', body: 'tools/list' } })
    const encoded = headers('tools/call', `=?base64?${btoa('echo')}?=`)
    expect(await ask(request('tools/call', echo), encoded)).toMatchObject([200, { result: {} }])
  })

  test('MC-54 a client that does not accept the content type of the answer gets 406', async () => {
    const body = request('tools/call', echo, { ...META, progressToken: 1 })
    const given = headers('tools/call', 'echo')
    expect((await service.post(body, { ...given, accept: 'application/json' })).status).toBe(406)
    const stream = { ...headers('tools/list'), accept: 'text/event-stream' }
    expect((await service.post(request('tools/list'), stream)).status).toBe(406)
  })
})
