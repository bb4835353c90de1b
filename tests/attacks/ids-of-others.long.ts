import { beforeAll, expect, test, vi } from 'vitest'
import { readFlow } from './flow-of.ts'
import { addUser } from './flows.ts'
import { useService } from './attack.ts'

/**
 * CVE-2026-34046, CVE-2026-33053, GHSA-9c59-2mvc-vfr8 and CVE-2026-5022 of Langflow were operations that
 * took ids of others. The mark is in everything that the owner has; no answer to anybody else shows it.
 */
const MARK = 'mark-of-the-owner'
const UNKNOWN = '2f3a9c1e-0000-4000-8000-00000000abcd'

const running = useService({})
let stranger = ''
/** An id of the owner for each parameter of a path. */
let owned: Readonly<Record<string, string>> = {}

beforeAll(async () => {
  stranger = await addUser(running(), 'stranger')
  owned = await createOwned()
})

/** Parameters that name a thing in a flow, or belong to nobody. */
const OTHERS: Readonly<Record<string, string>> = {
  vertex_id: 'ChatInput-1',
  folder_name: 'People',
}

/**
 * Operations that may tell ids of the owner from unknown ones: those of the reference that answer 403, and
 * names, which are different things for each user.
 */
const TELLING = new Set([
  'POST /api/v1/run/{flow_id_or_name}',
  'POST /api/v1/run/advanced/{flow_id_or_name}',
  'POST /api/v1/webhook/{flow_id_or_name}',
])
const BY_NAME =
  /\{(server_name|kb_name|session_id|old_session_id|folder_name|folder_id|vertex_id)\}/

interface Operation {
  readonly method: string
  readonly path: string
  /** Names of ids that it takes in its query. */
  readonly query: readonly string[]
  /** Names of ids that it takes in its body; `[]` for a list of them. */
  readonly body: readonly string[]
}

/** What the description of an operation says of its ids. */
interface Described {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
  readonly requestBody?: { readonly content?: Readonly<Record<string, { schema?: Schema }>> }
}
interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly properties?: Readonly<Record<string, unknown>>
}

async function create(path: string, body: object): Promise<Record<string, string>> {
  const answer = await running().call('POST', path, { body })
  expect([path, answer.status < 300]).toEqual([path, true])
  return answer.json() as Record<string, string>
}

async function upload(path: string): Promise<Record<string, string>> {
  const form = new FormData()
  form.set('file', new File([MARK], `${MARK}.png`))
  const answer = await running().call('POST', path, { body: form })
  expect(answer.status).toBe(201)
  return answer.json() as Record<string, string>
}

async function createOwned(): Promise<Record<string, string>> {
  const service = running()
  const { id: project = '' } = await create('/api/v1/projects/', { name: MARK })
  const data = await readFlow()
  const { id: flow = '' } = await create('/api/v1/flows/', { name: MARK, data, folder_id: project })
  const variable = { name: MARK, value: MARK, type: 'Generic', default_fields: [] }
  const { id: variableId = '' } = await create('/api/v1/variables/', variable)
  const { id: version = '' } = await create(`/api/v1/flows/${flow}/versions`, {})
  const { id: file = '' } = await upload('/api/v2/files')
  const { file_path: path = '' } = await upload(`/api/v1/files/upload/${flow}`)
  const run = { input_value: MARK, session_id: MARK }
  await create(`/api/v1/run/${flow}`, run)
  const inputs = { inputs: { input_value: MARK } }
  const { job_id: job = '' } = await create(
    `/api/v1/build/${flow}/flow?event_delivery=polling`,
    inputs,
  )
  const builds = `/api/v1/monitor/builds?flow_id=${flow}`
  await vi.waitFor(async () => expect((await service.call('GET', builds)).text).toContain(MARK), {
    timeout: 60_000,
    interval: 200,
  })
  await create(`/api/v2/mcp/servers/${MARK}`, { url: `https://example.com/${MARK}` })
  await create('/api/v1/api_key/store', { api_key: 'any' })
  const shared = { name: MARK, description: MARK, data: {}, tags: null, is_component: true }
  const { id: component = '' } = await create('/api/v1/store/components/', {
    ...shared,
    private: true,
  })
  const asked = { model: flow, input: MARK, store: true }
  const { id: response = '' } = await create('/api/openai/v1/responses', asked)
  const message = { id: MARK, role: 'user', parts: [{ type: 'text', text: MARK }] }
  const chat = await service.call('POST', `/api/ai/v1/chat/${flow}`, {
    body: { id: MARK, messages: [message] },
  })
  expect([chat.status, chat.text.includes(MARK)]).toEqual([200, true])
  const keys = (await service.call('GET', '/api/v1/api_key/')).json() as {
    api_keys: { id: string }[]
  }
  const messages = (await service.call('GET', '/api/v1/monitor/messages')).json() as {
    id: string
  }[]
  const user = (await service.call('GET', '/api/v1/users/whoami')).json() as { id: string }
  return {
    ...OTHERS,
    flow_id: flow,
    _flow_id: flow,
    flow,
    chat: MARK,
    thread: MARK,
    ticket: MARK,
    flow_id_or_name: flow,
    model: flow,
    project_id: project,
    folder_id: project,
    variable_id: variableId,
    version_id: version,
    other_id: version,
    file_id: file,
    file_name: path.slice(path.indexOf('/') + 1),
    job_id: job,
    _task_id: job,
    component_id: component,
    trace_id: job,
    response_id: response,
    api_key_id: keys.api_keys[0]?.id ?? '',
    message_id: messages[0]?.id ?? '',
    user_id: user.id,
    session_id: MARK,
    old_session_id: MARK,
    server_name: MARK,
    kb_name: MARK,
  }
}

