import { afterEach, describe, expect, test } from 'vitest'
import { builtinComponents } from '@x/flow-components'
import { defineComponent } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { createRegistry } from '@x/flow-engine'
import type { FlowServiceInstance } from '@x/flow-service'
import { flowBuilder } from '@x/flow-engine/testing'
import { send } from '@x/test-kit'
import { createTestEngine } from '@x/test-kit'

/** Hangs until it is stopped. */
const stuck = defineComponent({
  type: 'Stuck',
  inputs: { text: field.message({}) },
  outputs: {
    result: output.message({
      run: (_, ctx) =>
        new Promise((_resolve, reject) => {
          ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason as Error))
        }),
    }),
  },
})

const engines: FlowServiceInstance[] = []
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()))
})

async function service() {
  const engine = await createTestEngine({
    components: createRegistry([...builtinComponents, stuck]),
  })
  engines.push(engine)
  const record = await engine.services.users.create({
    username: 'ada',
    password: 'secret-1',
    isActive: true,
  })
  const user = { userId: record.id, isSuperuser: false }
  const call = async (method: string, path: string, body?: unknown) => {
    const request = new Request(`http://host.example/api/v1${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const response = await engine.handler(request, { user })
    const text = await response.text()
    return { status: response.status, text, headers: response.headers }
  }
  const create = async (data: unknown, more: object = {}): Promise<string> => {
    const { text } = await call('POST', '/flows/', { name: 'f', data, ...more })
    return (JSON.parse(text) as { id: string }).id
  }
  return { engine, record, call, create }
}

function echo(): unknown {
  const flow = flowBuilder('echo')
  const input = flow.add('ChatInput')
  const answer = flow.add('ChatOutput')
  flow.connect(`${input}.message`, `${answer}.input_value`)
  return (flow.toJSON() as { data: unknown }).data
}

function hanging(): unknown {
  const flow = flowBuilder('hanging')
  const input = flow.add('ChatInput')
  const held = flow.add(stuck)
  flow.connect(`${input}.message`, `${held}.text`)
  return (flow.toJSON() as { data: unknown }).data
}

const eventsOf = (text: string): { event: string; data: Record<string, unknown> }[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { event: string; data: Record<string, unknown> })
const jobOf = (text: string): string => (JSON.parse(text) as { job_id: string }).job_id

describe('runs', () => {
  test('a run answers with the outputs and stores its messages', async () => {
    const { call, create } = await service()
    const id = await create(echo())
    const { status, text } = await call('POST', `/run/${id}`, { input_value: 'hello' })
    expect(status).toBe(200)
    const run = JSON.parse(text) as { session_id: string; outputs: unknown[] }
    expect(run.session_id).toBe(id)
    expect(run.outputs).toMatchObject([
      { inputs: { input_value: 'hello' }, outputs: [{ results: { message: { text: 'hello' } } }] },
    ])
    const messages = JSON.parse((await call('GET', '/monitor/messages')).text) as object[]
    expect(messages).toMatchObject([{ text: 'hello' }, { text: 'hello' }])
  })

  test('the monitor returns the messages of a run as the run returned them', async () => {
    const { call, create } = await service()
    const id = await create(echo())
    await call('POST', `/run/${id}`, { input_value: 'one\ntwo' })
    const { text } = await call('GET', `/monitor/builds?flow_id=${id}`)
    const builds = (JSON.parse(text) as { vertex_builds: Record<string, unknown> }).vertex_builds
    expect(Object.values(builds)).toMatchObject([
      [{ data: { messages: [{ sender: 'User', message: 'one\ntwo' }] } }],
      [{ data: { messages: [{ sender: 'Machine', message: 'one\n\ntwo' }] } }],
    ])
  })

  test('a failure is stored as a message without a context id', async () => {
    const { call, create } = await service()
    const flow = flowBuilder('failing', { components: builtinComponents })
    const input = flow.add('ChatInput')
    const split = flow.add('SplitText', { values: { chunk_size: 10, chunk_overlap: 50 } })
    flow.connect(`${input}.message`, `${split}.data_inputs`)
    const id = await create((flow.toJSON() as { data: unknown }).data)
    expect((await call('POST', `/run/${id}`, { input_value: 'x' })).status).toBe(500)
    const messages = JSON.parse((await call('GET', '/monitor/messages')).text) as object[]
    expect(messages).toMatchObject([
      { sender: 'User', context_id: '' },
      { sender: 'Split Text', category: 'error', context_id: null },
    ])
  })

  test('a streaming run ends with the complete answer', async () => {
    const { call, create } = await service()
    const id = await create(echo())
    const { text, headers } = await call('POST', `/run/${id}?stream=true`, { input_value: 'hi' })
    expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    const events = eventsOf(text)
    expect(events.map(({ event }) => event)).toEqual(['add_message', 'add_message', 'end'])
    expect(events.at(-1)?.data['result']).toMatchObject({ session_id: id })
  })

  test('a webhook starts the flow and answers only that the task has started', async () => {
    const { engine, call, create } = await service()
    const id = await create(echo())
    const { status, body } = await send(engine, `/api/v1/webhook/${id}`, { json: {} })
    expect([status, body]).toEqual([
      202,
      { message: 'Task started in the background', status: 'in progress' },
    ])
    expect((await call('POST', `/webhook/unknown`, {})).status).toBe(404)
  })
})

describe('builds', () => {
  test('a direct build streams its events in the answer', async () => {
    const { call, create } = await service()
    const id = await create(echo())
    const path = `/build/${id}/flow?event_delivery=direct`
    const { text, headers } = await call('POST', path, { inputs: { input_value: 'x' } })
    expect(headers.get('content-type')).toBe('application/x-ndjson')
    expect(eventsOf(text).map(({ event }) => event)).toEqual([
      'vertices_sorted',
      'add_message',
      'end_vertex',
      'add_message',
      'end_vertex',
      'end',
    ])
  })

  test('FE-69, FL-62 a reader goes on behind its cursor', async () => {
    const { call, create } = await service()
    const started = await call('POST', `/build/${await create(echo())}/flow`, {})
    const job = jobOf(started.text)
    await call('GET', `/build/${job}/events`)
    const { text, headers } = await call('GET', `/build/${job}/events?cursor=2`)
    expect(headers.get('x-event-cursor')).toBe('2')
    expect(eventsOf(text).map(({ event }) => event)).toEqual(['add_message', 'end_vertex', 'end'])
    expect((await call('GET', `/build/${job}/events?cursor=abc`)).status).toBe(422)
  })

  test('a public flow is built as stored; a graph in the request is ignored', async () => {
    const { engine, create } = await service()
    const id = await create(echo(), { access_type: 'PUBLIC' })
    const path = `/api/v1/build_public_tmp/${id}/flow?event_delivery=direct`
    const json = { data: { nodes: [], edges: [] }, inputs: { input_value: 'x' } }
    const none = await send(engine, path, { json })
    expect([none.status, none.body]).toEqual([400, { detail: 'No client_id cookie found' }])
    const headers = { cookie: 'client_id=somebody' }
    const { text } = await send(engine, path, { json, headers })
    expect(eventsOf(text).filter(({ event }) => event === 'end_vertex')).toHaveLength(2)
  })

  test('AB-79 a public flow of a blocked user is neither built nor read', async () => {
    const { engine, create } = await service()
    const { users, flows } = engine.options.store
    const id = await create(echo(), { access_type: 'PUBLIC' })
    const read = () => send(engine, `/api/v1/flows/public_flow/${id}`)
    expect((await read()).status).toBe(200)
    const owner = (await flows.get(id))?.userId ?? ''
    await users.update(owner, { isActive: false })
    const refused = [403, { detail: 'Flow is not public' }]
    const answer = await read()
    expect([answer.status, answer.body]).toEqual(refused)
    const headers = { cookie: 'client_id=somebody' }
    const built = await send(engine, `/api/v1/build_public_tmp/${id}/flow`, { json: {}, headers })
    expect([built.status, built.body]).toEqual(refused)
    await users.update(owner, { isActive: true })
    expect((await read()).status).toBe(200)
  })

  test('the task of a job shows its state to its owner; any other id is refused', async () => {
    const { engine, call, create } = await service()
    const job = jobOf((await call('POST', `/build/${await create(echo())}/flow`, {})).text)
    await call('GET', `/build/${job}/events`)
    const known = await call('GET', `/task/${job}`)
    expect(JSON.parse(known.text)).toMatchObject({ status: 'SUCCESS', result: { outputs: [{}] } })
    const other = await send(engine, '/api/v1/task/other')
    expect(other.status).toBe(400)
    // Anonymous clients and other users get the answer for an unknown id.
    const bob = await engine.services.users.create({
      username: 'bob',
      password: 'secret-2',
      isActive: true,
    })
    const wrong = { headers: { 'x-api-key': 'sk-wrong' } }
    const task = new Request(`http://host.example/api/v1/task/${job}`)
    const theirs = await engine.handler(task, { user: { userId: bob.id, isSuperuser: false } })
    expect([theirs.status, await theirs.json()]).toEqual([400, other.body])
    for (const options of [{}, wrong]) {
      const foreign = await send(engine, `/api/v1/task/${job}`, options)
      expect([foreign.status, foreign.body]).toEqual([400, other.body])
    }
  })

  test('SU-13 builds are cancelled when another program deactivates their user', async () => {
    const { engine, record, call, create } = await service()
    const job = jobOf((await call('POST', `/build/${await create(hanging())}/flow`, {})).text)
    const told: string[] = []
    engine.events.on('user.deactivated', ({ id }) => told.push(id))
    const events = engine.jobs.events(job)
    const seen: string[] = []
    for await (const event of events) {
      seen.push(event.event)
      if (event.event === 'end_vertex')
        engine.userWritten({ kind: 'deactivate', before: record, after: record })
    }
    expect(seen.at(-1)).toBe('end')
    expect((await engine.jobs.get(job))?.state).toBe('cancelled')
    expect(told).toEqual([record.id])
  })
})

test('a sender name from a tweak has the same length limit as one from a request', async () => {
  const { call, create } = await service()
  const id = await create(echo())
  const run = (sender_name: string) =>
    call('POST', `/run/${id}`, { input_value: 'hi', tweaks: { 'Chat Output': { sender_name } } })
  const long = await run('s'.repeat(501))
  const detail = 'The sender_name of a message has at most 500 characters'
  expect([long.status, JSON.parse(long.text)]).toEqual([400, { detail }])
  expect((await run('s'.repeat(500))).status).toBe(200)
})
