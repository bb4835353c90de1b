import { describe, expect, test } from 'vitest'
import type { FlowService } from '../src/service.ts'
import type { Auth, Route } from '../src/http/route/route.ts'
import { routes } from '../src/http/routes/index.ts'
import { createTestEngine } from '@x/test-kit'

const ID = '2f3a9c1e-0000-4000-8000-00000000abcd'

/** The credentials of a request. */
type Credentials = Readonly<Record<string, string>>

interface Actors {
  readonly anonymous: Credentials
  readonly cookieOnly: Credentials
  readonly superuser: Credentials
  readonly user: Credentials
  readonly key: Credentials
  readonly badToken: Credentials
  readonly badKey: Credentials
  readonly blockedToken: Credentials
  readonly blockedKey: Credentials
}

/** The response before the operation itself is reached; null if it is reached. */
type Verdict = readonly [status: number, detail: string] | null

const NONE: Verdict = [403, 'An API key must be passed as query or header']
const BAD_TOKEN: Verdict = [401, 'Could not validate credentials']
const BAD_KEY: Verdict = [403, 'Invalid or missing API key']
const GONE: Verdict = [401, 'User not found or is inactive.']
const BLOCKED: Verdict = [401, 'Inactive user']
const NO_RIGHT: Verdict = [403, "The user doesn't have enough privileges"]
const NO_MCP: Verdict = [
  401,
  'API key required for this project. Provide x-api-key header or query parameter.',
]
const BAD_MCP_KEY: Verdict = [401, 'Invalid API key']
/** In the form of the OpenAI API. */
const NO_ENTRY: Verdict = [401, 'Incorrect API key provided.']
/** In the form of each door. */
const NO_DOOR = [401, 'Missing or wrong API key.'] as const

/** The matrix of auth.md; operations that ask for nobody let everybody through. */
const matrix: Readonly<
  Record<Exclude<Auth, 'none' | 'webhook' | 'public'>, Record<keyof Actors, Verdict>>
> = {
  user: {
    anonymous: NONE,
    cookieOnly: NONE,
    superuser: null,
    user: null,
    key: null,
    badToken: BAD_TOKEN,
    badKey: BAD_KEY,
    blockedToken: GONE,
    blockedKey: BLOCKED,
  },
  // Bad credentials count as none, and none is somebody who sees nothing of his own.
  optional: {
    anonymous: null,
    cookieOnly: null,
    superuser: null,
    user: null,
    key: null,
    badToken: null,
    badKey: null,
    blockedToken: null,
    blockedKey: null,
  },
  // Without a `client_id` cookie.
  guest: {
    anonymous: NONE,
    cookieOnly: NONE,
    superuser: null,
    user: null,
    key: null,
    badToken: BAD_TOKEN,
    badKey: BAD_KEY,
    blockedToken: GONE,
    blockedKey: BLOCKED,
  },
  visitor: {
    anonymous: NONE,
    cookieOnly: NONE,
    superuser: null,
    user: null,
    key: null,
    badToken: BAD_TOKEN,
    badKey: BAD_KEY,
    blockedToken: GONE,
    blockedKey: BLOCKED,
  },
  superuser: {
    anonymous: NONE,
    cookieOnly: NONE,
    superuser: null,
    user: NO_RIGHT,
    key: NO_RIGHT,
    badToken: BAD_TOKEN,
    badKey: BAD_KEY,
    blockedToken: GONE,
    blockedKey: BLOCKED,
  },
  key: {
    anonymous: NONE,
    cookieOnly: NONE,
    superuser: NONE,
    user: NONE,
    key: null,
    badToken: NONE,
    badKey: BAD_KEY,
    blockedToken: NONE,
    blockedKey: BLOCKED,
  },
  // Also as Bearer; a token is none.
  'bearer-key': {
    anonymous: NONE,
    cookieOnly: NONE,
    superuser: NONE,
    user: NONE,
    key: null,
    badToken: NONE,
    badKey: BAD_KEY,
    blockedToken: NONE,
    blockedKey: BLOCKED,
  },
  // A key or a token; one answer for all who are not let in (RS-20).
  openai: {
    anonymous: NO_ENTRY,
    cookieOnly: NO_ENTRY,
    superuser: null,
    user: null,
    key: null,
    badToken: NO_ENTRY,
    badKey: NO_ENTRY,
    blockedToken: NO_ENTRY,
    blockedKey: NO_ENTRY,
  },
  // A key or a token (MC-4, MC-5).
  mcp: {
    anonymous: NO_MCP,
    cookieOnly: NO_MCP,
    superuser: null,
    user: null,
    key: null,
    badToken: BAD_TOKEN,
    badKey: BAD_MCP_KEY,
    blockedToken: BLOCKED,
    blockedKey: BLOCKED,
  },
  // One answer for all who are not let in (DO-4); the cookie counts on the server's own pages only.
  chat: {
    anonymous: NO_DOOR,
    cookieOnly: NO_DOOR,
    superuser: null,
    user: null,
    key: null,
    badToken: NO_DOOR,
    badKey: NO_DOOR,
    blockedToken: NO_DOOR,
    blockedKey: NO_DOOR,
  },
  agent: {
    anonymous: NO_DOOR,
    cookieOnly: NO_DOOR,
    superuser: null,
    user: null,
    key: null,
    badToken: NO_DOOR,
    badKey: NO_DOOR,
    blockedToken: NO_DOOR,
    blockedKey: NO_DOOR,
  },
  session: {
    anonymous: NONE,
    cookieOnly: null,
    superuser: null,
    user: null,
    key: null,
    badToken: BAD_TOKEN,
    badKey: BAD_KEY,
    blockedToken: GONE,
    blockedKey: BLOCKED,
  },
}

