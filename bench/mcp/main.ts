import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFlowService } from '@x/flow-service'
import { createMemoryBlobStore } from '@x/flow-service/memory'
import { flowBuilder } from '@x/flow-engine/testing'
import { createFlowStore, createJobStore, migrateFlow } from '@x/store-kysely/flow'
import { openSqlite } from '@x/store-kysely/sqlite'
import { cpuPerOperation, heapUsed, interleave, ratio, type Candidate } from '../lib/measure.ts'
import { report } from '../lib/report.ts'

const ROUNDS = 7
const CALLS = 400

/** The chat flow: chat input, a text, chat output. */
function chatFlow(): unknown {
  const flow = flowBuilder('chat')
  const input = flow.add('ChatInput')
  const both = flow.add('CombineText', { values: { text1: 'You said:', delimiter: ' ' } })
  flow.connect(`${input}.message`, `${both}.text2`)
  flow.connect(`${both}.combined_text`, `${flow.add('ChatOutput')}.input_value`)
  return flow.toJSON().data
}

const folder = mkdtempSync(join(tmpdir(), 'bench-mcp-'))
const db = openSqlite(join(folder, 'bench.db'))
await migrateFlow(db)
const engine = createFlowService({
  store: createFlowStore(db),
  jobs: createJobStore(db),
  files: createMemoryBlobStore(),
  secretKey: 'at least 32 characters of a secret of the bench',
})
const user = await engine.services.users.create({
  username: 'bench',
  password: null,
  isActive: true,
})
const owner = {
  id: user.id,
  username: user.username,
  isSuperuser: false,
  via: 'key',
  record: user,
} as const
const { key } = await engine.services.apiKeys.create(owner, { name: null, createdAt: null })

async function ask(path: string, body: object, more: Record<string, string> = {}): Promise<string> {
  const headers = {
    'x-api-key': key,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...more,
  }
  const request = { method: 'POST', headers, body: JSON.stringify(body) }
  const response = await engine.handler(new Request(`http://host${path}`, request))
  const text = await response.text()
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`)
  return text
}

async function createProject(name: string, flows: number): Promise<string> {
  const { id } = JSON.parse(await ask('/api/v1/projects/', { name })) as { id: string }
  for (let n = 0; n < flows; n += 1) {
    const flow = { name: `${name} ${n}`, data: chatFlow(), folder_id: id, mcp_enabled: true }
    await ask('/api/v1/flows/', { ...flow, endpoint_name: `${name}-${n}` })
  }
  return id
}

const one = await createProject('chat', 1)
const fifty = await createProject('many', 50)
const server = (id: string): string => `/api/v1/mcp/project/${id}/streamable`
const call = { name: 'chat_0', arguments: { input_value: 'hello' } }
const rpc = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params })
const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}
const modern = {
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': 'chat_0',
}

const works: Readonly<Record<string, () => Promise<string>>> = {
  run: () => ask('/api/v1/run/chat-0', { input_value: 'hello' }),
  'tools/call': () => ask(server(one), rpc('tools/call', call)),
  'tools/call 2026': () => ask(server(one), rpc('tools/call', { ...call, _meta: meta }), modern),
  'chat/completions': () =>
    ask('/api/openai/v1/chat/completions', {
      model: 'chat-0',
      messages: [{ role: 'user', content: 'hello' }],
    }),
  'responses, store: false': () =>
    ask('/api/openai/v1/responses', { model: 'chat-0', input: 'hello', store: false }),
  responses: () => ask('/api/openai/v1/responses', { model: 'chat-0', input: 'hello' }),
}
for (const [name, work] of Object.entries(works)) {
  const text = await work()
  if (!text.includes('You said: hello')) throw new Error(`${name} answers ${text}`)
}
const list = (): Promise<string> => ask(server(fifty), rpc('tools/list', {}))
const candidates = Object.fromEntries(
  Object.entries({ ...works, 'tools/list of 50': list }).map(
    ([name, work]): [string, Candidate] => [
      name,
      () =>
        cpuPerOperation(CALLS, async () => {
          for (let n = 0; n < CALLS; n += 1) await work()
        }),
    ],
  ),
)
const measured = await interleave(candidates, { rounds: ROUNDS, warmUp: 2 })
const limits: Readonly<Record<string, number>> = {
  'tools/call': 1.3,
  'tools/call 2026': 1.3,
  'chat/completions': 1.3,
  'responses, store: false': 1.3,
  responses: 1.6,
}

const AT_ONCE = 200
const answeredWrongly = async (send: (input: string) => Promise<string>): Promise<number> => {
  const inputs = Array.from({ length: AT_ONCE }, (_, n) => `call ${n}`)
  const answers = await Promise.all(inputs.map(send))
  return answers.filter((text, n) => !text.includes(`You said: ${inputs[n]}"`)).length
}
const callOf = (input: string, more: object = {}): object =>
  rpc('tools/call', { ...call, arguments: { input_value: input }, ...more })
const chatOf = (input: string): object => ({
  model: 'chat-0',
  stream: true,
  messages: [{ role: 'user', content: input }],
})
const started = heapUsed()
const wrongCalls = await answeredWrongly((input) => ask(server(one), callOf(input)))
const wrongStreams = await answeredWrongly((input) =>
  ask(server(one), callOf(input, { _meta: { progressToken: input } })),
)
const wrongChats = await answeredWrongly((input) =>
  ask('/api/openai/v1/chat/completions', chatOf(input)),
)
const growth = heapUsed() / started

report('mcp', [
  ...Object.entries(limits).map(([name, limit]) => ({
    name: `${name} / run`,
    value: ratio(measured, name, 'run'),
    unit: 'x',
    limit,
    note: `${measured.get(name)?.median.toFixed(0)} us, run ${measured.get('run')?.median.toFixed(0)} us`,
  })),
  {
    name: 'tools/list of 50 flows',
    value: (measured.get('tools/list of 50')?.median ?? 0) / 1000,
    unit: 'ms',
    limit: 3,
  },
  { name: 'wrong answers of 200 calls at once', value: wrongCalls, unit: '', limit: 0 },
  { name: 'wrong answers of 200 calls with progress', value: wrongStreams, unit: '', limit: 0 },
  { name: 'wrong answers of 200 chat streams', value: wrongChats, unit: '', limit: 0 },
  { name: 'heap after them', value: growth, unit: 'x', limit: 1.2 },
])
await engine.close()
await db.destroy()
rmSync(folder, { recursive: true, force: true })
