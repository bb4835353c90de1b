import { expect, test } from 'vitest'
import { inFolder, startServer, type Started } from '../server/start-server.ts'

const SCIM_TOKEN = 'a-token-of-the-directory-0123456789'

interface Record {
  readonly id: string
  readonly action: string
  readonly outcome: string
  readonly via: string | null
  readonly actor_id: string | null
  readonly target_id: string | null
  readonly request_id: string | null
  readonly details: object
}

interface Call {
  readonly method?: string
  readonly body?: unknown
  readonly headers?: { readonly [name: string]: string }
}

function caller(server: Started) {
  const { url } = server
  const headers = { 'x-api-key': /^API key: (\S+)/m.exec(server.output())?.[1] ?? '' }
  const call = async (path: string, { method, body, headers: more }: Call = {}) => {
    const response = await fetch(`${url}${path}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { ...headers, 'content-type': 'application/json', ...more },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const json = text.startsWith('{') ? (JSON.parse(text) as { [name: string]: string }) : {}
    return {
      status: response.status,
      id: response.headers.get('x-request-id'),
      json,
      headers: response.headers,
    }
  }
  const signIn = async (username: string, password: string) => {
    const form = new URLSearchParams({ username, password })
    const response = await fetch(`${url}/api/v1/login`, { method: 'POST', body: form })
    return (await response.json()) as { access_token?: string }
  }
  const records = async (query = '') => {
    const { json } = await call(`/api/v1/monitor/audit${query}`)
    return json as unknown as { records: Record[]; next: string | null }
  }
  return { call, signIn, records }
}

test('OP-11 changes to accounts, keys, flows and settings by users and directories are recorded', () =>
  inFolder(async (folder) => {
    const server = await startServer({
      SERVICE_CONFIG_DIR: folder,
      SCIM_ENABLED: 'true',
      SCIM_TOKEN,
      SCIM_AUDIT_LOG: `${folder}/scim.log`,
    })
    const { call, signIn, records } = caller(server)
    const made = await call('/api/v1/users/', {
      body: { username: 'ada', password: 'first-password-1' },
    })
    const ada = made.json['id'] ?? ''
    await call(`/api/v1/users/${ada}`, { method: 'PATCH', body: { is_active: true } })
    await signIn('ada', 'wrong-password-1')
    const { access_token: token = '' } = await signIn('ada', 'first-password-1')
    const asAda = { authorization: `Bearer ${token}`, 'x-api-key': '' }
    const changed = await call(`/api/v1/users/${ada}/reset-password`, {
      method: 'PATCH',
      headers: asAda,
      body: { password: 'second-password-2' },
    })
    expect(changed.status).toBe(200)
    const again = await signIn('ada', 'second-password-2')
    const ours = { authorization: `Bearer ${again.access_token}`, 'x-api-key': '' }
    const key = await call('/api/v1/api_key/', { headers: ours, body: { name: 'k' } })
    await call('/api/v1/users/whoami', { headers: { 'x-api-key': key.json['api_key'] ?? '' } })
    await call('/api/v1/users/whoami', { headers: { 'x-api-key': key.json['api_key'] ?? '' } })
    await call(`/api/v1/api_key/${key.json['id']}`, { method: 'DELETE', headers: ours })
    const variable = await call('/api/v1/variables/', {
      headers: ours,
      body: { name: 'KEY', value: 'a-secret-value', type: 'Credential', default_fields: [] },
    })
    const flow = await call('/api/v1/flows/', {
      headers: ours,
      body: { name: 'f', data: { nodes: [], edges: [] } },
    })
    const flowPath = `/api/v1/flows/${flow.json['id']}`
    await call(flowPath, { method: 'PATCH', headers: ours, body: { name: 'g' } })
    await call(flowPath, { method: 'PATCH', headers: ours, body: { access_type: 'PUBLIC' } })
    await call(`/api/v1/mcp/project/${flow.json['folder_id']}`, {
      method: 'PATCH',
      headers: ours,
      body: { settings: [], auth_settings: { auth_type: 'none' } },
    })
    await call('/api/v1/logout', { method: 'POST', headers: ours })
    const scim = { authorization: `Bearer ${SCIM_TOKEN}`, 'x-request-id': 'of-the-directory' }
    const bob = await call('/api/v1/scim/v2/Users', {
      headers: scim,
      body: { userName: 'bob@example.com', active: true },
    })
    await call(`/api/v1/scim/v2/Users/${bob.json['id']}`, { method: 'DELETE', headers: scim })
    await call(`/api/v1/users/${ada}`, { method: 'PATCH', body: { is_active: false } })
    const gone = await call(`/api/v1/users/${ada}`, { method: 'DELETE' })
    expect(gone.status).toBe(200)

    const all = (await records('?limit=1000')).records.toReversed()
    const told = all.map(({ action, outcome, via }) => `${action} ${outcome} ${via}`)
    expect(told).toEqual([
      'api_key.created ok host',
      'user.created ok system',
      'api_key.first_used ok key',
      'user.created ok key',
      'user.changed ok key',
      'sign_in refused null',
      'sign_in ok null',
      'password.changed ok token',
      'sign_in ok null',
      'api_key.created ok token',
      'api_key.first_used ok key',
      'api_key.revoked ok token',
      'variable.written ok token',
      'flow.sharing_changed ok token',
      'mcp.settings_changed ok token',
      'sign_out ok null',
      'user.created ok scim',
      'user.changed ok scim',
      'user.deactivated ok scim',
      'user.deactivated ok key',
      'user.deleted ok key',
    ])
    const of = (action: string, nth = 0): Record | undefined =>
      all.filter((record) => record.action === action)[nth]
    expect(of('user.created', 1)).toMatchObject({ target_id: ada, request_id: made.id })
    expect(of('password.changed')).toMatchObject({ actor_id: ada, target_id: ada })
    expect(of('sign_in', 1)).toMatchObject({ actor_id: ada, target_id: ada })
    expect(of('variable.written')).toMatchObject({ target_id: variable.json['id'] })
    expect(of('flow.sharing_changed')).toMatchObject({
      target_id: flow.json['id'],
      details: { access_type: 'PUBLIC' },
    })
    expect(of('user.created', 2)).toMatchObject({ request_id: 'of-the-directory' })

    const page = await records('?limit=2')
    expect(page.records.map(({ id }) => id)).toEqual([all.at(-1)?.id, all.at(-2)?.id])
    const next = await records(`?limit=2&before=${page.next}&action=sign_in`)
    expect(next.records.map(({ action }) => action)).toEqual(['sign_in', 'sign_in'])
    const own = await call('/api/v1/monitor/audit', { headers: ours })
    expect([401, 403]).toContain(own.status)
    expect((await call('/api/v1/monitor/audit?limit=1001')).status).toBe(422)

    await server.end('SIGTERM')
    const lines = server.output().split('\n')
    const logged = lines.filter((line) => line.includes('"message":"audit"'))
    expect(logged).toHaveLength(all.length)
    expect(logged.join() + JSON.stringify(all)).not.toMatch(/password-|a-secret-value|sk-|bob@/)
  }))
