import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { builtinComponents } from '@x/flow-components'
import { expect, test, vi } from 'vitest'
import { bodyLimitOf } from '../../packages/flow-service/src/http/route/body-limit.ts'
import { routes } from '../../packages/flow-service/src/http/routes/index.ts'
import type { Auth, Route } from '../../packages/flow-service/src/http/route/route.ts'
import { defaultSettings } from '@x/flow-service'
import { METHODS } from '../../packages/scim-core/src/http/route.ts'
import { mounts } from '../../examples/reference-server/src/mounts.ts'
import { sendRaw, useService, type RawAnswer } from './attack.ts'
import { saveFlow } from './flows.ts'
import { keepsAnswering } from './keeps-answering.ts'

vi.setConfig({ testTimeout: 300_000 })
const TOKEN = 'a-token-of-the-directory-0123456789'
const running = useService({ SCIM_ENABLED: 'true', SCIM_TOKEN: TOKEN })

const ID = '2f3a9c1e-0000-4000-8000-00000000abcd'
const KIB = 1024
const MIB = 1024 * KIB
const WRITING = ['POST', 'PUT', 'PATCH', 'DELETE']
const TYPES = ['application/json', 'text/plain', 'multipart/form-data; boundary=b', '']

/** Operations that say that nobody has to be known for them. */
const OPEN: readonly Auth[] = ['none', 'optional', 'public', 'webhook']
const NOT_LET_IN = [401, 403]

/** Number of simultaneous requests: a refused body is drained for a moment. */
const AT_ONCE = 25

