import { existsSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startService, type Answer, type Service } from '../journeys/service.ts'
import { readFlow } from './flow-of.ts'

/**
 * Attacks that were published against comparable services. Each is done here as its advisory
 * describes it; SECURITY.md lists them.
 */
let service: Service
let end: () => Promise<void>
let ada: { id: string; key: string; token: string }
let adminFlow: { id: string }

const SECRET = 'sk-the-secret-of-the-admin'

beforeAll(async () => {
  const shared = await startService({ OPENAI_API_KEY: 'sk-of-the-operator' })
  service = shared.service
  end = shared.end
  ada = await makeUser('ada')
  const made = await service.call('POST', '/api/v1/flows/', {
    body: { name: 'Private', endpoint_name: 'private-flow', data: await readFlow() },
  })
  adminFlow = made.json() as { id: string }
  await service.call('POST', '/api/v1/variables/', {
    body: { name: 'ADMIN_KEY', value: SECRET, type: 'Credential', default_fields: [] },
  })
})

afterAll(() => end())

describe('code execution', () => {
  test('CVE-2025-3248 (Langflow): validating code requires credentials and does not run it', async () => {
    const marker = join(service.folder, 'owned')
    const code = `@exec("open('${marker}', 'w').write('x')")\ndef f():\n    pass\n`
    const javascript = `require('node:fs').writeFileSync('${marker}', 'x')`
    const stranger = await service.call('POST', '/api/v1/validate/code', {
      body: { code },
      key: null,
    })
    expect([401, 403]).toContain(stranger.status)
    for (const text of [code, javascript]) {
      const known = await service.call('POST', '/api/v1/validate/code', { body: { code: text } })
      expect(known.status).toBeLessThan(500)
      const component = { code: text, frontend_node: {} }
      await service.call('POST', '/api/v1/custom_component', { body: component, key: ada.key })
    }
    expect(existsSync(marker)).toBe(false)
  })

  test('CVE-2026-33017, CVE-2026-48519 (Langflow): a public build ignores graphs and code sent by a visitor', async () => {
    const flow = await publicFlow('Public')
    const theirs = JSON.parse(
      JSON.stringify(flow.data).replaceAll('Chat Output', 'Owned Output'),
    ) as {
      nodes: { data: { node: { template: Record<string, unknown> } } }[]
    }
    for (const { data } of theirs.nodes) {
      data.node.template['code'] = { type: 'code', value: 'raise Exception("owned")' }
    }
    const body = { data: theirs, inputs: { input_value: 'hello' } }
    const answer = await service.call(
      'POST',
      `/api/v1/build_public_tmp/${flow.id}/flow?event_delivery=direct`,
      { body, key: null, headers: { cookie: 'client_id=stranger' } },
    )
    expect(answer.status).toBe(200)
    expect(answer.text).toContain('hello')
    expect(answer.text).not.toMatch(/owned/i)
  })

  test('CVE-2025-68613, CVE-2026-1470 (n8n): expressions in fields are treated as text', async () => {
    const expression = '{{ constructor.constructor("return process")().env.OPENAI_API_KEY }}'
    const answer = await service.call('POST', `/api/v1/run/${adminFlow.id}`, {
      body: { input_value: expression, output_type: 'chat', input_type: 'chat' },
    })
    expect(answer.status).toBe(200)
    expect(answer.text).toContain('constructor.constructor')
    expect(answer.text).not.toContain('sk-of-the-operator')
  })

  test('CVE-2026-40933, CVE-2026-56274 (Flowise): registering a tool server does not start a local command', async () => {
    const marker = join(service.folder, 'started')
    for (const [name, command, args] of [
      ['one', 'sh', ['-c', `touch ${marker}`]],
      ['two', 'npx', ['--yes', '-c', `touch ${marker}`]],
      ['three', 'node', ['-e', `require("fs").writeFileSync("${marker}","")`]],
    ] as const) {
      await service.call('POST', `/api/v2/mcp/servers/${name}`, {
        body: { command, args },
        key: ada.key,
      })
    }
    await service.call('GET', '/api/v2/mcp/servers?action_count=true', { key: ada.key })
    expect(existsSync(marker)).toBe(false)
  })
})