/** Every answer that stands for not being let in. */
const refusals = new Set(
  [NONE, BAD_TOKEN, BAD_KEY, GONE, BLOCKED, NO_RIGHT, NO_MCP, BAD_MCP_KEY].map(
    (verdict) => `${verdict?.[0]} ${JSON.stringify({ detail: verdict?.[1] })}`,
  ),
)
refusals.add(textOf(NO_ENTRY))
refusals.add(textOf(NO_DOOR))

function textOf(verdict: Verdict): string {
  if (verdict === null) return 'reached'
  const [status, message] = verdict
  if (verdict === NO_DOOR) return `${status} ${message}`
  const error = { message, type: 'invalid_request_error', param: null, code: 'invalid_api_key' }
  return `${status} ${JSON.stringify(verdict === NO_ENTRY ? { error } : { detail: message })}`
}

const names: readonly (keyof Actors)[] = [
  'anonymous',
  'cookieOnly',
  'superuser',
  'user',
  'key',
  'badToken',
  'badKey',
  'blockedToken',
  'blockedKey',
]

async function createActors(engine: FlowService): Promise<Actors> {
  const { users, login, apiKeys } = engine.services
  const signIn = async (username: string): Promise<string> => {
    const input = { username, password: `${username}-pass`, clientAddress: '' }
    return (await login.signIn(input)).accessToken
  }
  const bearer = (token: string): Credentials => ({ authorization: `Bearer ${token}` })
  const make = async (username: string) => {
    const record = await users.create({ username, password: `${username}-pass`, isActive: true })
    const token = await signIn(username)
    const caller = { id: record.id, username, isSuperuser: false, via: 'token', record } as const
    const { key } = await apiKeys.create(caller, { name: null, createdAt: null })
    return { record, token, key }
  }
  const root = { username: 'admin', password: 'admin-pass-1', clientAddress: '' }
  const admin = await login.signIn(root)
  const [user, blocked] = [await make('user'), await make('blocked')]
  const { user: record } = admin
  const caller = {
    id: record.id,
    username: 'admin',
    isSuperuser: true,
    via: 'token',
    record,
  } as const
  await users.patch(caller, blocked.record.id, { isActive: false })
  return {
    anonymous: {},
    cookieOnly: { cookie: `access_token_lf=${user.token}` },
    superuser: bearer(admin.accessToken),
    user: bearer(user.token),
    key: { 'x-api-key': user.key },
    badToken: bearer('no.such.token'),
    badKey: { 'x-api-key': 'sk-unknown' },
    blockedToken: bearer(blocked.token),
    blockedKey: { 'x-api-key': blocked.key },
  }
}