async function operations(): Promise<Operation[]> {
  const { paths, components } = (await running().call('GET', '/openapi.json')).json() as {
    paths: Record<string, Record<string, Described>>
    components: { schemas: Record<string, Schema> }
  }
  const bodyOf = ({ requestBody }: Described): Schema => {
    const schema = Object.values(requestBody?.content ?? {})[0]?.schema ?? {}
    return components.schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema
  }
  return Object.entries(paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, described]) => {
        const { parameters = [] } = described
        const named = parameters.filter((one) => one.in === 'query').map(({ name }) => name)
        const { type, properties = {} } = bodyOf(described)
        const isId = (name: string): boolean => name in owned
        return {
          method: method.toUpperCase(),
          path,
          query: named.filter(isId),
          body: type === 'array' ? ['[]'] : Object.keys(properties).filter(isId),
        }
      }),
    )
    .filter(({ method }) => method !== 'HEAD')
    .filter(({ path, query, body }) => path.includes('{') || query.length > 0 || body.length > 0)
}

/** What somebody gets for an operation: status and text, without the ids that were sent. */
async function ask(operation: Operation, key: string | null, ids: typeof owned) {
  const { method, path } = operation
  const filled = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => ids[name] ?? UNKNOWN)
  const hasBody = operation.body.length > 0 || (method !== 'GET' && method !== 'DELETE')
  const named = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, ids[name] ?? UNKNOWN]))
  const body = operation.body.includes('[]')
    ? Object.values(ids).filter((id) => UNKNOWN.length === id.length)
    : {
        name: 'taken',
        input_value: 'x',
        value: 'x',
        id: ids['variable_id'],
        ...named(operation.body),
      }
  const query = new URLSearchParams({
    ...named(operation.query),
    ...(path.includes('old_session_id') ? { new_session_id: 'taken' } : {}),
  })
  const answer = await running().call(method, `${filled}?${query.toString()}`, {
    key,
    ...(hasBody ? { body } : {}),
    ...(key === null ? { headers: { cookie: 'client_id=visitor' } } : {}),
  })
  const sent = Object.values(ids).toSorted((one, other) => other.length - one.length)
  const text = sent.reduce((rest, id) => rest.replaceAll(id, 'ID'), answer.text)
  return { status: answer.status, text }
}

