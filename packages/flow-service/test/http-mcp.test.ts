import { createTestRuntime } from '@x/wire'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { FlowService } from '@x/flow-service'
import type { McpService } from '@x/flow-engine'
import { adminToken, send, type Sent } from '@x/test-kit'
import { createTestEngine } from '@x/test-kit'

/** A service of tool servers in which only `good` can be reached. */
const reached: object[] = []
const mcp: McpService = {
  async connect(server) {
    reached.push(server)
    if (server.name !== 'good') throw new Error('secret-token refused')
    return {
      listTools: async () => [{ name: 'a', inputSchema: {} }],
      callTool: async () => ({ content: [] }),
      close: async () => undefined,
    }
  },
}

let engine: FlowService
let token: string
beforeEach(async () => {
  reached.length = 0
  engine = await createTestEngine({ services: { mcp } })
  token = await adminToken(engine)
})
afterEach(() => engine.close())

const call = (path: string, more: Sent = {}) => send(engine, path, { token, ...more })

async function strangerToken(): Promise<string> {
  const input = { username: 'ada', password: 'secret-1' }
  await engine.services.users.create({ ...input, isActive: true })
  return (await engine.services.login.signIn({ ...input, clientAddress: '' })).accessToken
}

describe('tool servers of a user', () => {
  const server = '/api/v2/mcp/servers/good'
  const config = { url: 'https://tools.example/mcp', headers: { authorization: 'secret-token' } }

  test('added once, read back, replaced, removed', async () => {
    expect(await call(server)).toMatchObject({ status: 200, body: null })
    expect(await call(server, { json: config })).toMatchObject({ status: 200, body: config })
    expect(await call(server, { json: config })).toMatchObject({
      status: 409,
      body: { detail: 'Server already exists.' },
    })
    const changed = { command: 'tool', args: ['-x'] }
    expect(await call(server, { method: 'PATCH', json: changed })).toMatchObject({ status: 200 })
    expect(await call(server)).toMatchObject({ body: changed })
    expect(await call(server, { method: 'DELETE' })).toMatchObject({ status: 200, body: null })
    expect(await call(server, { method: 'DELETE' })).toMatchObject({
      status: 404,
      body: { detail: 'Server not found.' },
    })
  })

  test('the list shows the transport of each server and counts tools only on request', async () => {
    await call(server, { json: config })
    await call('/api/v2/mcp/servers/old', { json: { url: 'https://tools.example/sse' } })
    await call('/api/v2/mcp/servers/own', { json: { command: 'tool' } })
    expect((await call('/api/v2/mcp/servers')).body).toEqual([
      { name: 'good', mode: 'Streamable HTTP', toolsCount: null },
      { name: 'old', mode: 'SSE', toolsCount: null },
      { name: 'own', mode: 'Stdio', toolsCount: null },
    ])
    expect(reached).toEqual([])
    const counted = await call('/api/v2/mcp/servers?action_count=true')
    const error = 'The server cannot be reached'
    expect(counted.body).toMatchObject([{ toolsCount: 1 }, { error }, { error }])
    expect(counted.text).not.toContain('secret-token')
  })

  test('another user sees no server; an unauthenticated request is refused', async () => {
    await call(server, { json: config })
    const other = await strangerToken()
    expect((await call('/api/v2/mcp/servers', { token: other })).body).toEqual([])
    expect((await call(server, { token: other })).body).toBeNull()
    const removal = await call(server, { token: other, method: 'DELETE' })
    expect(removal.status).toBe(404)
    expect((await send(engine, server)).status).toBe(403)
    expect((await call(server)).body).toEqual(config)
  })

  test('concurrent replacements all succeed and leave one server', async () => {
    const puts = Array.from({ length: 10 }, (_, n) =>
      call(server, { method: 'PATCH', json: { ...config, n } }),
    )
    expect((await Promise.all(puts)).map(({ status }) => status)).toEqual(puts.map(() => 200))
    expect((await call('/api/v2/mcp/servers')).body).toHaveLength(1)
  })

  test('a server that never answers is reported after 30 seconds', async () => {
    const runtime = createTestRuntime()
    let connecting = (): void => undefined
    const connected = new Promise<void>((resolve) => (connecting = resolve))
    const silent: McpService = {
      connect() {
        connecting()
        return new Promise(() => undefined)
      },
    }
    const waiting = await createTestEngine({ services: { mcp: silent }, runtime })
    const admin = await adminToken(waiting)
    await send(waiting, server, { token: admin, json: config })
    const asked = send(waiting, '/api/v2/mcp/servers?action_count=true', { token: admin })
    await connected
    await runtime.advance(31_000)
    const error = 'The server cannot be reached'
    expect((await asked).body).toMatchObject([{ name: 'good', error }])
    await waiting.close()
  })

  test('an entry must be an object', async () => {
    expect(await call(server, { json: [1] })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body'] }] },
    })
  })
})