async function eachOf<T>(list: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const rest = [...list]
  const worker = async (): Promise<void> => {
    for (let one = rest.shift(); one !== undefined; one = rest.shift()) await work(one)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

const pathOf = ({ path }: Route): string => path.replaceAll(/\{\w+\}/g, ID)
const nameOf = ({ method, path }: Pick<Route, 'method' | 'path'>): string => `${method} ${path}`

/** A request that announces more than a route may read, and never sends it. */
function announce(
  { method, path }: { readonly method: string; readonly path: string },
  {
    length,
    type,
    headers = {},
  }: { length: number; type: string; headers?: Record<string, string> },
): Promise<RawAnswer> {
  const own = type === '' ? {} : { 'content-type': type }
  const all = { ...own, ...headers, 'content-length': String(length) }
  return sendRaw(running().url, { method, path, headers: all })
}

test('AB-93: every operation requires credentials unless its row declares it open', () =>
  keepsAnswering(running(), async () => {
    const wrong: string[] = []
    await eachOf(
      routes.filter(({ method }) => method !== 'HEAD'),
      async (route) => {
        const type = route.consumes === 'multipart' ? 'multipart/form-data; boundary=b' : ''
        const headers = { ...(type === '' ? {} : { 'content-type': type }), 'content-length': '0' }
        const { status } = await sendRaw(running().url, {
          method: route.method,
          path: pathOf(route),
          headers,
        })
        const isOpen = OPEN.includes(route.auth)
        // A visitor without `client_id` is nobody; a webhook may ask for a key of its own.
        const isIn = !NOT_LET_IN.includes(status)
        if (isIn && !isOpen) wrong.push(`${nameOf(route)} is ${route.auth} and answers ${status}`)
        if (status === 0 || status >= 502) wrong.push(`${nameOf(route)}: ${status}`)
      },
    )
    expect(wrong).toEqual([])
    expect(routes.length).toBeGreaterThan(100)
  }))

test('AB-93: every operation limits its body for every content type', () =>
  keepsAnswering(running(), async () => {
    const wrong: string[] = []
    const writing = routes.filter(({ method }) => WRITING.includes(method))
    await eachOf(writing, async (route) => {
      const limit = Math.min(bodyLimitOf(route, defaultSettings), 2 ** 30)
      const isOpen = OPEN.includes(route.auth) || route.auth === 'visitor'
      // Strangers: small; JSON: 32 MB; what is larger is an upload of somebody known.
      const isUpload = route.consumes === 'multipart'
      const most = isOpen ? (isUpload ? 11 * MIB : MIB) : isUpload ? 2 ** 30 : 32 * MIB
      const isOwn = route.answerError !== undefined && route.auth === 'mcp'
      if (limit > most && !isOwn) wrong.push(`${nameOf(route)} reads ${limit} bytes`)
      const headers = isOpen ? { cookie: 'client_id=v' } : { 'x-api-key': running().key }
      for (const type of TYPES) {
        // Above what is let pass unread, so that nobody waits for it.
        const length = Math.max(limit, 16 * MIB) + 1
        const request = { method: route.method, path: pathOf(route) }
        const { status } = await announce(request, { length, type, headers })
        // Refused for its size, or before anybody looks at it.
        if (status < 300 || status >= 500) wrong.push(`${nameOf(route)} ${type}: ${status}`)
      }
    })
    expect(wrong).toEqual([])
  }))

test('AB-93: every mount of the server enforces the access and body limit of its row', async () => {
  const wrong: string[] = []
  const samples = Object.entries(mounts).flatMap(([name, { samples: paths, access, maxBody }]) =>
    paths.map((path) => ({ name, path, access, maxBody })),
  )
  for (const { name, path, access, maxBody } of samples) {
    const length = Math.max(maxBody, 16 * MIB) + 1
    for (const method of access === 'token' ? ['GET', ...WRITING] : WRITING) {
      const { status } = await announce({ method, path }, { length, type: 'application/json' })
      // 404: it is off, and says no more.
      const isKept = access === 'token' ? [401, 403, 404].includes(status) : status >= 400
      if (!isKept || status >= 500) wrong.push(`${name}: ${method} ${path} answers ${status}`)
    }
  }
  expect(wrong).toEqual([])
})

test('AB-93: every SCIM route requires a token and limits its body', async () => {
  const paths: Readonly<Record<keyof typeof METHODS, string>> = {
    collection: '/Users',
    search: '/Users/.search',
    resource: `/Users/${ID}`,
    root: '',
    rootSearch: '/.search',
    config: '/ServiceProviderConfig',
    me: '/Me',
    bulk: '/Bulk',
    resourceTypes: '/ResourceTypes',
    schemas: '/Schemas',
  }
  const wrong: string[] = []
  const all = Object.entries(METHODS).flatMap(([kind, methods]) =>
    methods.map((method) => ({
      method,
      path: `/api/v1/scim/v2${paths[kind as keyof typeof paths]}`,
    })),
  )
  await eachOf(all, async ({ method, path }) => {
    const stranger = await sendRaw(running().url, {
      method,
      path,
      headers: { 'content-length': '0' },
    })
    if (stranger.status !== 401) wrong.push(`${method} ${path}: ${stranger.status}`)
    if (!WRITING.includes(method) || method === 'DELETE') return
    const headers = { authorization: `Bearer ${TOKEN}` }
    for (const type of ['application/scim+json', 'application/json', '']) {
      const known = await announce({ method, path }, { length: 17 * MIB, type, headers })
      const isRefused = known.status >= 400 && known.status < 500
      const isServed = known.status === 501 || known.status === 404
      if (!isRefused && !isServed) wrong.push(`${method} ${path} ${type}: ${known.status}`)
    }
  })
  expect(wrong).toEqual([])
})

test('AB-53, AB-93: no secret field of any component is shown to a visitor', async () => {
  const secrets = [...builtinComponents].flatMap(({ type, inputs }) => {
    const names = Object.entries(inputs).filter(([, { fieldKind }]) => fieldKind === 'secret')
    const values = names.map(([name]) => [name, `canary-${type}-${name}`] as const)
    return names.length === 0 ? [] : [[type, Object.fromEntries(values)] as const]
  })
  expect(secrets.length).toBeGreaterThan(10)
  const flow = await saveFlow(running(), secrets, { isPublic: true })
  const owner = await running().call('GET', `/api/v1/flows/${flow}`)
  const held = secrets.flatMap(([, values]) => Object.values(values))
  expect(held.filter((value) => !owner.text.includes(value))).toEqual([])
  const shownTo = async (key?: null): Promise<string[]> => {
    const path = key === null ? `/api/v1/flows/public_flow/${flow}` : `/api/v1/flows/${flow}`
    const answer = await running().call('GET', path, key === null ? { key } : {})
    expect(answer.status).toBe(200)
    return held.filter((value) => answer.text.includes(value))
  }
  expect(await shownTo(null)).toEqual([])

  // As a program writes a graph: the declaration of the component is all that tells a secret.
  const { data } = owner.json() as { data: object }
  const unmarked = JSON.parse(
    JSON.stringify(data)
      .replaceAll('"password":true', '"password":false')
      .replaceAll('"SecretStrInput"', '"StrInput"'),
  ) as object
  await running().call('PATCH', `/api/v1/flows/${flow}`, { body: { data: unmarked } })
  expect(await shownTo()).toEqual(held)
  expect(await shownTo(null)).toEqual([])
})

const PACKAGES = fileURLToPath(new URL('../../packages/', import.meta.url))
const STARTS =
  /import\s*\{[^}]*\b(?:startRun|runFlow|startDurableRun)\b[^}]*\}\s*from\s*'@x\/flow-engine[^']*'|\bjobs\.start\(/
/** The runner, which admits every run of the service, and the handler for hosts' own flows, which has no users. */
const MAY_START = ['mcp/create-mcp-handler.ts', 'services/runs/runner.ts']

test('AB-79, AB-93: every run of the service is started, and so admitted, by the runner', async () => {
  const texts = new Map<string, string>()
  const sources = join(PACKAGES, 'flow-service/src')
  for (const path of await readdir(sources, { recursive: true }))
    if (path.endsWith('.ts') && !path.endsWith('.test.ts'))
      texts.set(path, await readFile(join(sources, path), 'utf8'))
  const starting = [...texts].filter(([, text]) => STARTS.test(text)).map(([path]) => path)
  expect(starting.toSorted()).toEqual(MAY_START)
  expect(texts.get('services/runs/runner.ts')).toMatch(/admission\.run\([\s\S]*admission\.job\(/)
  // Jobs wait in the queue for a place of their lane.
  const jobs = await readFile(join(PACKAGES, 'flow-engine/src/jobs/create-build-jobs.ts'), 'utf8')
  expect(jobs).toMatch(/queue-capacity\.ts'/)
})
