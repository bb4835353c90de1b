import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { flowBuilder, startFakeOpenAi } from '@x/flow-engine/testing'
import { createTestEngine, createUserCalls, serve } from '@x/test-kit'

/** Question -> If-Else; true -> Refused; false -> Agent, which also has a tool. */
function guardrail(address: string): unknown {
  const flow = flowBuilder('guardrail')
  flow.add('ChatInput', { id: 'ChatInput-1' })
  flow.add('ConditionalRouter', {
    id: 'ConditionalRouter-1',
    values: { match_text: 'forbidden', operator: 'contains', true_case_message: 'REFUSED' },
  })
  flow.add('CalculatorComponent', { id: 'CalculatorComponent-1', toolMode: true })
  flow.add('Agent', {
    id: 'Agent-1',
    values: {
      agent_llm: 'OpenAI',
      model_name: 'gpt-4o-mini',
      api_key: 'sk-test-1',
      openai_api_base: address,
    },
  })
  flow.add('ChatOutput', { id: 'ChatOutput-1' })
  flow.add('ChatOutput', { id: 'ChatOutput-2' })
  flow
    .connect('ChatInput-1.message', 'ConditionalRouter-1.input_text')
    .connect('ConditionalRouter-1.true_result', 'ChatOutput-1.input_value')
    .connect('ConditionalRouter-1.false_result', 'Agent-1.input_value')
    .connect('CalculatorComponent-1.component_as_tool', 'Agent-1.tools')
    .connect('Agent-1.response', 'ChatOutput-2.input_value')
  return (flow.toJSON() as { data: unknown }).data
}

test('J1, FF-1, FF-7: a guardrail answers a forbidden question once, without a model', async () => {
  const model = await startFakeOpenAi()
  const { call, create, engine } = await createUserCalls({ ssrfAllow: ['127.0.0.1'] })
  const id = await create(guardrail(model.url))
  const input = { input_value: 'a forbidden question' }
  const run = await call('POST', `/api/v1/run/${id}`, { ...input, session_id: 's' })
  const { outputs } = run.body as { outputs: { outputs: { component_id: string }[] }[] }
  expect(outputs[0]?.outputs.map((one) => one.component_id)).toEqual(['ChatOutput-1'])
  const stored = (await call('GET', '/api/v1/monitor/messages?session_id=s')).body
  expect((stored as { text: string }[]).map(({ text }) => text)).toEqual([
    'a forbidden question',
    'REFUSED',
  ])
  const streamed = await call('POST', `/api/v1/run/${id}?stream=true`, { ...input })
  const built = await call('POST', `/api/v1/build/${id}/flow?event_delivery=direct`, {
    inputs: { input_value: 'forbidden', session: 'b' },
  })
  for (const { text } of [streamed, built]) {
    expect(text).toContain('REFUSED')
    expect(text).not.toMatch(/"id": ?"Agent-1"/)
  }
  expect(built.text).toMatch(/"event": ?"end"/)
  expect(model.requests).toEqual([])
  await engine.close()
  await model.close()
})

test('FF-7: traces, records and costs hold nothing of a cut, at any door', async () => {
  const model = await startFakeOpenAi()
  const { call, create, engine } = await createUserCalls({ ssrfAllow: ['127.0.0.1'] })
  const id = await create(guardrail(model.url))
  await call('POST', `/api/v1/run/${id}`, { input_value: 'forbidden', session_id: 's' })
  await call('POST', `/api/v1/build/${id}/flow?event_delivery=direct`, {
    inputs: { input_value: 'forbidden', session: 'b' },
  })
  const answered = await call('POST', '/api/v1/responses', { model: id, input: 'forbidden' })
  expect(answered.text).toContain('REFUSED')
  expect(answered.text).not.toContain('Agent')
  const tracesOf = async () => {
    const { body } = await call('GET', `/api/v1/monitor/traces?flow_id=${id}`)
    return (body as { traces: { id: string; totalTokens: number }[] }).traces
  }
  await expect.poll(async () => (await tracesOf()).length).toBe(3)
  const listed = await tracesOf()
  const shown: { text: string }[] = []
  for (const { id: trace, totalTokens } of listed) {
    expect(totalTokens).toBe(0)
    shown.push(await call('GET', `/api/v1/monitor/traces/${trace}`))
  }
  shown.push(await call('GET', `/api/v1/monitor/builds?flow_id=${id}`))
  shown.push(await call('GET', `/api/v1/monitor/transactions?flow_id=${id}`))
  for (const { text } of shown) {
    expect(text).toContain('ChatOutput-1')
    expect(text).not.toMatch(/"(?:id|vertex_id|component_id)": ?"(?:Agent-1|ChatOutput-2)"/)
  }
  expect(model.requests).toEqual([])
  await engine.close()
  await model.close()
})