function request({ method, path, consumes }: Route, credentials: Credentials): Request {
  const url = `http://host${path.replaceAll(/\{\w+\}/g, ID)}`
  const upload = consumes === 'multipart' && method !== 'GET'
  const form = '--b\r\ncontent-disposition: form-data; name="other"\r\n\r\nx\r\n--b--\r\n'
  const type = upload ? 'multipart/form-data; boundary=b' : 'application/json'
  const body = upload ? form : '{}'
  const headers = { ...credentials, 'content-type': type }
  const isBodiless = method === 'GET' || method === 'HEAD'
  return new Request(url, { method, headers, ...(isBodiless ? {} : { body }) })
}

/** A stream that has opened has no end. */
async function textOfAnswer(response: Response): Promise<string> {
  if (response.headers.get('content-type') !== 'text/event-stream') return await response.text()
  await response.body?.cancel()
  return 'a stream'
}

const asking = routes.filter(({ auth }) => auth in matrix)
const open = routes.filter(({ auth }) => auth === 'none')

/** The operations that anybody may call; a further one is a decision, and is added here. */
const OPEN_TO_ANYBODY = [
  'guest GET /api/v1/config',
  'none DELETE /api/v1/folders/{folder_id}',
  'none GET /api/a2a/v1/.well-known/agent-card.json',
  'none GET /.well-known/agent-keys.json',
  'none GET /api/ai/v1/files/{ticket}',
  'none GET /api/v1/auto_login',
  'none GET /api/v1/files/profile_pictures/list',
  'none GET /api/v1/files/profile_pictures/{folder_name}/{file_name}',
  'none GET /api/v1/flows/basic_examples/',
  'none GET /api/v1/flows/public_flow/{flow_id}',
  'none GET /api/v1/folders/',
  'none GET /api/v1/folders/download/{folder_id}',
  'none GET /api/v1/folders/{folder_id}',
  'none GET /api/v1/store/check/',
  'none GET /api/v1/store/tags',
  'none GET /api/v1/version',
  'none GET /health',
  'none GET /health/ready',
  'none GET /health_check',
  'none HEAD /api/mcp/sse',
  'none HEAD /api/mcp/streamable',
  'none HEAD /api/mcp/streamable/',
  'none HEAD /api/v1/mcp/project/{project_id}/sse',
  'none HEAD /api/v1/mcp/project/{project_id}/streamable',
  'none HEAD /api/v1/mcp/project/{project_id}/streamable/',
  'none HEAD /api/v1/mcp/sse',
  'none HEAD /api/v1/mcp/streamable',
  'none HEAD /api/v1/mcp/streamable/',
  'none PATCH /api/v1/folders/{folder_id}',
  'none POST /api/v1/folders/',
  'none POST /api/v1/folders/upload/',
  'none POST /api/v1/login',
  'none POST /api/v1/logout',
  'none POST /api/v1/refresh',
  'none POST /api/v1/upload/{flow_id}',
  'optional GET /api/v1/task/{_task_id}',
  'public POST /api/v1/build_public_tmp/{flow_id}/flow',
  'visitor GET /api/v1/build/{job_id}/events',
  'visitor POST /api/v1/build/{job_id}/cancel',
  'webhook POST /api/v1/webhook/{flow_id_or_name}',
]

