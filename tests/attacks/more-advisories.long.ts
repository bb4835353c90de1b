// Runs each night (.ci/night).
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Answer } from '../journeys/service.ts'
import { besideHealth, HEALTH, sendRaw, useService } from './attack.ts'
import { readFlow } from './flow-of.ts'
import { addUser } from './flows.ts'

/** Further published attacks on comparable services, of 2025 and 2026; SECURITY.md lists them. */
const TOKEN = 'a-token-of-the-directory-0123456789'
const SECRET = 'a-secret-of-the-admin'
const running = useService({ SCIM_ENABLED: 'true', SCIM_TOKEN: TOKEN, SCIM_USER_NAME: 'any' })
let ada = ''
let flow = ''

const call = (method: string, path: string, options = {}): Promise<Answer> =>
  running().call(method, path, options)

beforeAll(async () => {
  ada = await addUser(running(), 'ada')
  const body = {
    name: SECRET,
    endpoint_name: 'of-the-admin',
    mcp_enabled: true,
    action_name: 'of_the_admin',
    data: await readFlow(),
  }
  flow = ((await call('POST', '/api/v1/flows/', { body })).json() as { id: string }).id
})

describe('data of other users', () => {
  test('CVE-2026-55255 (Langflow): a flow of somebody else does not run as a model', async () => {
    for (const model of [flow, 'of-the-admin'])
      for (const [path, input] of [
        ['/api/v1/responses', { input: 'hello' }],
        ['/api/openai/v1/responses', { input: 'hello' }],
        ['/api/openai/v1/chat/completions', { messages: [{ role: 'user', content: 'hello' }] }],
      ] as const) {
        const answer = await call('POST', path, { key: ada, body: { model, ...input } })
        // The first one reports errors in a response of its own form.
        const isRefused = answer.status >= 400 || /"error":\{/.test(answer.text)
        expect([path, model, isRefused]).toEqual([path, model, true])
        expect(answer.text).not.toContain('hello')
      }
  })

  test('CVE-2026-10560 (Langflow): builds of private flows have no events for visitors', async () => {
    const inputs = { inputs: { input_value: SECRET } }
    const path = `/api/v1/build/${flow}/flow?event_delivery=polling`
    const { job_id: job } = (await call('POST', path, { body: inputs })).json() as {
      job_id: string
    }
    for (const [method, place] of [
      ['GET', `/api/v1/build_public_tmp/${job}/events`],
      ['POST', `/api/v1/build_public_tmp/${job}/cancel`],
      ['GET', `/api/v1/build/${job}/events`],
      ['POST', `/api/v1/build/${job}/cancel`],
    ] as const) {
      const visitor = { key: null, headers: { cookie: 'client_id=visitor' } }
      const answer = await call(method, place, visitor)
      expect([place, answer.status >= 400 && answer.status < 500]).toEqual([place, true])
      expect(answer.text).not.toContain(SECRET)
    }
  })

  test('CVE-2026-41277 (Flowise): creating something under the id of somebody else changes nothing', async () => {
    const data = { nodes: [], edges: [] }
    const body = { id: flow, name: 'taken over', data, user_id: ada, folder_id: null }
    await call('POST', '/api/v1/flows/', { key: ada, body })
    await call('POST', '/api/v1/flows/batch/', { key: ada, body: { flows: [body] } })
    const form = new FormData()
    form.set('file', new File([JSON.stringify({ flows: [body] })], 'flows.json'))
    await call('POST', '/api/v1/flows/upload/', { key: ada, body: form })
    const kept = (await call('GET', `/api/v1/flows/${flow}`)).json() as { name: string }
    expect(kept.name).toBe(SECRET)
    const seen = await call('GET', `/api/v1/flows/${flow}`, { key: ada })
    expect(seen.status).toBe(404)
  })

  test('CVE-2026-41950 (Dify), CVE-2026-45402 (Open WebUI): a flow reads no file of somebody else', async () => {
    const form = new FormData()
    form.set('file', new File([SECRET], 'secret.txt'))
    const made = await call('POST', '/api/v2/files', { body: form })
    const { id, path } = made.json() as { id: string; path: string }
    const body = { name: 'reader', data: await readFlow() }
    const own = (await call('POST', '/api/v1/flows/', { key: ada, body })).json() as { id: string }
    for (const file of [id, path, `../${path}`, `files/${path}`]) {
      const tweaks = { 'Chat Input': { files: [file] } }
      const run = { input_value: 'x', files: [file], tweaks }
      const ran = await call('POST', `/api/v1/run/${own.id}`, { key: ada, body: run })
      expect(ran.text).not.toContain(SECRET)
      const inputs = { inputs: { input_value: 'x' }, files: [file] }
      const build = `/api/v1/build/${own.id}/flow?event_delivery=direct`
      const built = await call('POST', build, { key: ada, body: inputs })
      expect(built.text).not.toContain(SECRET)
    }
  })
})

describe('paths', () => {
  test('CVE-2026-42048, CVE-2026-42867, CVE-2026-4502 (Langflow): names of knowledge bases and files are no paths', async () => {
    const before = await readdir(running().folder)
    const outside = join(running().folder, '..', 'of-the-attacker')
    for (const name of ['../of-the-attacker', outside, '..', 'a/../../..', '..\\..\\a', '\0']) {
      const one = encodeURIComponent(name)
      for (const [method, path, body] of [
        ['DELETE', '/api/v1/knowledge_bases', { kb_names: [name] }],
        ['DELETE', `/api/v1/knowledge_bases/${one}`, undefined],
        ['GET', `/api/v1/knowledge_bases/${one}`, undefined],
        ['DELETE', `/api/v1/files/delete/${flow}/${one}`, undefined],
      ] as const) {
        const answer = await call(method, path, body === undefined ? {} : { body })
        expect([path, name, answer.status >= 400 && answer.status < 500]).toEqual([
          path,
          name,
          true,
        ])
      }
      for (const path of ['/api/v2/files', `/api/v1/files/upload/${flow}`]) {
        const head = `content-disposition: form-data; name="file"; filename="${name}"`
        const answer = await call('POST', path, {
          body: `--x\r\n${head}\r\n\r\nowned\r\n--x--\r\n`,
          headers: { 'content-type': 'multipart/form-data; boundary=x' },
        })
        expect([path, name, answer.status < 500]).toEqual([path, name, true])
      }
    }
    expect(existsSync(outside)).toBe(false)
    const added = (await readdir(running().folder)).filter((name) => !before.includes(name))
    expect(added.filter((name) => name !== 'files')).toEqual([])
  })

  test('CVE-2026-55446 (Langflow): an endless boundary of a form holds nobody up', async () => {
    const { result, slowest } = await besideHealth(running(), () =>
      Promise.all(
        ['/api/v2/files', `/api/v1/files/upload/${flow}`, '/api/v1/login'].flatMap((path) =>
          [70, 15_000].map(async (length) => {
            const boundary = '-'.repeat(length)
            const answer = await call('POST', path, {
              body: `--${boundary}`.repeat(Math.ceil(60_000 / length)),
              headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
            })
            return answer.status
          }),
        ),
      ),
    )
    expect(result.filter((status) => status < 400 || status >= 500)).toEqual([])
    expect(slowest).toBeLessThan(HEALTH)
  })
})

describe('accounts', () => {
  test('CVE-2026-28288 (Dify): a refused sign-in does not say whether the account exists', async () => {
    const body = { username: 'waiting', password: 'a-password-1' }
    await call('POST', '/api/v1/users/', { body })
    const answers = await Promise.all(
      ['ada', 'waiting', 'nobody'].map(async (username) => {
        const form = new URLSearchParams({ username, password: 'wrong' }).toString()
        const headers = { 'content-type': 'application/x-www-form-urlencoded' }
        const { status, text } = await call('POST', '/api/v1/login', {
          key: null,
          headers,
          body: form,
        })
        return [status, text]
      }),
    )
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(answers[0]?.[0]).toBe(401)
  })

  test('CVE-2025-41115 (Grafana): no attribute of a directory names an account that it did not create', async () => {
    const admin = (await call('GET', '/api/v1/users/whoami')).json() as { id: string }
    const scim = (method: string, path: string, body?: object) =>
      call(method, `/api/v1/scim/v2${path}`, {
        key: null,
        headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/scim+json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
    const schemas = ['urn:ietf:params:scim:schemas:core:2.0:User']
    for (const [userName, given] of [
      ['one', { id: admin.id }],
      ['two', { externalId: admin.id }],
      ['three', { externalId: '1' }],
      [admin.id, {}],
    ] as const) {
      const made = await scim('POST', '/Users', { schemas, userName, active: false, ...given })
      expect(made.status).toBe(201)
      expect((made.json() as { id: string }).id).not.toBe(admin.id)
    }
    for (const userName of ['admin', 'ADMIN'])
      expect((await scim('POST', '/Users', { schemas, userName })).status).toBe(409)
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const body = method === 'PUT' ? { schemas, userName: 'admin', active: false } : undefined
      expect((await scim(method, `/Users/${admin.id}`, body)).status).toBe(404)
    }
    expect((await call('GET', '/api/v1/users/whoami')).status).toBe(200)
  })
})

describe('MCP servers', () => {
  const rpc = (method: string, id: number, params = {}) => ({ jsonrpc: '2.0', id, method, params })
  const accept = { accept: 'application/json, text/event-stream' }

  test('CVE-2025-66414, CVE-2026-34742 (MCP SDKs): a rebound host name and a foreign origin are refused', async () => {
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { host: 'evil.example' },
      { host: 'evil.example', origin: 'http://evil.example' },
    ]) {
      const answer = await sendRaw(running().url, {
        path: '/api/v1/mcp/streamable',
        headers: {
          ...accept,
          'content-type': 'application/json',
          'content-length': '0',
          'x-api-key': running().key,
          ...headers,
        },
      })
      expect([headers, answer.status]).toEqual([headers, 403])
    }
  })

  test('CVE-2026-25536 (MCP TypeScript SDK): equal ids of two clients at once get their own answers', async () => {
    const list = (key: string) =>
      call('POST', '/api/v1/mcp/streamable', { key, headers: accept, body: rpc('tools/list', 1) })
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => list(n % 2 === 0 ? running().key : ada)),
    )
    for (const [n, answer] of answers.entries()) {
      expect(answer.status).toBe(200)
      expect(answer.text.includes('of_the_admin')).toBe(n % 2 === 0)
    }
  })

  test('CVE-2026-33946 (MCP Ruby SDK): a session id is of no use to anybody else', async () => {
    const stream = await fetch(`${running().url}/api/v1/mcp/sse`, {
      headers: { 'x-api-key': running().key },
    })
    const reader = stream.body?.getReader()
    const first = new TextDecoder().decode((await reader?.read())?.value)
    const id = /session_id=([0-9a-f]{32})/.exec(first)?.[1] ?? ''
    expect(id).not.toBe('')
    const path = `/api/v1/mcp/?session_id=${id}`
    const taken = await call('POST', path, { key: ada, body: rpc('ping', 1) })
    const own = await call('POST', path, { body: rpc('ping', 1) })
    expect([taken.status, own.status]).toEqual([404, 202])
    await reader?.cancel()
  })
})

test('CVE-2026-25223 (Fastify): a tab or other text in the content type does not skip the validation', async () => {
  for (const type of [
    'application/json\ta',
    'application/json garbage',
    'application/json;\ta=b',
  ]) {
    const body = JSON.stringify({ name: 5, data: 'x', access_type: 'EVERYBODY' })
    const answer = await call('POST', '/api/v1/flows/', { body, headers: { 'content-type': type } })
    expect([type, answer.status]).toEqual([type, 422])
  }
})
