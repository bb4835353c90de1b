import { expect, test } from 'vitest'
import { flowBuilder } from '@x/flow-engine/testing'
import { createUserCalls } from '@x/test-kit'

function echo(): unknown {
  const flow = flowBuilder('echo')
  const input = flow.add('ChatInput', { values: { input_value: 'kept' } })
  flow.connect(`${input}.message`, `${flow.add('ChatOutput')}.input_value`)
  return (flow.toJSON() as { data: unknown }).data
}

test('an empty session id is replaced by the flow id in runs and builds', async () => {
  const { call, create, engine } = await createUserCalls()
  const id = await create(echo())
  const run = await call('POST', `/api/v1/run/${id}`, { input_value: 'a', session_id: '' })
  expect(run).toMatchObject({ status: 200, body: { session_id: id } })
  const advanced = await call('POST', `/api/v1/run/advanced/${id}`, { session_id: '' })
  expect(advanced).toMatchObject({ status: 200, body: { session_id: id } })
  await call('POST', `/api/v1/build/${id}/flow?event_delivery=direct`, {
    inputs: { input_value: 'b', session: '' },
  })
  expect((await call('GET', '/api/v1/monitor/messages/sessions')).body).toEqual([id])
  expect((await call('GET', '/api/v1/monitor/messages')).body).toHaveLength(6)
  await engine.close()
})

test('the top-level fields apply when input_request is null', async () => {
  const { call, create, engine } = await createUserCalls()
  const id = await create(echo())
  const run = async (body: object) => (await call('POST', `/api/v1/run/${id}`, body)).body
  const inputs = (value: object) => ({ outputs: [{ inputs: value }] })
  expect(await run({ input_request: null, input_value: 'flat' })).toMatchObject(
    inputs({ input_value: 'flat' }),
  )
  expect(await run({ input_request: null })).toMatchObject(inputs({}))
  expect(await run({ input_request: { input_value: 'long' }, input_value: 'flat' })).toMatchObject(
    inputs({ input_value: 'long' }),
  )
  expect(await run({ input_request: null, context: 'x' })).toMatchObject({
    detail: [{ type: 'dict_type', loc: ['body', 'context'] }],
  })
  await engine.close()
})

test('an input type of null reaches every input component', async () => {
  const { call, create, engine } = await createUserCalls()
  const flow = flowBuilder('texts')
  const input = flow.add('TextInput')
  flow.connect(`${input}.text`, `${flow.add('TextOutput')}.input_value`)
  const id = await create((flow.toJSON() as { data: unknown }).data)
  const body = { input_value: 'hi', input_type: null, output_type: 'any' }
  expect(await call('POST', `/api/v1/run/${id}`, body)).toMatchObject({
    status: 200,
    body: { outputs: [{ outputs: [{ results: { text: { text: 'hi' } } }] }] },
  })
  await engine.close()
})

test('an advanced run without inputs keeps the values of the flow', async () => {
  const { call, create, engine } = await createUserCalls()
  const id = await create(echo())
  const run = async (body: object) => (await call('POST', `/api/v1/run/advanced/${id}`, body)).body
  const shows = (inputs: object, text: string) => ({
    outputs: [{ inputs, outputs: [{ results: { message: { text } } }] }],
  })
  expect(await run({ inputs: [] })).toMatchObject(shows({}, 'kept'))
  expect(await run({})).toMatchObject(shows({ input_value: '' }, ''))
  await engine.close()
})

test('vertices built one at a time name their side inputs, and the monitor lists the builds', async () => {
  const { call, create, engine } = await createUserCalls()
  const flow = flowBuilder('combined')
  const chat = flow.add('ChatInput')
  const side = flow.add('TextInput', { values: { input_value: 'Say' } })
  const both = flow.add('CombineText', { values: { delimiter: ' ' } })
  flow.connect(`${side}.text`, `${both}.text1`).connect(`${chat}.message`, `${both}.text2`)
  flow.connect(`${both}.combined_text`, `${flow.add('ChatOutput', { id: 'Out-1' })}.input_value`)
  const id = await create((flow.toJSON() as { data: unknown }).data)

  const order = await call('POST', `/api/v1/build/${id}/vertices?stop_component_id=`)
  expect(order.body).toMatchObject({ ids: [chat], vertices_to_run: [chat, side, both, 'Out-1'] })
  const build = async (vertex: string, input?: string) => {
    const inputs = input === undefined ? null : { input_value: input }
    const path = `/api/v1/build/${id}/vertices/${encodeURIComponent(vertex)}`
    return (await call('POST', path, { inputs })).body as { next_vertices_ids: string[] }
  }
  expect((await build(chat, 'hello')).next_vertices_ids).toEqual([side])
  expect((await build(side)).next_vertices_ids).toEqual([both])
  expect((await build(both)).next_vertices_ids).toEqual(['Out-1'])
  expect(await build('Out-1')).toMatchObject({
    next_vertices_ids: [],
    data: { results: { message: { text: 'Say hello' } } },
  })

  const { body } = await call('GET', `/api/v1/monitor/builds?flow_id=${id}`)
  const { vertex_builds: builds } = body as { vertex_builds: Record<string, unknown[]> }
  expect(Object.keys(builds).toSorted()).toEqual([chat, side, both, 'Out-1'].toSorted())
  expect(builds[chat]).toMatchObject([
    { valid: true, data: { results: { message: { text: 'hello' } } } },
  ])
  await engine.close()
})

test('the stream of a vertex returns its exact text, including quotes and backslashes', async () => {
  const { call, create, engine } = await createUserCalls()
  const id = await create(echo())
  const text = 'one "text":"two" \\ three'
  const path = `/api/v1/build/${id}/vertices`
  await call('POST', path)
  await call('POST', `${path}/ChatInput-00001`, { inputs: { input_value: text } })
  await call('POST', `${path}/ChatOutput-00001`, {})
  const { text: stream } = await call('GET', `/api/v1/build/${id}/ChatOutput-00001/stream`)
  expect(stream).toContain(`data: ${JSON.stringify({ chunk: text })}\n`)
  await engine.close()
})