describe('access, operation by operation', () => {
  test('AB-93: only the listed operations are open to anybody', () => {
    const kinds: readonly Auth[] = ['none', 'optional', 'guest', 'visitor', 'public', 'webhook']
    const found = routes.filter(({ auth }) => kinds.includes(auth))
    expect(found.map(({ auth, method, path }) => `${auth} ${method} ${path}`).toSorted()).toEqual(
      OPEN_TO_ANYBODY.toSorted(),
    )
  })

  test('every operation is in the access matrix or needs no credentials', () => {
    const rest = routes.filter((route) => !asking.includes(route) && !open.includes(route))
    expect(new Set(rest.map(({ auth }) => auth))).toEqual(new Set(['webhook', 'public']))
  })

  test.each(names)('%s gets the answer of auth.md before any other check', async (name) => {
    const engine = await createTestEngine({ settings: { agenticExperience: true } })
    const { [name]: credentials } = await createActors(engine)
    for (const route of asking) {
      const verdict = matrix[route.auth as keyof typeof matrix][name]
      const response = await engine.handler(request(route, credentials))
      const said = await textOfAnswer(response)
      const text = said.includes(NO_DOOR[1]) ? NO_DOOR[1] : said
      const at = `${route.method} ${route.path}`
      const refused = refusals.has(`${response.status} ${text}`)
      const answer = refused ? `${response.status} ${text}` : 'reached'
      expect([at, answer]).toEqual([at, textOf(verdict)])
      expect([at, response.status]).not.toEqual([at, 500])
    }
    await engine.close()
  })

  test('operations without authentication ignore credentials', async () => {
    const engine = await createTestEngine()
    for (const route of open) {
      const statuses = []
      for (const credentials of [{}, { authorization: 'Bearer x' }, { 'x-api-key': 'x' }]) {
        statuses.push((await engine.handler(request(route, credentials))).status)
      }
      expect([route.path, new Set(statuses).size]).toEqual([route.path, 1])
    }
    await engine.close()
  })

  test('ids of other users are answered like unknown ids', async () => {
    const engine = await createTestEngine()
    const actors = await createActors(engine)
    const send = async (who: keyof Actors, method: string, path: string, body?: object) => {
      const response = await engine.handler(
        new Request(`http://host${path}`, {
          method,
          headers: { ...actors[who], 'content-type': 'application/json' },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        }),
      )
      return { status: response.status, text: await response.text() }
    }
    const made = await send('superuser', 'POST', '/api/v1/flows/', { name: 'secret' })
    const { id, folder_id: folder } = JSON.parse(made.text) as { id: string; folder_id: string }
    const variable = await send('superuser', 'POST', '/api/v1/variables/', {
      name: 'n',
      value: 'v',
      default_fields: null,
    })
    const owned: readonly (readonly [RegExp, string])[] = [
      [/\/(flows|files|monitor)\//, id],
      [/\/projects\/|\/mcp\/project\//, folder],
      [/\/variables\//, (JSON.parse(variable.text) as { id: string }).id],
    ]
    for (const { method, path, auth } of asking) {
      const [, target] = owned.find(([pattern]) => pattern.test(path)) ?? []
      if (auth !== 'user' || target === undefined || !path.includes('_id}')) continue
      const url = (to: string): string => path.replaceAll(/\{\w+\}/g, to)
      const body = method === 'GET' ? undefined : { id: target, settings: [] }
      const foreign = await send('user', method, url(target), body)
      const unknown = await send('user', method, url(ID), body && { ...body, id: ID })
      const same = (text: string): string => text.replaceAll(target, ID)
      expect([path, foreign.status, same(foreign.text)]).toEqual([
        path,
        unknown.status,
        same(unknown.text),
      ])
    }
    expect((await send('superuser', 'GET', `/api/v1/flows/${id}`)).status).toBe(200)
    await engine.close()
  })
})
