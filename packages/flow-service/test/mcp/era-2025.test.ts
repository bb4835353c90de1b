import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CALL, createService, LIST, type Service } from './mcp-service.ts'

let service: Service
beforeAll(async () => void (service = await createService()))
afterAll(() => service.engine.close())

describe('protocol versions until 2025', () => {
  test('MC-31 a known version is confirmed; any other gets the latest version', async () => {
    const versions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2099-01-01']
    for (const protocolVersion of versions) {
      const { result } = await service.rpc('initialize', { protocolVersion })
      const settled = protocolVersion === '2099-01-01' ? '2025-11-25' : protocolVersion
      expect(result).toMatchObject({
        protocolVersion: settled,
        serverInfo: { name: `flow-mcp-project-${service.project}`, title: 'Tools' },
        capabilities: { tools: { listChanged: false }, prompts: {}, resources: {} },
      })
    }
  })

  test('MC-43 `initialize` returns a label; requests with any other label are served', async () => {
    const initialize = { ...LIST, method: 'initialize', params: { protocolVersion: '2025-11-25' } }
    const label = (await service.post(initialize)).headers.get('mcp-session-id')
    expect(label).toMatch(/^[0-9a-f-]{36}$/)
    expect((await service.post(LIST, { 'mcp-session-id': 'another' })).status).toBe(200)
  })

  test('MC-32 ping and prompts/list are answered; unknown methods are not found', async () => {
    expect(await service.rpc('ping')).toMatchObject({ result: {} })
    expect(await service.rpc('prompts/list')).toMatchObject({ result: { prompts: [] } })
    for (const method of ['logging/setLevel', 'server/discover', 'constructor'])
      expect(await service.rpc(method)).toMatchObject({
        error: { code: -32601, message: 'Method not found' },
      })
  })

  test('MC-33 notifications and responses of the client get 202 without a body', async () => {
    const bodies = [
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 1, result: {} },
    ]
    for (const body of bodies) {
      const answer = await service.post(body)
      expect([answer.status, await answer.text()]).toEqual([202, ''])
    }
  })

  test('MC-34 GET and DELETE get 405, HEAD gets 200', async () => {
    const { engine, path } = service
    const ask = (method: string) => engine.handler(new Request(`http://host${path}`, { method }))
    for (const method of ['GET', 'DELETE']) {
      const answer = await ask(method)
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
    }
    expect((await ask('HEAD')).status).toBe(200)
  })

  const refused: [string, unknown, Record<string, string>, number, number, number | null][] = [
    ['another content type', '{}', { 'content-type': 'text/plain' }, 415, -32000, null],
    ['no JSON', '{', {}, 400, -32700, null],
    ['nested too deeply', `${'['.repeat(300)}${']'.repeat(300)}`, {}, 400, -32700, null],
    ['a batch', [LIST], {}, 400, -32600, null],
    ['a number', 5, {}, 400, -32600, null],
    ['another jsonrpc', { ...LIST, jsonrpc: '1.0' }, {}, 400, -32600, 7],
    ['an id that is no id', { ...LIST, id: 1.5 }, {}, 400, -32600, null],
    ['an id that is null', { ...LIST, id: null }, {}, 400, -32600, null],
    ['no method', { jsonrpc: '2.0', id: 7 }, {}, 400, -32600, 7],
    ['an unknown version', LIST, { 'mcp-protocol-version': '1999-01-01' }, 400, -32000, null],
    ['a client that takes neither', LIST, { accept: 'text/html' }, 406, -32000, null],
    ['params of a wrong form', { ...LIST, params: [] }, {}, 200, -32602, 7],
    [
      'arguments of a wrong form',
      { ...CALL, params: { name: 'echo', arguments: 1 } },
      {},
      200,
      -32602,
      7,
    ],
  ]
  test.each(refused)('MC-35 %s', async (name, body, headers, status, code, id) => {
    const answer = await service.post(body, headers)
    const known = name.includes('version') ? 7 : id
    expect([answer.status, await answer.json()]).toMatchObject([
      status,
      { jsonrpc: '2.0', id: known, error: { code } },
    ])
  })

  test('MC-35 a body over the limit gets 413', async () => {
    const { engine, post } = await createService({ maxBodyBytes: 1000 })
    const answer = await post({ ...LIST, params: { x: 'x'.repeat(1000) } })
    expect([answer.status, await answer.json()]).toMatchObject([413, { error: { code: -32000 } }])
    expect((await post(LIST)).status).toBe(200)
    await engine.close()
  })

  test('MC-30 a client that accepts only event streams gets one', async () => {
    const answer = await service.post(LIST, { accept: 'text/event-stream' })
    expect(answer.headers.get('content-type')).toBe('text/event-stream')
    expect(answer.headers.get('cache-control')).toBe('no-cache, no-transform')
    expect(await answer.text()).toMatch(/^event: message\ndata: \{"jsonrpc":"2.0","id":7,.*\}\n\n$/)
  })
})
