import { beforeAll, expect, test } from 'vitest'
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
  _task_id: UNKNOWN,
  component_id: UNKNOWN,
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
  await create(`/api/v2/mcp/servers/${MARK}`, { url: `https://example.com/${MARK}` })
  const asked = { model: flow, input: MARK, store: true }
  const { id: response = '' } = await create('/api/openai/v1/responses', asked)
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
  const { paths } = (await running().call('GET', '/openapi.json')).json() as {
    paths: Record<string, Record<string, unknown>>
  }
  return Object.entries(paths)
    .filter(([path]) => path.includes('{'))
    .flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
    )
    .filter(({ method }) => method !== 'HEAD')
}

/** What somebody gets for an operation: status and text, without the ids that were sent. */
async function ask({ method, path }: Operation, key: string | null, ids: typeof owned) {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => ids[name] ?? UNKNOWN)
  const hasBody = method !== 'GET' && method !== 'DELETE'
  const body = { name: 'taken', input_value: 'x', value: 'x', id: ids['variable_id'] }
  const query = path.includes('old_session_id') ? '?new_session_id=taken' : ''
  const answer = await running().call(method, `${filled}${query}`, {
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
    expect(all.length).toBeGreaterThan(70)
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
      const isTaken = given.status < 300 && !TELLING.has(name)
      if (isTaken) wrong.push(`${name}: ${given.status}`)
      const other = await ask(operation, keyOf(), unknown)
      const isSame = given.status === other.status && given.text === other.text
      if (!isSame && !TELLING.has(name))
        wrong.push(`${name}: ${given.text} instead of ${other.text}`)
    }
    expect(wrong).toEqual([])
  },
)

test('AB-55: everything is still there, unchanged', async () => {
  const service = running()
  const { flow_id: flow, project_id: project, file_id: file, file_name: name } = owned
  for (const path of [
    `/api/v1/flows/${flow}`,
    `/api/v1/projects/${project}`,
    '/api/v1/variables/',
    '/api/v1/monitor/messages',
    `/api/v1/files/list/${flow}`,
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
