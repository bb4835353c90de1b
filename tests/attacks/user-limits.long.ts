// Runs each night (.ci/night).
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, test, vi } from 'vitest'
import { withService, type Answer, type Service } from '../journeys/service.ts'
import { useService } from './attack.ts'
import { readFlow } from './flow-of.ts'
import { addUser, run, saveFlow } from './flows.ts'
import { keepsAnswering } from './keeps-answering.ts'

const PASSWORD = 'the password of the superuser'

const running = useService({
  SERVICE_SUPERUSER_PASSWORD: PASSWORD,
  SERVICE_MAX_API_KEYS_PER_USER: '4',
  SERVICE_MAX_VARIABLES_PER_USER: '3',
  SERVICE_MAX_PROJECTS_PER_USER: '3',
  SERVICE_MAX_FLOWS_PER_USER: '5',
  SERVICE_MAX_FILES_PER_USER: '3',
  SERVICE_MAX_MESSAGES_PER_USER: '5',
  SERVICE_MAX_SHARED_COMPONENTS_PER_USER: '2',
  SERVICE_MAX_MCP_SERVERS_PER_USER: '2',
  SERVICE_MAX_SIGN_INS_PER_USER: '3',
})

/** The n-th request of a kind, the number that gets through, and the answer to the rest. */
interface Kind {
  readonly send: (service: Service, n: number, key: string) => Promise<Answer>
  readonly fits: number
  readonly told: string
  /** Status of success. */
  readonly status?: number
}

const KINDS: Readonly<Record<string, Kind>> = {
  // A user of the test has one key already.
  apiKeys: {
    send: (service, n, key) =>
      service.call('POST', '/api/v1/api_key/', { key, body: { name: `k${n}` } }),
    fits: 3,
    status: 200,
    told: 'A user may have 4 API keys (SERVICE_MAX_API_KEYS_PER_USER). Remove some first.',
  },
  variables: {
    send: (service, n, key) =>
      service.call('POST', '/api/v1/variables/', {
        key,
        body: { name: `v${n}`, value: 'x', default_fields: [] },
      }),
    fits: 3,
    told: 'A user may have 3 variables (SERVICE_MAX_VARIABLES_PER_USER). Remove some first.',
  },
  // And one project since the first sign-in.
  projects: {
    send: (service, n, key) =>
      service.call('POST', '/api/v1/projects/', { key, body: { name: `p${n}` } }),
    fits: 2,
    told: 'A user may have 3 projects (SERVICE_MAX_PROJECTS_PER_USER). Remove some first.',
  },
  flows: {
    send: (service, n, key) =>
      service.call('POST', '/api/v1/flows/', { key, body: { name: `f${n}` } }),
    fits: 5,
    told: 'A user may have 5 flows (SERVICE_MAX_FLOWS_PER_USER). Remove some first.',
  },
  files: {
    send: (service, n, key) => {
      const body = new FormData()
      body.set('file', new File(['x'], `a${n}.txt`))
      return service.call('POST', '/api/v2/files', { key, body })
    },
    fits: 3,
    told: 'A user may have 3 files (SERVICE_MAX_FILES_PER_USER). Remove some first.',
  },
  components: {
    send: async (service, n, key) => {
      await service.call('POST', '/api/v1/api_key/store', { key, body: { api_key: 'any' } })
      const body = { name: `c${n}`, description: null, data: {}, tags: null }
      const more = { is_component: true, private: false }
      return service.call('POST', '/api/v1/store/components/', { key, body: { ...body, ...more } })
    },
    fits: 2,
    told: 'A user may have 2 shared components (SERVICE_MAX_SHARED_COMPONENTS_PER_USER). Remove some first.',
  },
  toolServers: {
    send: (service, n, key) =>
      service.call('POST', `/api/v2/mcp/servers/s${n}`, {
        key,
        body: { url: 'https://tools.example/mcp' },
      }),
    fits: 2,
    status: 200,
    told: 'A user may have 2 tool servers (SERVICE_MAX_MCP_SERVERS_PER_USER). Remove some first.',
  },
}

test.each(Object.entries(KINDS))(
  'AB-78: ten concurrent requests cannot exceed the limit of %s per user',
  (name, { send, fits, told, status = 201 }) =>
    keepsAnswering(running(), async () => {
      const service = running()
      const key = await addUser(service, `many-${name}`)
      const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => send(service, n, key)))
      const refused = answers.filter((answer) => answer.status !== status)
      expect(answers.length - refused.length).toBe(fits)
      const seen = new Set(refused.map((answer) => `${answer.status} ${answer.text}`))
      expect([...seen]).toEqual([`400 ${JSON.stringify({ detail: told })}`])

      const other = await addUser(service, `other-${name}`)
      expect((await send(service, 1, other)).status).toBe(status)
    }),
)

