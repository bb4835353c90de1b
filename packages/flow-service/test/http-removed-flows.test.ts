import { expect, test } from 'vitest'
import { createMemoryFlowStore } from '../src/memory/flow-store.ts'
import { builtinComponents } from '@x/flow-components'
import { createRegistry } from '@x/flow-engine'
import { flowBuilder } from '@x/flow-engine/testing'
import { gated } from '../../flow-engine/test/engine/gated.ts'
import { createUserCalls } from '@x/test-kit'

const echo = () => {
  const flow = flowBuilder('echo')
  flow.add('ChatInput')
  flow.add('ChatOutput')
  return flow.connect('ChatInput-00001.message', 'ChatOutput-00001.input_value').toJSON().data
}

test('buffered records are dropped when the flow is deleted after its run', async () => {
  const store = createMemoryFlowStore()
  const { engine, call, create } = await createUserCalls({ store })
  const id = await create(echo())
  expect((await call('POST', `/api/v1/run/${id}`, { input_value: 'hello' })).status).toBe(200)
  expect((await call('DELETE', `/api/v1/flows/${id}`)).status).toBe(200)
  await engine.close()
  expect((await store.transactions.list(id, {})).items).toEqual([])
  expect(await store.vertexBuilds.latest(id)).toEqual([])
  expect(await store.messages.list({ flowId: id })).toEqual([])
})

test('a batch of flows reads its projects once', async () => {
  const store = createMemoryFlowStore()
  const asked: string[] = []
  const counted: typeof store = {
    ...store,
    transaction: (work) =>
      store.transaction((tx) =>
        work({
          ...tx,
          projects: {
            ...tx.projects,
            get: (...args) => (asked.push('get'), tx.projects.get(...args)),
            list: (...args) => (asked.push('list'), tx.projects.list(...args)),
          },
        }),
      ),
  }
  const { call } = await createUserCalls({ store: counted })
  const { body } = await call('POST', '/api/v1/projects/', {
    name: 'Mine',
    description: '',
    flows_list: [],
    components_list: [],
  })
  const mine = (body as { id: string }).id
  asked.length = 0
  const flows = Array.from({ length: 50 }, (_, n) => ({
    name: `flow ${n}`,
    data: null,
    folder_id: n % 2 === 0 ? mine : crypto.randomUUID(),
  }))
  const made = await call('POST', '/api/v1/flows/batch/', { flows })
  expect(made.status).toBe(201)
  const folders = (made.body as { folder_id: string }[]).map(({ folder_id: id }) => id)
  expect(folders.filter((id) => id === mine)).toHaveLength(25)
  expect(new Set(folders).size).toBe(2)
  expect(asked.length).toBeLessThan(5)
})

test.each([
  ['its flow is removed', 'DELETE', (flow: string) => `/api/v1/flows/${flow}`],
  ['its user is blocked', 'PATCH', (_flow: string, user: string) => `/api/v1/users/${user}`],
  ['its user is removed', 'DELETE', (_flow: string, user: string) => `/api/v1/users/${user}`],
])('a run outside the queue ends when %s', async (_what, method, pathOf) => {
  const store = createMemoryFlowStore()
  const gate = gated()
  const components = createRegistry([gate.component])
  const { engine, call, create, record } = await createUserCalls({ store, components })
  const flow = flowBuilder('waiting')
  flow.add(gate.component, { id: 'Gated-1' })
  const id = await create(flow.toJSON().data)
  const running = call('POST', `/api/v1/run/${id}`, { output_type: 'any' })
  const building = call('POST', `/api/v1/build/${id}/vertices/Gated-1`, {})
  await gate.begun(2)
  const path = pathOf(id, record.id)
  const request = new Request(`http://host.example${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(method === 'PATCH' ? { body: '{"is_active":false}' } : {}),
  })
  const isOwn = path.includes('/flows/')
  const user = { userId: isOwn ? record.id : engine.adminId, isSuperuser: !isOwn }
  expect((await engine.handler(request, { user })).status).toBe(200)
  const detail = 'The flow was deleted, or its user was deleted or blocked'
  expect(await running).toMatchObject({ status: 400, body: { detail } })
  expect((await building).status).toBe(200)
  expect(gate.stopped).toHaveLength(2)
  await engine.close()
  const traces = await store.runTraces.list({ ownerId: record.id, offset: 0, limit: 9 })
  expect(traces.total).toBe(method === 'PATCH' ? 1 : 0)
})

test('RS-21 a chat completion whose flow is removed is answered as an unknown model, which clients do not retry', async () => {
  const gate = gated()
  const components = createRegistry([...builtinComponents, gate.component])
  const { engine, call, create } = await createUserCalls({ components })
  const flow = flowBuilder('chat')
  flow.add('ChatInput')
  flow.add(gate.component, { id: 'Gated-1' })
  flow.add('ChatOutput')
  flow.connect('ChatInput-00001.message', 'Gated-1.text')
  flow.connect('Gated-1.out', 'ChatOutput-00001.input_value')
  const id = await create(flow.toJSON().data)
  const messages = [{ role: 'user', content: 'hello' }]
  const asked = call('POST', '/api/openai/v1/chat/completions', { model: id, messages })
  await gate.begun(1)
  await call('DELETE', `/api/v1/flows/${id}`)
  expect(await asked).toMatchObject({ status: 404, body: { error: { code: 'model_not_found' } } })
  await engine.close()
})

test('the build of a vertex ends when its client leaves', async () => {
  const gate = gated()
  const { engine, create, request } = await createUserCalls({
    components: createRegistry([gate.component]),
  })
  const flow = flowBuilder('waiting')
  flow.add(gate.component, { id: 'Gated-1' })
  const id = await create(flow.toJSON().data)
  const client = new AbortController()
  const path = `/api/v1/build/${id}/vertices/Gated-1`
  const building = request('POST', path, { signal: client.signal })
  await gate.begun(1)
  client.abort()
  await building
  expect(gate.stopped).toHaveLength(1)
  await engine.close()
})