describe('authentication', () => {
  test('CVE-2025-34291 (Langflow): another origin can neither read responses nor send cookies', async () => {
    const form = new URLSearchParams({ username: 'ada', password: 'a-password-1' })
    const signedIn = await service.call('POST', '/api/v1/login', {
      body: form.toString(),
      key: null,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect(signedIn.status).toBe(200)
    for (const cookie of signedIn.headers.getSetCookie())
      expect(cookie).not.toMatch(/samesite=none/i)
    const cookies = signedIn.headers.getSetCookie().map((cookie) => cookie.split(';')[0])
    for (const origin of ['https://evil.example', 'null', 'http://localhost.evil.example']) {
      const answer = await service.call('POST', '/api/v1/refresh', {
        key: null,
        headers: { origin, cookie: cookies.join('; ') },
      })
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
      expect(answer.headers.get('access-control-allow-origin')).not.toBe(origin)
    }
  })

  test('CVE-2026-21445 (Langflow): every monitor route requires credentials', async () => {
    const paths = ['messages', 'transactions', 'builds', 'messages/sessions']
    for (const path of paths) {
      const answer = await service.call('GET', `/api/v1/monitor/${path}?flow_id=${adminFlow.id}`, {
        key: null,
      })
      expect([path, [401, 403].includes(answer.status)]).toEqual([path, true])
    }
    const gone = await service.call('DELETE', '/api/v1/monitor/messages/session/any', { key: null })
    expect([401, 403]).toContain(gone.status)
  })

  test('CVE-2024-31621 (Flowise): alternative spellings of a path do not bypass authentication', async () => {
    for (const path of [
      '/API/V1/users/',
      '/Api/v1/flows/',
      '/api/v1/%66lows/',
      '/api/v1//flows/',
      '/api/v1/login/../flows/',
      '/api/v1/login/%2e%2e/flows/',
      '/api/v1/flows;/',
      '/api/v1/flows/.json',
    ]) {
      const { status, text } = await raw(path)
      expect([path, status === 200 && text.includes('"id"')]).toEqual([path, false])
    }
  })

  test('CVE-2026-41276 (Flowise): empty and missing tokens, keys and passwords are rejected', async () => {
    for (const headers of [
      { authorization: 'Bearer ' },
      { authorization: 'Bearer null' },
      { authorization: 'Bearer undefined' },
      { 'x-api-key': '' },
      { 'x-api-key': 'null' },
      { cookie: 'access_token_lf=; refresh_token_lf=' },
    ] as Record<string, string>[]) {
      const answer = await service.call('GET', '/api/v1/users/whoami', { key: null, headers })
      expect([401, 403]).toContain(answer.status)
      const refreshed = await service.call('POST', '/api/v1/refresh', { key: null, headers })
      expect([401, 403]).toContain(refreshed.status)
    }
  })

  test('a token with the algorithm "none" is refused', async () => {
    const payload = ada.token.split('.')[1] ?? ''
    const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')
    for (const token of [`${none}.${payload}.`, `${none}.${payload}.x`]) {
      const headers = { authorization: `Bearer ${token}` }
      const answer = await service.call('GET', '/api/v1/users/whoami', { key: null, headers })
      expect(answer.status).toBe(401)
    }
  })
})

describe('files', () => {
  test('CVE-2026-33497 (Langflow): the secret key cannot be read through file and picture paths', async () => {
    for (const path of [
      '/api/v1/files/profile_pictures/../secret_key',
      '/api/v1/files/profile_pictures/People/../../secret_key',
      '/api/v1/files/profile_pictures/%2e%2e/secret_key',
      '/api/v1/files/profile_pictures/..%2f/secret_key',
      '/api/v1/files/profile_pictures/People/..%2f..%2fsecret_key',
      '/api/v1/files/profile_pictures/People/..%5c..%5csecret_key',
      `/api/v1/files/download/${adminFlow.id}/..%2f..%2fsecret_key`,
      `/api/v1/files/images/${adminFlow.id}/..%2f..%2fsecret_key`,
    ]) {
      const { status } = await raw(path, service.key)
      expect([path, status >= 400 && status < 500]).toEqual([path, true])
    }
  })

  test("CVE-2025-68478 (Langflow): a flow writes only to its owner's folder", async () => {
    const outside = join(service.folder, 'outside.json')
    for (const path of [
      outside,
      '../outside.json',
      '..\\outside.json',
      '/tmp/../tmp/outside.json',
      'a/../../outside.json',
    ]) {
      const answer = await service.call('POST', '/api/v1/flows/', {
        body: { name: `to ${path}`, data: { nodes: [], edges: [] }, fs_path: path },
        key: ada.key,
      })
      expect([path, answer.status]).toEqual([path, 400])
    }
    expect(existsSync(outside)).toBe(false)
  })

  test('CVE-2026-21858 (n8n): JSON that describes a file does not make the server read it', async () => {
    const files = {
      file: { filepath: '/etc/passwd', originalFilename: 'p.txt', mimetype: 'text/plain' },
    }
    const bodies = { files, file: files.file, path: '/etc/passwd' }
    for (const path of ['/api/v2/files', `/api/v1/files/upload/${adminFlow.id}`]) {
      const answer = await service.call('POST', path, { body: bodies })
      expect([path, answer.status >= 400 && answer.status < 500]).toEqual([path, true])
    }
    const run = await service.call('POST', `/api/v1/run/${adminFlow.id}`, {
      body: {
        input_value: 'x',
        files: ['/etc/passwd'],
        tweaks: { 'Chat Input': { files: ['/etc/passwd'] } },
      },
    })
    expect(run.text).not.toContain('root:')
  })
})

describe('data of other users', () => {
  test("CVE-2026-56268 (Flowise): an API key gives access to its owner's data only", async () => {
    const listed = await service.call('GET', '/api/v1/flows/?get_all=true', { key: ada.key })
    expect(listed.text).not.toContain(adminFlow.id)
    for (const [method, path] of [
      ['GET', `/api/v1/flows/${adminFlow.id}`],
      ['PATCH', `/api/v1/flows/${adminFlow.id}`],
      ['DELETE', `/api/v1/flows/${adminFlow.id}`],
      ['POST', `/api/v1/run/${adminFlow.id}`],
      ['POST', '/api/v1/run/private-flow'],
      ['POST', `/api/v1/build/${adminFlow.id}/flow`],
    ] as const) {
      const body = method === 'GET' || method === 'DELETE' ? undefined : { name: 'mine' }
      const answer = await service.call(method, path, { key: ada.key, body })
      expect([path, answer.status >= 400 && answer.status < 500]).toEqual([path, true])
    }
    expect((await service.call('GET', `/api/v1/flows/${adminFlow.id}`)).status).toBe(200)
  })

  test('CVE-2026-46480 (Flowise): a request body cannot set the owner or grant permissions', async () => {
    const admin = (await service.call('GET', '/api/v1/users/whoami')).json() as { id: string }
    const made = await service.call('POST', '/api/v1/flows/', {
      body: { name: 'Mine', data: { nodes: [], edges: [] }, user_id: admin.id },
      key: ada.key,
    })
    const flow = made.json() as { id: string; user_id: string }
    expect(flow.user_id).toBe(ada.id)
    await service.call('PATCH', `/api/v1/flows/${flow.id}`, {
      body: { user_id: admin.id },
      key: ada.key,
    })
    const kept = (await service.call('GET', `/api/v1/flows/${flow.id}`, { key: ada.key })).json()
    expect(kept).toMatchObject({ user_id: ada.id })
    await service.call('PATCH', `/api/v1/users/${ada.id}`, {
      body: { is_superuser: true },
      key: ada.key,
    })
    await service.call('POST', '/api/v1/users/', {
      body: { username: 'eve', password: 'a-password-1', is_superuser: true, is_active: true },
      key: null,
    })
    const users = (await service.call('GET', '/api/v1/users/')).json() as {
      users: { username: string; is_superuser: boolean }[]
    }
    expect(users.users.filter((user) => user.is_superuser).map(({ username }) => username)).toEqual(
      ['admin'],
    )
  })

  test('CVE-2026-42226 (n8n): a flow cannot read another user’s variables, and its errors do not reveal them', async () => {
    const flow = await readFlow()
    const text = JSON.stringify(flow)
    const made = await service.call('POST', '/api/v1/flows/', {
      body: { name: 'Thief', data: JSON.parse(text) as unknown },
      key: ada.key,
    })
    const { id } = made.json() as { id: string }
    const answer = await service.call('POST', `/api/v1/run/${id}`, {
      body: {
        input_value: 'x',
        tweaks: { 'Chat Output': { sender_name: 'ADMIN_KEY', input_value: 'ADMIN_KEY' } },
      },
      key: ada.key,
      headers: { 'x-langflow-global-var-admin_key': 'mine' },
    })
    expect(answer.text).not.toContain(SECRET)
    const listed = await service.call('GET', '/api/v1/variables/', { key: ada.key })
    expect(listed.text).not.toContain('ADMIN_KEY')
  })

  test('a stored credential is never returned, not even to its owner', async () => {
    const listed = await service.call('GET', '/api/v1/variables/')
    expect(listed.text).toContain('ADMIN_KEY')
    expect(listed.text).not.toContain(SECRET)
    const keys = await service.call('GET', '/api/v1/api_key/')
    expect(keys.text).not.toContain(service.key)
  })
})

async function makeUser(username: string): Promise<{ id: string; key: string; token: string }> {
  const password = 'a-password-1'
  const made = await service.call('POST', '/api/v1/users/', { body: { username, password } })
  const { id } = made.json() as { id: string }
  await service.call('PATCH', `/api/v1/users/${id}`, { body: { is_active: true } })
  const signedIn = await service.call('POST', '/api/v1/login', {
    body: new URLSearchParams({ username, password }).toString(),
    key: null,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  const { access_token: token } = signedIn.json() as { access_token: string }
  const key = await service.call('POST', '/api/v1/api_key/', {
    body: { name: 'test' },
    key: null,
    headers: { authorization: `Bearer ${token}` },
  })
  return { id, token, key: (key.json() as { api_key: string }).api_key }
}

async function publicFlow(name: string): Promise<{ id: string; data: unknown }> {
  const made = await service.call('POST', '/api/v1/flows/', {
    body: { name, data: await readFlow(), access_type: 'PUBLIC' },
  })
  const { id } = made.json() as { id: string }
  await service.call('PATCH', `/api/v1/flows/${id}`, { body: { access_type: 'PUBLIC' } })
  return (await service.call('GET', `/api/v1/flows/${id}`)).json() as { id: string; data: unknown }
}

/** A GET whose path is sent as it is, which `fetch` would normalise. */
function raw(path: string, key?: string): Promise<Pick<Answer, 'status' | 'text'>> {
  const { hostname, port } = new URL(service.url)
  return new Promise((resolve, reject) => {
    const headers = key === undefined ? {} : { 'x-api-key': key }
    httpRequest({ hostname, port, path, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (text += chunk))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
      .on('error', reject)
      .end()
  })
}
