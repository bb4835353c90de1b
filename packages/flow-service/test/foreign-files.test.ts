import { expect, test } from 'vitest'
import { flowBuilder } from '@x/flow-engine/testing'
import { createUserCalls } from '@x/test-kit'

/** Chat Input -> Chat Output, an edge to a node that is gone, and things that only an editor draws. */
function torn(): Record<string, unknown> {
  const flow = flowBuilder('torn')
  flow.add('ChatInput', { id: 'ChatInput-1' })
  flow.add('ChatOutput', { id: 'ChatOutput-1' })
  flow.connect('ChatInput-1.message', 'ChatOutput-1.input_value')
  const { nodes = [], edges = [] } = flow.toJSON().data ?? {}
  const [edge] = edges
  return {
    nodes: [
      ...nodes,
      { id: 'note-1', type: 'noteNode', position: { x: 0, y: 0 }, data: { id: 'note-1' } },
      { id: 'frame-1', type: 'frame', position: { x: 0, y: 0 }, data: { title: 'A frame' } },
      { id: 'bare-1', type: 'genericNode', position: { x: 0, y: 0 }, data: { type: 'Gone' } },
    ],
    edges: [...edges, { ...edge, id: 'torn', target: 'Gone-1' }],
  }
}

test('FF-93: an edge without an end is ignored by runs and named by the check; a build keeps its error', async () => {
  const { call, create, engine } = await createUserCalls()
  const data = torn()
  const id = await create(data)
  const { body } = await call('GET', `/api/v1/flows/${id}/problems`)
  expect(body).toMatchObject({
    problems: [{ code: 'dangling_edge', severity: 'warning', node_id: 'Gone-1', edge_id: 'torn' }],
  })
  const run = await call('POST', `/api/v1/run/${id}?stream=false`, { input_value: 'hello' })
  expect([run.status, run.text.includes('hello')]).toEqual([200, true])
  const build = await call('POST', `/api/v1/build/${id}/flow?event_delivery=direct`, {})
  expect(build.text).toContain('Vertex Gone-1 not found')
  const stored = await call('GET', `/api/v1/flows/${id}`)
  expect((stored.body as { data: unknown }).data).toMatchObject(data)
  await engine.close()
})

test('FF-63: the check names the handle that is missing, a run keeps the recorded text', async () => {
  const { call, create, engine } = await createUserCalls()
  const data = torn()
  const [edge] = data['edges'] as { data: { targetHandle: object } }[]
  Object.assign(edge?.data.targetHandle ?? {}, { fieldName: 'nothing' })
  const id = await create(data)
  const { text } = await call('GET', `/api/v1/flows/${id}/problems`)
  const short = 'Edge between Chat Input and Chat Output has invalid handles'
  expect(text).toContain(`${short}: Chat Output has no input \\"nothing\\"`)
  const run = await call('POST', `/api/v1/run/${id}?stream=false`, { input_value: 'hello' })
  expect(run.text).toContain(short)
  expect(run.text).not.toContain('has no input')
  await engine.close()
})

test('FF-95: a file of a version that is not known yet runs, with a warning of the check', async () => {
  const { request, call, engine } = await createUserCalls()
  const flow = flowBuilder('newer')
  flow.add('ChatInput', { id: 'ChatInput-1' })
  const body = new FormData()
  const file = { ...flow.toJSON(), last_tested_version: '2.0.1' }
  body.set('file', new File([JSON.stringify(file)], 'flow.json'))
  const uploaded = await request('POST', '/api/v1/flows/upload/', { body })
  expect(uploaded.status).toBe(201)
  const { id = '' } = (uploaded.body as { id: string }[])[0] ?? {}
  expect((await call('POST', `/api/v1/run/${id}`, { input_value: 'hello' })).status).toBe(200)
  await engine.close()
})

test('FF-91: an input within the limit of bodies and over that of events is a 413', async () => {
  const { call, create, engine } = await createUserCalls()
  const flow = flowBuilder('large')
  flow.add('ChatInput', { id: 'ChatInput-1' })
  const id = await create(flow.toJSON().data)
  const input_value = 'x'.repeat(9 * 1024 * 1024)
  const { status, body } = await call('POST', `/api/v1/run/${id}?stream=false`, { input_value })
  expect([status, body]).toEqual([413, { detail: 'input_value is larger than 8 MB.' }])
  await engine.close()
})