test('FF-2, FF-3: vertices built one at a time leave out a stopped branch and reach the join', async () => {
  const { call, create, engine } = await createUserCalls()
  const flow = flowBuilder('join')
  flow.add('ChatInput', { id: 'ChatInput-1' })
  const values = { match_text: 'a', operator: 'equals', true_case_message: 'T' }
  flow.add('ConditionalRouter', { id: 'R-1', values: { ...values, false_case_message: 'F' } })
  for (const id of ['CombineText-t', 'CombineText-f', 'CombineText-j'])
    flow.add('CombineText', { id, values: { delimiter: ' ', text1: '.', text2: '.' } })
  flow
    .connect('ChatInput-1.message', 'R-1.input_text')
    .connect('R-1.true_result', 'CombineText-t.text1')
    .connect('R-1.false_result', 'CombineText-f.text1')
    .connect('ChatInput-1.message', 'CombineText-f.text2')
    .connect('CombineText-t.combined_text', 'CombineText-j.text1')
    .connect('CombineText-f.combined_text', 'CombineText-j.text2')
  const id = await create((flow.toJSON() as { data: unknown }).data)
  await call('POST', `/api/v1/build/${id}/vertices`)
  const build = async (vertex: string, input?: string) => {
    const inputs = input === undefined ? null : { input_value: input }
    const { body } = await call('POST', `/api/v1/build/${id}/vertices/${vertex}`, { inputs })
    return body as { next_vertices_ids: string[]; valid: boolean }
  }
  expect((await build('ChatInput-1', 'a')).next_vertices_ids).toEqual(['R-1'])
  expect((await build('R-1')).next_vertices_ids).toEqual(['CombineText-t'])
  expect(await build('CombineText-f')).toMatchObject({ valid: false, next_vertices_ids: [] })
  expect((await build('CombineText-t')).next_vertices_ids).toEqual(['CombineText-j'])
  expect(await build('CombineText-j')).toMatchObject({ valid: true })
  await engine.close()
})

test('FF-7: a run without any output left answers 200 with empty lists', async () => {
  const { call, create, engine } = await createUserCalls()
  const flow = flowBuilder('none')
  flow.add('ChatInput', { id: 'ChatInput-1' })
  flow.add('ConditionalRouter', { id: 'R-1', values: { match_text: 'a', operator: 'equals' } })
  flow.add('ChatOutput', { id: 'ChatOutput-1' })
  flow
    .connect('ChatInput-1.message', 'R-1.input_text')
    .connect('R-1.true_result', 'ChatOutput-1.input_value')
  const id = await create((flow.toJSON() as { data: unknown }).data)
  expect(await call('POST', `/api/v1/run/${id}`, { input_value: 'b' })).toMatchObject({
    status: 200,
    body: { outputs: [{ outputs: [] }] },
  })
  await engine.close()
})

/** Recorded cases beside the checkout, or nowhere. */
const golden = fileURLToPath(new URL('../../../../shared/golden/routing/run.mjs', import.meta.url))

// Without the recordings there is nothing to compare with.
test.skipIf(!existsSync(golden))(
  'FF-1 to FF-10: the recorded routing cases pass',
  { tags: ['long'], timeout: 120_000 },
  async () => {
    const engine = await createTestEngine({ ssrfAllow: ['127.0.0.1'] })
    const server = await serve(engine.handler)
    const child = spawn(process.execPath, [golden, '--base', server.url])
    let text = ''
    child.stdout.on('data', (part: Buffer) => (text += part.toString()))
    await new Promise((resolve) => child.on('close', resolve))
    expect(text.trim().split('\n').at(-1)).toMatch(/^routing: [1-9]\d* passed, 0 failed$/)
    await server.close()
    await engine.close()
  },
)