test('AB-78: a batch of flows above the limit creates none; deleting a flow makes room', async () => {
  const service = running()
  const key = await addUser(service, 'batch')
  const batch = (count: number) =>
    service.call('POST', '/api/v1/flows/batch/', {
      key,
      body: { flows: Array.from({ length: count }, (_, n) => ({ name: `b${n}` })) },
    })
  const list = async () =>
    (await service.call('GET', '/api/v1/flows/?get_all=true', { key })).json() as { id: string }[]
  expect((await batch(6)).status).toBe(400)
  expect(await list()).toEqual([])
  expect((await batch(5)).status).toBe(201)
  const [first] = await list()
  expect((await batch(1)).status).toBe(400)
  expect((await service.call('DELETE', `/api/v1/flows/${first?.id}`, { key })).status).toBe(200)
  expect((await batch(1)).status).toBe(201)
})

test('AB-78: files of a flow and messages of a user are limited', async () => {
  const service = running()
  const key = await addUser(service, 'filler')
  const body = { name: 'echo', data: await readFlow() }
  const made = await service.call('POST', '/api/v1/flows/', { key, body })
  const { id: flow } = made.json() as { id: string }
  const upload = (n: number) => {
    const form = new FormData()
    form.set('file', new File(['x'], `a${n}.txt`))
    return service.call('POST', `/api/v1/files/upload/${flow}`, { key, body: form })
  }
  const statuses = []
  for (let n = 0; n < 4; n += 1) statuses.push((await upload(n)).status)
  expect(statuses).toEqual([201, 201, 201, 400])

  // Two messages for each run.
  const runs = []
  for (let n = 0; n < 3; n += 1) runs.push(await run(service, flow, key))
  expect(runs.map(({ status }) => status)).toEqual([200, 200, 400])
  expect(runs[2]?.text).toContain('A user may have 5 messages (SERVICE_MAX_MESSAGES_PER_USER)')
  const stored = await service.call('GET', '/api/v1/monitor/messages', { key })
  expect((stored.json() as unknown[]).length).toBeLessThanOrEqual(5)
})

test('AB-78: a sign-in above the limit ends the oldest session of the user', async () => {
  const service = running()
  const signIn = async (): Promise<string> => {
    const login = await service.call('POST', '/api/v1/login', {
      key: null,
      body: new URLSearchParams({ username: 'admin', password: PASSWORD }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    return (login.json() as { access_token: string }).access_token
  }
  const tokens = []
  for (let n = 0; n < 4; n += 1) tokens.push(await signIn())
  const statuses = []
  for (const token of tokens) {
    const headers = { authorization: `Bearer ${token}` }
    statuses.push(
      (await service.call('GET', '/api/v1/users/whoami', { key: null, headers })).status,
    )
  }
  expect(statuses).toEqual([401, 200, 200, 200])
})

test('AB-78: settings of a project are small, because every list of projects reads them', () =>
  keepsAnswering(running(), async () => {
    const service = running()
    const key = await addUser(service, 'settings')
    const settings = (length: number) => ({ auth_type: 'none', note: 'x'.repeat(length) })
    const ask = (method: string, path: string, length: number): Promise<Answer> =>
      service.call(method, path, { key, body: { name: 'p', auth_settings: settings(length) } })
    const detail = 'The field auth_settings may have 65536 characters'
    const refused = await ask('POST', '/api/v1/projects/', 65_536)
    expect([refused.status, refused.json()]).toEqual([400, { detail }])
    const made = await ask('POST', '/api/v1/projects/', 60_000)
    expect(made.status).toBe(201)
    const { id } = made.json() as { id: string }
    const changed = await ask('PATCH', `/api/v1/projects/${id}`, 900_000)
    expect([changed.status, changed.json()]).toEqual([400, { detail }])
  }))

test('AB-79: runs of one user above the limit are refused; other users run, and aborted runs free their slots', async () => {
  const slow = createServer(() => undefined).listen(0, '127.0.0.1')
  await once(slow, 'listening')
  const url = `http://127.0.0.1:${(slow.address() as AddressInfo).port}/hang`
  const environment = { SERVICE_SSRF_ALLOW: '127.0.0.1', SERVICE_MAX_RUNS_PER_USER: '4' }
  await withService(environment, async (service) => {
    const nodes = [['APIRequest', { url_input: url, mode: 'URL', timeout: 600 }]] as const
    const flow = await saveFlow(service, nodes)
    const key = await addUser(service, 'other')
    const quick = await saveFlow(service, [['TextInput', { input_value: 'quick' }]], { key })
    const left = new AbortController()
    const answers = Array.from({ length: 12 }, () =>
      service
        .call('POST', `/api/v1/run/${flow}`, { body: {}, signal: left.signal })
        .catch(() => null),
    )
    // Four hang; which ones, the order of the connections decides.
    const refused: (Answer | null)[] = []
    for (const answer of answers) void answer.then((one) => refused.push(one))
    await keepsAnswering(service, async () => {
      await expect.poll(() => refused.length).toBe(8)
    })
    expect(refused.map((answer) => answer?.status)).toEqual(Array(8).fill(429))
    expect(refused[0]?.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(refused[0]?.text).toContain('You already have 4 runs in progress')
    expect((await run(service, quick, key)).status).toBe(200)
    left.abort()
    await vi.waitFor(
      async () => {
        const mine = await saveFlow(service, [['TextInput', { input_value: 'mine' }]])
        expect((await run(service, mine)).status).toBe(200)
      },
      { timeout: 60_000, interval: 300 },
    )
  })
  slow.closeAllConnections()
  slow.close()
})
