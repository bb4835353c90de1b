import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { McpOptions } from '../../src/mcp/mcp-options.ts'
import { createTestEngine } from '@x/test-kit'
import { CALL, chain, createService, LIST, textOf, type Rpc, type Service } from './mcp-service.ts'

let service: Service
beforeAll(async () => void (service = await createService()))
afterAll(() => service.engine.close())

describe('MCP access', () => {
  const none = { 'x-api-key': undefined }
  const missing = 'API key required for this project. Provide x-api-key header or query parameter.'
  const unknown = '/api/v1/mcp/project/2f3a9c1e-0000-4000-8000-00000000abcd/streamable'

  test('MC-5 MC-6 each invalid credential has its own answer; a 401 names the scheme', async () => {
    const { keys, post } = service
    const cases: [Record<string, string | undefined>, number, string, string?][] = [
      [none, 401, missing],
      [none, 401, missing, unknown],
      [{ 'x-api-key': 'sk-unknown' }, 401, 'Invalid API key'],
      [{ ...none, authorization: 'Bearer sk-unknown' }, 401, 'Invalid API key'],
      [{ ...none, authorization: 'Bearer a.b.c' }, 401, 'Could not validate credentials'],
      [{ 'x-api-key': keys.blocked }, 401, 'Inactive user'],
      [{ 'x-api-key': keys.other }, 404, 'Project not found'],
      [{}, 404, 'Project not found', unknown],
    ]
    for (const [headers, status, detail, at] of cases) {
      const answer = await post(LIST, headers, at === undefined ? {} : { at })
      expect([answer.status, await answer.json()]).toEqual([status, { detail }])
      expect(answer.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null)
    }
  })

  test('MC-4 a key is accepted as query, Bearer or header; only the first one present is checked', async () => {
    const { key, post, path } = service
    const good: [Record<string, string | undefined>, string][] = [
      [{}, path],
      [none, `${path}?x-api-key=${key}`],
      [{ ...none, authorization: `Bearer ${key}` }, path],
      [{ 'x-api-key': 'sk-wrong', authorization: `Bearer ${key}` }, path],
      [{ 'x-api-key': 'sk-wrong' }, `${path}?x-api-key=${key}`],
      [{}, `${path}/`],
    ]
    for (const [headers, at] of good) expect((await post(LIST, headers, { at })).status).toBe(200)
    expect((await post(LIST, { authorization: 'Bearer sk-wrong' })).status).toBe(401)
  })

  test('MC-1 an id that is not a UUID gets 422', async () => {
    const answer = await service.post(LIST, {}, { at: '/api/v1/mcp/project/x/streamable' })
    expect([answer.status, await answer.json()]).toMatchObject([
      422,
      { detail: [{ type: 'uuid_parsing', loc: ['path', 'project_id'] }] },
    ])
  })

  test('MC-9 pages of other origins are refused before credentials are checked', async () => {
    const answer = await service.post(LIST, { ...none, origin: 'https://evil.example' })
    expect([answer.status, await answer.json()]).toEqual([403, { detail: 'Origin not allowed' }])
    expect((await service.post(LIST, { origin: 'http://host' })).status).toBe(200)
  })

  test('MC-9 a service on loopback refuses other host names', async () => {
    const settings = { publicUrl: 'http://127.0.0.1:7860', corsOrigins: ['https://my.example'] }
    const { engine, post, path } = await createService({}, { settings })
    const answer = await post(LIST)
    expect([answer.status, await answer.json()]).toEqual([403, { detail: 'Host not allowed' }])
    const at = `http://localhost:7860${path}`
    for (const origin of ['https://my.example', 'http://127.0.0.1:7860'])
      expect((await post(LIST, { origin }, { at })).status).toBe(200)
    await engine.close()
  })

  test('MC-6 a host can name its authorization server', async () => {
    const resourceMetadata = 'https://auth.example/.well-known/oauth-protected-resource'
    const { engine, post } = await createService({ resourceMetadata })
    const { headers } = await post(LIST, none)
    expect(headers.get('www-authenticate')).toBe(`Bearer resource_metadata="${resourceMetadata}"`)
    await engine.close()
  })

  test('MC-7 a project is public when both its owner and the host allow it', async () => {
    const { engine, api, post, project, offer } = await createService({ anonymous: true })
    await api('/api/v1/variables/', {
      name: 'SECRET',
      value: 'of the owner',
      type: 'Generic',
      default_fields: [],
    })
    await offer('Reader', chain('Reader'))
    const variable = (headers = {}) =>
      post({ ...CALL, params: { name: 'reader', arguments: { session_id: 's-1' } } }, headers)
    expect((await post(LIST, none)).status).toBe(401)
    const settings = { settings: [], auth_settings: { auth_type: 'none' } }
    await api(`/api/v1/mcp/project/${project}`, settings, 'PATCH')
    expect((await post(LIST, none)).status).toBe(200)
    expect((await post(LIST, { 'x-api-key': 'sk-wrong' })).status).toBe(401)
    expect((await post(LIST, none, { at: '/api/v1/mcp/streamable' })).status).toBe(401)
    expect((await post(LIST, none, { at: unknown })).status).toBe(401)

    expect(textOf((await (await variable()).json()) as Rpc)).toBe('of the owner in s-1')
    const read = textOf((await (await variable(none)).json()) as Rpc)
    expect(read).toMatch(/^nothing in (?!s-1$)/)
    const files = await post({ ...LIST, method: 'resources/list' }, none)
    expect(await files.json()).toMatchObject({ result: { resources: [] } })
    await engine.close()

    const closed = await createService()
    await closed.api(`/api/v1/mcp/project/${closed.project}`, settings, 'PATCH')
    expect((await closed.post(LIST, none)).status).toBe(401)
    await closed.engine.close()
  })

  test('MC-2 `mcp: false` removes the MCP endpoints but keeps the routes of the editor', async () => {
    const engine = await createTestEngine({ mcp: false })
    const at = (path: string, method: string) =>
      engine.handler(new Request(`http://host/api/v1/mcp/${path}`, { method }))
    expect((await at('streamable', 'POST')).status).toBe(404)
    expect((await at('project/2f3a9c1e-0000-4000-8000-00000000abcd', 'GET')).status).toBe(403)
    await engine.close()
  })

  test('MC-100 unknown and invalid options are refused at start by name', async () => {
    const wrong: [object, string][] = [
      [{ sees: true }, 'mcp.sees'],
      [{ sse: 1 }, 'mcp.sse'],
      [{ maxCalls: 0 }, 'mcp.maxCalls'],
      [{ callTimeoutMs: 1.5 }, 'mcp.callTimeoutMs'],
      [{ annotations: {} }, 'mcp.annotations'],
      [{ resourceMetadata: 'x' }, 'mcp.resourceMetadata'],
    ]
    for (const [mcp, name] of wrong)
      await expect(createTestEngine({ mcp: mcp as McpOptions })).rejects.toThrow(name)
  })
})