test.each([
  ['another user', () => stranger],
  ['a visitor', () => null],
])(
  'AB-54, AB-55, AB-93: %s gets nothing for the ids of others, on any operation',
  async (_who, keyOf) => {
    const unknown = Object.fromEntries(
      Object.keys(owned).map((name) => [name, OTHERS[name] ?? UNKNOWN]),
    )
    const all = await operations()
    expect(all.length).toBeGreaterThan(90)
    expect(all.filter(({ body }) => body.length > 0).length).toBeGreaterThan(8)
    // A new parameter needs a thing of the owner.
    const names = all.flatMap(({ path }) =>
      [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
    )
    expect(names.filter((name) => (owned[name ?? ''] ?? '') === '')).toEqual([])
    const wrong: string[] = []
    for (const operation of all) {
      const name = `${operation.method} ${operation.path}`
      const given = await ask(operation, keyOf(), owned)
      if (given.text.includes(MARK)) wrong.push(`${name} shows ${given.text.slice(0, 100)}`)
      if (BY_NAME.test(operation.path)) continue
      const other = await ask(operation, keyOf(), unknown)
      // Without an id in its path it may succeed, as it does for unknown ids, and shows what is one's own.
      const isOwn =
        !operation.path.includes('{') &&
        given.status === other.status &&
        (operation.method !== 'GET' || given.text === other.text)
      if (given.status < 300 && (isOwn || TELLING.has(name))) continue
      if (given.status < 300) wrong.push(`${name}: ${given.status}`)
      const isSame = given.status === other.status && given.text === other.text
      if (!isSame && !TELLING.has(name))
        wrong.push(`${name}: ${given.text} instead of ${other.text}`)
    }
    expect(wrong).toEqual([])
  },
)

const EMPTY = { name: 'taking', data: { nodes: [], edges: [] } }
/** Operations that take ids outside their path, with those of the owner or unknown ones. */
const WITHIN: readonly (readonly [string, string, (ids: typeof owned) => unknown])[] = [
  ['DELETE', '/api/v1/flows/', (ids) => [ids['flow_id']]],
  ['POST', '/api/v1/flows/download/', (ids) => [ids['flow_id']]],
  ['POST', '/api/v2/files/batch/', (ids) => [ids['file_id']]],
  ['DELETE', '/api/v2/files/batch/', (ids) => [ids['file_id']]],
  ['DELETE', '/api/v1/monitor/messages', (ids) => [ids['message_id']]],
  ['POST', '/api/v1/flows/', (ids) => ({ ...EMPTY, id: ids['flow_id'], user_id: ids['user_id'] })],
  ['POST', '/api/v1/flows/', (ids) => ({ ...EMPTY, folder_id: ids['project_id'] })],
  ['POST', '/api/v1/projects/', (ids) => ({ name: 'taking', flows_list: [ids['flow_id']] })],
  ['POST', '/api/openai/v1/responses', (ids) => ({ model: ids['flow_id'], input: 'x' })],
  ...['messages', 'messages/sessions', 'builds', 'transactions', 'traces'].map(
    (name) => ['GET', `/api/v1/monitor/${name}?flow_id={flow_id}`, () => undefined] as const,
  ),
  ['DELETE', '/api/v1/monitor/builds?flow_id={flow_id}', () => undefined],
]

test('AB-93: ids of others in bodies and queries are ids of nothing', async () => {
  const unknown = Object.fromEntries(Object.keys(owned).map((name) => [name, UNKNOWN]))
  const wrong: string[] = []
  for (const [method, path, bodyOf] of WITHIN) {
    const [given, other] = [owned, unknown].map(async (ids) => {
      const filled = path.replace('{flow_id}', String(ids['flow_id']))
      const body = bodyOf(ids)
      const key = stranger
      const answer = await running().call(method, filled, {
        key,
        ...(body === undefined ? {} : { body }),
      })
      const isMade = answer.status === 201
      const made = isMade ? (answer.json() as Record<string, unknown>) : {}
      const taken = ['id', 'user_id', 'folder_id'].filter((name) =>
        Object.values(owned).includes(String(made[name])),
      )
      const text = isMade ? '' : answer.text.replaceAll(String(ids['flow_id']), 'ID')
      return { status: answer.status, taken, text }
    })
    const [one, two] = [await given, await other]
    const name = `${method} ${path}`
    if (one === undefined || JSON.stringify(one) !== JSON.stringify(two))
      wrong.push(`${name}: ${JSON.stringify(one)} instead of ${JSON.stringify(two)}`)
    if (one?.taken.length !== 0 || one.text.includes(MARK)) wrong.push(`${name} takes or shows it`)
  }
  expect(wrong).toEqual([])
})

test('AB-93: no other spelling of an id opens what belongs to others', async () => {
  const id = owned['flow_id'] ?? ''
  const encoded = Buffer.from(id).toString('hex').replaceAll(/../g, '%$&')
  const digits = (zero: number): string =>
    encodeURIComponent(id.replaceAll(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit))))
  for (const spelled of [
    id.toUpperCase(),
    `{${id}}`,
    `urn:uuid:${id}`,
    id.replaceAll('-', ''),
    encoded,
    digits(0xff10),
    digits(0x660),
    `%20${id}`,
    `${id}%00`,
    `${id}%0a`,
    `${id}%2f..`,
  ]) {
    for (const [method, path] of [
      ['GET', '/api/v1/flows/ID'],
      ['DELETE', '/api/v1/flows/ID'],
      ['GET', '/api/v1/monitor/messages?flow_id=ID'],
      ['POST', '/api/v1/mcp/project/ID/streamable'],
      ['POST', '/api/v1/run/ID'],
    ] as const) {
      const answer = await running().call(method, path.replace('ID', spelled), {
        key: stranger,
        ...(method === 'POST' ? { body: {} } : {}),
      })
      const isRefused = [403, 404, 422].includes(answer.status) || answer.text === '[]'
      expect([spelled, path, answer.status, isRefused]).toEqual([
        spelled,
        path,
        answer.status,
        true,
      ])
      expect(answer.text).not.toContain(MARK)
    }
  }
})

test('AB-55: everything is still there, unchanged', async () => {
  const service = running()
  const { flow_id: flow, project_id: project, file_id: file, file_name: name } = owned
  for (const path of [
    `/api/v1/flows/${flow}`,
    `/api/v1/projects/${project}`,
    '/api/v1/variables/',
    '/api/v1/monitor/messages',
    `/api/v1/files/list/${flow}`,
    `/api/v1/monitor/builds?flow_id=${flow}`,
    `/api/v1/monitor/traces?flow_id=${flow}`,
    `/api/v1/files/download/${flow}/${name}`,
    `/api/v2/files/${file}`,
    `/api/v2/mcp/servers/${owned['server_name']}`,
  ]) {
    const answer = await service.call('GET', path)
    expect([path, answer.status, answer.text.includes(MARK)]).toEqual([path, 200, true])
    expect(answer.text).not.toContain('taken')
  }
  expect((await service.call('GET', '/api/v1/users/whoami')).text).not.toContain('taken')
})