describe('tools of a project', () => {
  async function project() {
    const json = { name: 'Tools', auth_settings: { auth_type: 'apikey', api_key: 'k-1' } }
    const { body } = await call('/api/v1/projects/', { json })
    const { id } = body as { id: string }
    const flow = { name: 'Echo', description: 'Says it.', folder_id: id }
    const made = (await call('/api/v1/flows/', { json: flow })).body as { id: string }
    return { id, flowId: made.id, path: `/api/v1/mcp/project/${id}` }
  }

  test('flows are offered when they are enabled, under the chosen name', async () => {
    const { path, flowId } = await project()
    expect((await call(path)).body).toMatchObject({ tools: [] })
    const all = await call(`${path}?mcp_enabled=false`)
    expect(all.body).toMatchObject({ tools: [{ id: flowId, mcp_enabled: false, name: 'Echo' }] })

    const settings = [{ id: flowId, mcp_enabled: true, action_name: 'echo' }]
    expect(await call(path, { method: 'PATCH', json: { settings } })).toMatchObject({
      status: 200,
      body: { message: 'Updated MCP settings for 1 flows and project auth settings' },
    })
    expect((await call(path)).body).toMatchObject({
      tools: [{ id: flowId, mcp_enabled: true, action_name: 'echo', description: 'Says it.' }],
    })
  })

  test('MC-81 a flow outside the project is skipped', async () => {
    const { path, flowId } = await project()
    const elsewhere = (await call('/api/v1/flows/', { json: { name: 'Elsewhere' } })).body
    const { id } = elsewhere as { id: string }
    const settings = [
      { id: flowId, mcp_enabled: true },
      { id, mcp_enabled: true },
    ]
    expect(await call(path, { method: 'PATCH', json: { settings } })).toMatchObject({
      status: 200,
      body: { message: 'Updated MCP settings for 1 flows and project auth settings' },
    })
    expect((await call(path)).body).toMatchObject({ tools: [{ id: flowId }] })
    const other = await call(`/api/v1/flows/${id}`)
    expect(other.body).toMatchObject({ mcp_enabled: false })
  })

  test('secrets in the settings are masked', async () => {
    const { path } = await project()
    const shown = await call(path)
    expect(shown.text).not.toContain('k-1')
    const keys = Object.keys((shown.body as { auth_settings: object }).auth_settings)
    expect(keys).toHaveLength(11)
  })

  test('MC-80 MC-14 names and descriptions default to those of the tool', async () => {
    const { path } = await project()
    const all = await call(`${path}?mcp_enabled=false`)
    const tool = { action_name: 'echo', action_description: 'Says it.', name: 'Echo' }
    expect(all.body).toMatchObject({ tools: [tool] })
    expect((await call(`${path}?mcp_enabled=maybe`)).body).toMatchObject({
      detail: [{ type: 'bool_parsing' }],
    })
  })

  test('MC-81 authentication settings are validated, replaced, and kept when they are omitted', async () => {
    const { path } = await project()
    const patch = (auth_settings?: unknown) =>
      call(path, { method: 'PATCH', json: { settings: [], auth_settings } })
    const oauth = { auth_type: 'oauth', oauth_client_secret: 's-1', oauth_host: 'h' }
    expect((await patch(oauth)).body).toMatchObject({
      result: { uses_composer: false, error_message: expect.stringContaining('disabled') },
    })
    const shown = { auth_type: 'oauth', oauth_client_secret: '*******', oauth_port: null }
    for (const kept of [undefined, null]) {
      await patch(kept)
      expect((await call(path)).body).toMatchObject({ auth_settings: shown })
    }
    expect(await patch({ auth_type: 'open' })).toMatchObject({
      status: 422,
      body: { detail: [{ type: 'literal_error', loc: ['body', 'auth_settings', 'auth_type'] }] },
    })
    expect(await call(path, { method: 'PATCH', json: {} })).toMatchObject({
      status: 422,
      body: { detail: [{ type: 'missing', loc: ['body', 'settings'] }] },
    })
  })

  test('MC-83 the install route refuses every client', async () => {
    const { path } = await project()
    expect(await call(`${path}/install`, { json: { client: 'cursor' } })).toMatchObject({
      status: 400,
      body: { detail: 'Unsupported client' },
    })
  })

  test('only the owner reads the addresses and the installed clients', async () => {
    const { id, path } = await project()
    expect((await call(`${path}/composer-url`)).body).toEqual({
      project_id: id,
      uses_composer: false,
      streamable_http_url: `http://host${path}/streamable`,
      legacy_sse_url: `http://host${path}/sse`,
      error_message: null,
    })
    const installed = (await call(`${path}/installed`)).body as { installed: boolean }[]
    expect(installed.map((client) => client.installed)).toEqual([false, false, false])
    const other = await strangerToken()
    for (const at of [path, `${path}/installed`, `${path}/composer-url`]) {
      expect((await call(at, { token: other })).status).toBe(404)
    }
    expect(
      (await call(`${path}/install`, { token: other, json: { client: 'cursor' } })).status,
    ).toBe(404)
    const settings = { method: 'PATCH', json: { settings: [] } }
    expect((await call(path, { ...settings, token: other })).status).toBe(404)
  })
})
