import { expect, test } from 'vitest'
import { callerOf } from '../../src/services/base/caller.ts'
import type { FlowService } from '../../src/service.ts'
import type { FlowStore } from '@x/flow-service/store'
import { resolveSettings } from '../../src/settings.ts'
import { flowBuilder } from '@x/flow-engine/testing'
import { createTestEngine } from '@x/test-kit'

function graph(text: string): object {
  const flow = flowBuilder()
  const say = flow.add('TextInput', { values: { input_value: text } })
  const out = flow.add('ChatOutput')
  return flow.connect(`${say}.text`, `${out}.input_value`).toJSON().data as object
}

async function prepared(): Promise<{
  engine: FlowService
  store: FlowStore
  caller: ReturnType<typeof callerOf>
  flowId: string
}> {
  const engine = await createTestEngine({ settings: { maxFlowVersions: 3 } })
  const user = await engine.options.store.users.get(engine.adminId)
  if (user === null) throw new Error('There is no admin')
  const caller = callerOf(user, 'host')
  const [flow] = await engine.services.flows.create(caller, [
    {
      name: 'Versions',
      data: JSON.stringify(graph('first')),
      description: null,
      icon: null,
      iconBgColor: null,
      gradient: null,
      isComponent: false,
      webhook: false,
      endpointName: null,
      tags: null,
      locked: false,
      mcpEnabled: false,
      actionName: null,
      actionDescription: null,
      accessType: 'PRIVATE',
      folderId: null,
      fsPath: null,
    },
  ])
  return { engine, store: engine.options.store, caller, flowId: flow?.id ?? '' }
}

test('DR-61: versions are created, listed, read, activated and removed in process by the same rules', async () => {
  const { engine, caller, flowId } = await prepared()
  const { versions, flows } = engine.services
  const one = await versions.create(caller, flowId, { description: 'the first' })
  await flows.update(caller, flowId, { data: JSON.stringify(graph('second')) })
  const active = await versions.activate(caller, flowId, one.id)
  expect(JSON.parse(active.data ?? '')).toEqual(graph('first'))
  const listed = await versions.list(caller, flowId)
  expect(listed.map(({ number, description, data }) => [number, description, data])).toEqual([
    [2, 'Auto-saved before activating v1', null],
    [1, 'the first', null],
  ])
  expect(JSON.parse((await versions.get(caller, flowId, one.id)).data ?? '')).toEqual(
    graph('first'),
  )
  await versions.remove(caller, flowId, one.id)
  const missing = { status: 404, detail: 'Version entry not found' }
  await expect(versions.get(caller, flowId, one.id)).rejects.toMatchObject(missing)
  await expect(versions.remove(caller, flowId, one.id)).rejects.toMatchObject(missing)
  const stranger = { ...caller, id: '00000000-0000-4000-8000-000000000001' }
  const noFlow = { status: 404, detail: 'Flow not found' }
  await expect(versions.create(stranger, flowId)).rejects.toMatchObject(noFlow)
  await expect(versions.list(stranger, flowId)).rejects.toMatchObject(noFlow)
  await expect(
    versions.create(caller, flowId, { description: 'x'.repeat(501) }),
  ).rejects.toMatchObject({ status: 422 })
})

test('DR-61: a failed change keeps neither the graph nor the draft', async () => {
  const { engine, store, caller, flowId } = await prepared()
  const { versions, flows } = engine.services
  const one = await versions.create(caller, flowId)
  const transaction = store.transaction.bind(store)
  const update = (): Promise<never> => Promise.reject(new Error('disk full'))
  Object.assign(store, {
    transaction: <T>(work: (tx: FlowStore) => Promise<T>) =>
      transaction((tx) => work({ ...tx, flows: { ...tx.flows, update } })),
  })
  await expect(versions.activate(caller, flowId, one.id)).rejects.toThrow('disk full')
  Object.assign(store, { transaction })
  expect((await versions.list(caller, flowId)).map(({ number }) => number)).toEqual([1])
  expect((await flows.get(caller, flowId)).data).toEqual(JSON.stringify(graph('first')))
})

test('DR-63: the record of a job has the version it runs, also after its end', async () => {
  const { engine, caller, flowId } = await prepared()
  const { versions, builds } = engine.services
  await versions.create(caller, flowId)
  const started = await builds.start(caller, flowId, {
    inputs: { value: null, session: null, clientRequestTime: null },
    graph: null,
    files: [],
    stopComponentId: null,
    startComponentId: null,
    logBuilds: true,
    flowName: null,
    version: 'v1',
  })
  expect(started.flowVersion).toBe(1)
  expect((await engine.jobs.result(started.id)).status).toBe('succeeded')
  expect((await engine.jobs.get(started.id))?.flowVersion).toBe(1)
})

test('DR-60: the number of kept versions is an integer from 1 to 1,000', () => {
  for (const maxFlowVersions of [0, 1001, 1.5, Number.NaN])
    expect(() => resolveSettings({ maxFlowVersions })).toThrow(
      'maxFlowVersions must be an integer from 1 to 1,000',
    )
})
