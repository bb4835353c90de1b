import { expect, test } from 'vitest'
import { inFolder, startServer, type Started } from '../server/start-server.ts'

const SCIM_TOKEN = 'a-token-for-this-test-only'
const SCIM = { SCIM_ENABLED: 'true', SCIM_TOKEN }
const KEY = /^API key: (\S+) \(shown once\)$/m
const publicUrl = 'https://app.example'

test('writes acknowledged with 2xx survive kill -9', () =>
  inFolder(async (folder) => {
    const first = await startServer({ SERVICE_CONFIG_DIR: folder, ...SCIM })
    const key = KEY.exec(first.output())?.[1] ?? ''
    const made = await post(`${first.url}/api/v1/flows/`, KEPT, { 'x-api-key': key })
    const flow = (await made.json()) as { id: string }
    const created = await createUser(first, 'ada@example.com')
    const user = (await created.json()) as { id: string; meta: { location: string } }
    expect([made.status, created.status]).toEqual([201, 201])
    expect(user.meta.location).toBe(`${first.url}/api/v1/scim/v2/Users/${user.id}`)
    await first.end('SIGKILL')

    const second = await startServer({
      SERVICE_CONFIG_DIR: folder,
      SERVICE_PUBLIC_URL: publicUrl,
      ...SCIM,
    })

    expect(second.output()).not.toMatch(/shown once|sk-/)
    const kept = await read(`${second.url}/api/v1/flows/${flow.id}`, { 'x-api-key': key })
    expect(kept).toMatchObject({ id: flow.id, name: 'Kept' })
    const filter = encodeURIComponent('userName eq "ada@example.com"')
    const listed = await read(`${second.url}/api/v1/scim/v2/Users?filter=${filter}`, DIRECTORY)
    expect(listed).toMatchObject({ totalResults: 1, Resources: [{ id: user.id }] })
    const next = await createUser(second, 'grace@example.com')
    expect(next.headers.get('location')).toMatch(/^https:\/\/app\.example\/api\/v1\/scim\/v2\//)

    const stream = await fetch(`${second.url}/surfaces/demo/stream`)
    expect(stream.status).toBe(200)
    expect(await second.end('SIGTERM')).toEqual({ code: 0, signal: null })
    await stream.text().catch(() => '')
  }))

test('SU-1 SU-12 SU-13 SU-19 a provisioned user can use the service and loses access as soon as deactivated', () =>
  inFolder(async (folder) => {
    const server = await startServer({ SERVICE_CONFIG_DIR: folder, ...SCIM })
    const key = KEY.exec(server.output())?.[1] ?? ''
    const created = await createUser(server, 'ada@example.com')
    const { id } = (await created.json()) as { id: string }

    const { users } = (await read(`${server.url}/api/v1/users/`, { 'x-api-key': key })) as {
      users: { id: string; username: string }[]
    }
    expect(users).toMatchObject([{}, { id, username: 'ada@example.com' }])
    const directory = `${server.url}/api/v1/scim/v2/Users`
    expect(await read(directory, DIRECTORY)).toMatchObject({
      totalResults: 1,
      Resources: [{ id }],
    })
    const unmanaged = await fetch(`${directory}/${users[0]?.id}`, { headers: DIRECTORY })
    expect(unmanaged.status).toBe(404)
    await fetch(`${server.url}/api/v1/users/${id}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body: '{"password":"correct horse battery"}',
    })
    const form = new URLSearchParams({
      username: 'ada@example.com',
      password: 'correct horse battery',
    })
    const signIn = () => fetch(`${server.url}/api/v1/login`, { method: 'POST', body: form })
    const { access_token: token } = (await (await signIn()).json()) as { access_token: string }
    const whoami = () =>
      fetch(`${server.url}/api/v1/users/whoami`, {
        headers: { authorization: `Bearer ${token}` },
      })
    expect(await (await whoami()).json()).toMatchObject({ id, is_active: true })
    const projects = `${server.url}/api/v1/projects/`
    expect(await read(projects, { authorization: `Bearer ${token}` })).toHaveLength(1)

    const setActive = (active: boolean) =>
      fetch(`${directory}/${id}`, {
        method: 'PATCH',
        headers: { ...DIRECTORY, 'content-type': 'application/scim+json' },
        body: JSON.stringify({
          schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
          Operations: [{ op: 'replace', path: 'active', value: active }],
        }),
      })
    expect((await setActive(false)).ok).toBe(true)
    expect((await whoami()).ok).toBe(false)
    expect((await signIn()).ok).toBe(false)
    expect((await setActive(true)).ok).toBe(true)
    expect((await signIn()).ok).toBe(true)

    await fetch(`${directory}/${id}`, { method: 'DELETE', headers: DIRECTORY })

    expect((await whoami()).ok).toBe(false)
    expect((await signIn()).ok).toBe(false)
    await server.end('SIGINT')
  }))

const KEPT = { name: 'Kept', data: { nodes: [], edges: [] } }
const DIRECTORY = { authorization: `Bearer ${SCIM_TOKEN}` }

const post = (url: string, value: unknown, headers: Record<string, string>): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(value),
  })

const read = async (url: string, headers: Record<string, string>): Promise<unknown> =>
  (await fetch(url, { headers })).json()

const createUser = ({ url }: Started, userName: string): Promise<Response> =>
  post(`${url}/api/v1/scim/v2/Users`, { userName, active: true }, DIRECTORY)
