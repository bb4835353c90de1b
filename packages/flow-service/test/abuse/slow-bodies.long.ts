import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createTestEngine } from '@x/test-kit'
import { serve } from '@x/test-kit'
import { beginSlowRequest, type SlowRequestOptions } from '@x/test-kit'
import type { FlowEngineOptions, HostIdentity } from '../../src/options.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const FORM = [
  '--b',
  'content-disposition: form-data; name="file"; filename="a.txt"',
  '',
  'text',
  '--b--',
].join('\r\n')

let ended: (() => Promise<void>)[] = []
afterEach(async () => {
  await Promise.all(ended.map((end) => end()))
  ended = []
})

async function setUp(options: Partial<FlowEngineOptions> = {}) {
  const engine = await createTestEngine({ onError: () => undefined, ...options })
  const { url, close } = await serve(engine.handler)
  ended.push(close)
  const { users } = engine.services
  /** A user, signed in and with a key. */
  const signUp = async (username: string, isSuperuser = false) => {
    const password = 'a-long-password'
    const { id } = await users.create({ username, password, isActive: true, isSuperuser })
    const form = new URLSearchParams({ username, password })
    const signedIn = await fetch(`${url}/api/v1/login`, { method: 'POST', body: form })
    const { access_token: token } = (await signedIn.json()) as { access_token: string }
    const bearer = { authorization: `Bearer ${token}` }
    const made = await fetch(`${url}/api/v1/api_key/`, {
      method: 'POST',
      headers: { ...bearer, ...JSON_TYPE },
      body: '{"name":"k"}',
    })
    const { api_key: key } = (await made.json()) as { api_key: string }
    return { id, bearer, key: { 'x-api-key': key } }
  }
  const makeFlow = async (bearer: Readonly<Record<string, string>>): Promise<string> => {
    const made = await fetch(`${url}/api/v1/flows/`, {
      method: 'POST',
      headers: { ...bearer, ...JSON_TYPE },
      body: '{"name":"f","data":{"nodes":[],"edges":[]}}',
    })
    return ((await made.json()) as { id: string }).id
  }
  return { engine, url, signUp, makeFlow }
}

/** One request of each way of reading a body and of starting a run. */
function everyWay(
  flow: string,
  { bearer, key }: { bearer: Record<string, string>; key: Record<string, string> },
): SlowRequestOptions[] {
  const form = { 'content-type': 'multipart/form-data; boundary=b' }
  const accept = 'application/json, text/event-stream'
  return [
    { path: `/api/v1/run/${flow}`, headers: { ...key, ...JSON_TYPE }, body: '{"input_value":"x"}' },
    {
      path: '/api/v1/responses',
      headers: { ...key, ...JSON_TYPE },
      body: `{"model":"${flow}","input":"x"}`,
    },
    { path: `/api/v1/build/${flow}/flow`, headers: { ...bearer, ...JSON_TYPE }, body: '{}' },
    { path: '/api/v1/flows/', headers: { ...bearer, ...JSON_TYPE }, body: '{"name":"late"}' },
    { path: '/api/v2/files', headers: { ...bearer, ...form }, body: FORM },
    { path: `/api/v1/files/upload/${flow}`, headers: { ...bearer, ...form }, body: FORM },
    {
      path: '/api/v1/mcp/streamable',
      headers: { ...key, ...JSON_TYPE, accept },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    },
  ]
}

describe('a body that arrives slowly', () => {
  test('AB-79 does nothing for a user who was blocked meanwhile', async () => {
    const { engine, url, signUp, makeFlow } = await setUp()
    const ada = await signUp('ada')
    const flow = await makeFlow(ada.bearer)
    const ways = everyWay(flow, ada).flatMap((way) => [way, { ...way, chunked: true }])
    const slow = await Promise.all(ways.map((way) => beginSlowRequest(url, way)))
    await sleep(200)
    await engine.options.store.users.update(ada.id, { isActive: false })
    await sleep(1_000)
    const answers = await Promise.all(slow.map((request) => request.finish()))
    expect(answers.map(({ status }, at) => [ways[at]?.path, status])).toEqual(
      ways.map(({ path }) => [path, 401]),
    )
    for (const { text } of answers) expect(text).toMatch(/inactive/i)
    await engine.options.store.users.update(ada.id, { isActive: true })
    const list = async (path: string): Promise<unknown> =>
      (await fetch(`${url}${path}`, { headers: ada.bearer })).json()
    expect(await list('/api/v1/flows/?get_all=true')).toMatchObject([{ id: flow }])
    expect(await list('/api/v2/files')).toEqual([])
    expect(await list(`/api/v1/files/list/${flow}`)).toEqual({ files: [] })
  })

  test('AB-79 is read for a user who still may', async () => {
    const { url, signUp, makeFlow } = await setUp()
    const ada = await signUp('ada')
    const ways = everyWay(await makeFlow(ada.bearer), ada)
    const slow = await Promise.all(ways.map((way) => beginSlowRequest(url, way)))
    await sleep(1_200)
    for (const { status } of await Promise.all(slow.map((request) => request.finish())))
      expect([200, 201]).toContain(status)
  })

  test('AB-64 does nothing after the end of its sign-in, nor with rights that were taken away', async () => {
    const { engine, url, signUp } = await setUp()
    const [ada, root] = [await signUp('ada'), await signUp('root', true)]
    const out = await beginSlowRequest(url, {
      path: '/api/v1/flows/',
      headers: { ...ada.bearer, ...JSON_TYPE },
      body: '{"name":"late"}',
    })
    const demoted = await beginSlowRequest(url, {
      method: 'PATCH',
      path: `/api/v1/users/${ada.id}`,
      headers: { ...root.bearer, ...JSON_TYPE },
      body: '{"is_superuser":true}',
    })
    await sleep(200)
    await fetch(`${url}/api/v1/logout`, { method: 'POST', headers: ada.bearer })
    await engine.options.store.users.update(root.id, { isSuperuser: false })
    await sleep(1_000)
    expect((await out.finish()).status).toBe(401)
    expect((await demoted.finish()).status).toBeGreaterThanOrEqual(400)
    expect(await engine.options.store.users.get(ada.id)).toMatchObject({ isSuperuser: false })
  })

  test('AB-64 does nothing after its key was deleted', async () => {
    const { engine, url, signUp, makeFlow } = await setUp()
    const ada = await signUp('ada')
    const flow = await makeFlow(ada.bearer)
    const ways = everyWay(flow, { bearer: ada.key, key: ada.key })
    const slow = await Promise.all(ways.map((way) => beginSlowRequest(url, way)))
    await sleep(200)
    const { apiKeys } = engine.options.store
    for (const { id } of await apiKeys.list(ada.id)) await apiKeys.remove(ada.id, id)
    await sleep(1_000)
    const answers = await Promise.all(slow.map((request) => request.finish()))
    expect(answers.map(({ status }, at) => [ways[at]?.path, status])).toEqual(
      ways.map(({ path }) => [path, path.includes('mcp') ? 401 : 403]),
    )
  })

  test('AB-79 does nothing for a user whom the host refuses meanwhile, or with rights it has taken away', async () => {
    const root = { userId: 'f3b1c1de-0000-4000-8000-000000000001', createAs: 'root' }
    let identity: HostIdentity | Response | null = { ...root, isSuperuser: true }
    const { url } = await setUp({ authenticate: () => identity })
    const send = async (path: string, next: typeof identity): Promise<number> => {
      identity = { ...root, isSuperuser: true }
      const body = '{"username":"late","password":"a-long-password","name":"late"}'
      const slow = await beginSlowRequest(url, { path, headers: JSON_TYPE, body })
      await sleep(200)
      identity = next
      await sleep(1_000)
      return (await slow.finish()).status
    }
    const other = { ...root, userId: 'f3b1c1de-0000-4000-8000-000000000002', createAs: 'other' }
    expect(await send('/api/v1/flows/', null)).toBe(403)
    expect(await send('/api/v1/flows/', new Response(null, { status: 302 }))).toBe(401)
    expect(await send('/api/v1/flows/', { ...other, isSuperuser: true })).toBe(401)
    expect(await send('/api/v1/users/', { ...root, isSuperuser: false })).toBe(403)
    expect(await send('/api/v1/flows/', { ...root, isSuperuser: true })).toBe(201)
  })

  test('AB-68 does nothing after an Auto Login token has ended', async () => {
    const { engine, url } = await setUp({ settings: { autoLogin: true } })
    const signedIn = await fetch(`${url}/api/v1/auto_login`)
    const { access_token: token } = (await signedIn.json()) as { access_token: string }
    const slow = await beginSlowRequest(url, {
      path: '/api/v1/flows/',
      headers: { authorization: `Bearer ${token}`, ...JSON_TYPE },
      body: '{"name":"late"}',
    })
    await sleep(200)
    const headers = { authorization: `Bearer ${token}` }
    const answer = await fetch(`${url}/api/v1/users/whoami`, { headers })
    const { id } = (await answer.json()) as { id: string }
    await engine.options.store.users.update(id, { tokenEpoch: 1 })
    await sleep(1_000)
    expect((await slow.finish()).status).toBe(401)
  })
})

describe('bodies that are never finished', () => {
  test.each([
    ['with a length', '/api/v1/flows/', false],
    ['in chunks', '/api/v1/flows/', true],
    ['of MCP', '/api/v1/mcp/streamable', false],
    ['of MCP in chunks', '/api/v1/mcp/streamable', true],
  ])('AB-51 %s share the memory of their sender', async (_name, path, chunked) => {
    const { url, signUp } = await setUp({
      settings: { maxUnreadMbPerClient: 1 },
      mcp: { maxBodyBytes: 300 * 1024 },
    })
    const [ada, bob] = [await signUp('ada'), await signUp('bob')]
    const isMcp = path.includes('mcp')
    const options = ({ bearer, key }: typeof ada): SlowRequestOptions => ({
      path,
      headers: { ...(isMcp ? key : bearer), ...JSON_TYPE, accept: 'application/json' },
      body: JSON.stringify({ name: 'x'.repeat(299 * 1024) }),
      chunked,
    })
    const many = await Promise.all(
      Array.from({ length: 20 }, () => beginSlowRequest(url, options(ada))),
    )
    await vi.waitFor(() => {
      expect(many.filter((one) => one.status() === 429)).toHaveLength(17)
    }, 5_000)
    // Another user has a share of their own, and a small body is always read.
    const other = await beginSlowRequest(url, options(bob))
    expect((await other.finish()).status).not.toBe(429)
    const body = '{"name":"small"}'
    const small = await beginSlowRequest(url, { ...options(ada), path: '/api/v1/flows/', body })
    expect((await small.finish()).status).not.toBe(429)
    // Those who leave make room.
    for (const one of many) one.leave()
    await vi.waitFor(async () => {
      const next = await beginSlowRequest(url, options(ada))
      expect((await next.finish()).status).not.toBe(429)
    }, 5_000)
  })

  test.each([
    ['JSON', '/api/v1/flows/', JSON_TYPE],
    ['a file', '/api/v2/files?append=true', { 'content-type': 'multipart/form-data; boundary=b' }],
  ])('AB-51 a length that is only announced for %s takes nothing', async (_name, path, type) => {
    const { url, signUp } = await setUp({ settings: { maxUnreadMbPerClient: 1 } })
    const { bearer } = await signUp('ada')
    const announced = { 'content-length': String(10 * 1024 * 1024) }
    const headers = { ...bearer, ...type, ...announced }
    const idle = await Promise.all(
      Array.from({ length: 5 }, () => beginSlowRequest(url, { path, headers, body: '--b\r\n' })),
    )
    await sleep(100)
    const body = JSON.stringify({ name: 'x'.repeat(100 * 1024) })
    const headersOfJson = { ...bearer, ...JSON_TYPE }
    const next = await beginSlowRequest(url, {
      path: '/api/v1/flows/',
      headers: headersOfJson,
      body,
    })
    expect((await next.finish()).status).not.toBe(429)
    expect(idle.map((one) => one.status())).toEqual(idle.map(() => undefined))
    for (const one of idle) one.leave()
  })

  test('AB-51 a text counts four times', async () => {
    const { url, signUp } = await setUp({ settings: { maxUnreadMbPerClient: 1 } })
    const { bearer } = await signUp('ada')
    const send = (kib: number) =>
      beginSlowRequest(url, {
        path: '/api/v1/flows/',
        headers: { ...bearer, ...JSON_TYPE },
        body: JSON.stringify({ name: 'x'.repeat(kib * 1024) }),
      })
    await send(300)
    expect((await (await send(200)).finish()).status).toBe(429)
    expect((await (await send(100)).finish()).status).not.toBe(429)
  })
})
