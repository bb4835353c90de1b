import { append, oddText } from '@x/wire'
import assert from 'node:assert/strict'
import type { FlowQuery, FlowRecord } from '../store/flows.ts'
import type { FlowStore } from '../store/flow-store.ts'
import {
  flow,
  idOf,
  message,
  oddJson,
  project,
  timeOf,
  transactionOf,
  user,
  vertexBuild,
} from './records.ts'
import { conflicts, type Subject } from '@x/flow-engine/internal/node'

const [ada, bob] = [idOf(1, 1), idOf(1, 2)]

async function prepared(store: FlowStore): Promise<FlowStore> {
  await store.users.insert(user(1))
  await store.users.insert(user(2))
  for (const n of [1, 2]) await store.projects.insert(project(n))
  return store
}

/** Specs of flows. */
export function describeFlows({ it, store }: Subject<FlowStore>): void {
  it('flows: what was inserted comes back equal, the graph letter by letter', async () => {
    const { flows } = await prepared(store())
    const record = flow(1, {
      name: oddText,
      description: oddText,
      folderId: idOf(4, 1),
      icon: '\u{1F680}',
      iconBgColor: '#ffffff',
      gradient: '3',
      data: `{ "nodes": [1.0, 12345678901234567890], "z":${JSON.stringify(oddJson)}, "10":1, "a\\u0000":2 }`,
      isComponent: true,
      webhook: true,
      endpointName: 'e-1',
      webhookName: 'e-1',
      tags: ['a', oddText],
      locked: true,
      mcpEnabled: true,
      actionName: 'x',
      actionDescription: '',
      accessType: 'PUBLIC',
      fsPath: 'a/b.json',
      updatedAt: timeOf(8),
    })
    await flows.insert([record])
    assert.deepEqual(await flows.get(record.id), record)
    assert.equal(await flows.get(idOf(5, 9)), null)
  })

  it('flows: names and endpoint names are unique for each user; a batch is all or nothing', async () => {
    const { flows } = await prepared(store())
    await flows.insert([flow(1, { endpointName: 'e' }), flow(2), flow(3)])
    await flows.insert([flow(4, { userId: bob, name: 'flow-1', endpointName: 'e' })])
    await conflicts('flow.name', () => flows.insert([flow(5), flow(6, { name: 'flow-1' })]))
    await conflicts('flow.name', () => flows.insert([flow(5), flow(6, { name: 'flow-5' })]))
    await conflicts('flow.endpointName', () => flows.insert([flow(5, { endpointName: 'e' })]))
    assert.equal(await flows.get(idOf(5, 5)), null)
    await conflicts('flow.name', () =>
      flows.update(ada, idOf(5, 2), { name: 'flow-1', endpointName: 'e' }),
    )
    await conflicts('flow.endpointName', () => flows.update(ada, idOf(5, 2), { endpointName: 'e' }))
    assert.deepEqual(await flows.get(idOf(5, 2)), flow(2))
  })

  it('flows: an update needs the owner and changes the given fields only', async () => {
    const { flows } = await prepared(store())
    await flows.insert([flow(1, { endpointName: 'e', tags: ['a'] })])
    assert.equal(await flows.update(bob, idOf(5, 1), { name: 'x' }), null)
    const expected = flow(1, { endpointName: null, tags: ['a'], data: null, accessType: 'PUBLIC' })
    assert.deepEqual(
      await flows.update(ada, idOf(5, 1), {
        endpointName: null,
        data: null,
        accessType: 'PUBLIC',
      }),
      expected,
    )
    assert.deepEqual(await flows.get(idOf(5, 1)), expected)
  })

  it('flows: the endpoint name finds the first inserted, or that of a user', async () => {
    const { flows } = await prepared(store())
    await flows.insert([flow(2, { userId: bob, endpointName: 'e' })])
    await flows.insert([flow(1, { endpointName: 'e' })])
    assert.equal((await flows.findByEndpointName('e'))?.id, idOf(5, 2))
    assert.equal((await flows.findByEndpointName('e', ada))?.id, idOf(5, 1))
    assert.equal(await flows.findByEndpointName('E'), null)
  })

  it('flows: records of flow ids that no flow has are removed, others stay', async () => {
    const { flows, messages } = await prepared(store())
    await flows.insert([flow(1)])
    await messages.insert(message(1, { flowId: idOf(5, 1) }))
    await messages.insert(message(2, { flowId: idOf(5, 2) }))
    await messages.insert(message(3, { flowId: idOf(5, 3) }))
    await flows.removeRecords([idOf(5, 1), idOf(5, 2)])
    const left = await messages.list({})
    assert.deepEqual(
      left.map(({ flowId }) => flowId),
      [idOf(5, 1), idOf(5, 3)],
    )
  })

  it('flows: a webhook name is unique over all users, and free again with its flow', async () => {
    const { flows } = await prepared(store())
    const hook = { endpointName: 'e', webhookName: 'e' }
    await flows.insert([flow(1, hook), flow(2, { userId: bob, endpointName: 'e' })])
    await conflicts('flow.webhookName', () =>
      flows.insert([flow(3, { userId: bob, endpointName: 'f', webhookName: 'e' })]),
    )
    await conflicts('flow.webhookName', () => flows.update(bob, idOf(5, 2), { webhookName: 'e' }))
    assert.equal((await flows.findByWebhookName('e'))?.id, idOf(5, 1))
    assert.equal(await flows.findByWebhookName('E'), null)
    assert.deepEqual(await flows.webhookNames(''), ['e'])
    await flows.remove(ada, [idOf(5, 1)])
    assert.equal(await flows.findByWebhookName('e'), null)
    assert.equal((await flows.update(bob, idOf(5, 2), { webhookName: 'e' }))?.webhookName, 'e')
    assert.deepEqual(await flows.webhookNames('x'), [])
  })

  it('flows: names by prefix, where no character is special and letter case counts', async () => {
    const { flows } = await prepared(store())
    const names = ['Doc', 'Doc (1)', 'doc (2)', 'D%', 'D_c']
    await flows.insert(names.map((name, n) => flow(n, { name, endpointName: `E-${n}` })))
    await flows.insert([flow(50, { userId: bob, name: 'Doc (9)', endpointName: 'E-9' })])
    assert.deepEqual(await flows.names(ada, 'Doc'), ['Doc', 'Doc (1)'])
    assert.deepEqual(await flows.names(ada, 'D_'), ['D_c'])
    assert.deepEqual(await flows.endpointNames(ada, 'E-'), ['E-0', 'E-1', 'E-2', 'E-3', 'E-4'])
    assert.deepEqual(await flows.endpointNames(ada, 'e-'), [])
  })

  it('flows: moves to a project, only those of the user, and keeps their time', async () => {
    const { flows } = await prepared(store())
    await flows.insert([flow(1), flow(2, { userId: bob })])
    await flows.move(ada, [idOf(5, 1), idOf(5, 2), idOf(5, 9)], idOf(4, 2))
    assert.deepEqual(await flows.get(idOf(5, 1)), flow(1, { folderId: idOf(4, 2) }))
    assert.deepEqual(await flows.get(idOf(5, 2)), flow(2, { userId: bob }))
  })

  it('flows: removing takes messages, builds and transactions along', async () => {
    const { flows, messages, vertexBuilds, transactions } = await prepared(store())
    await flows.insert([flow(2), flow(1), flow(3, { userId: bob })])
    for (const n of [1, 2]) {
      await messages.insert(message(n, { flowId: idOf(5, n) }))
      await vertexBuilds.append([vertexBuild(n, { flowId: idOf(5, n) })], {
        perVertex: 9,
        perOwner: 9,
      })
      await transactions.append([transactionOf(n, { flowId: idOf(5, n) })], 9)
    }
    const ids = [idOf(5, 1), idOf(5, 9), idOf(5, 3), idOf(5, 1)]
    assert.deepEqual(await flows.remove(ada, ids), [idOf(5, 1)])
    assert.deepEqual(await flows.remove(ada, []), [])
    assert.equal(await flows.get(idOf(5, 1)), null)
    assert.equal(await messages.get(idOf(7, 1)), null)
    assert.deepEqual(await vertexBuilds.latest(idOf(5, 1)), [])
    assert.equal((await transactions.list(idOf(5, 1), {})).total, 0)
    assert.equal((await messages.list({ userId: ada })).length, 1)
    assert.equal((await flows.get(idOf(5, 3)))?.userId, bob)
  })
}

/** Specs of listing flows. */
export function describeFlowLists({ it, store }: Subject<FlowStore>): void {
  const names = async (query: Partial<FlowQuery>): Promise<string[]> => {
    const all = { userId: ada, order: 'created', data: 'none', ...query } as const
    return (await store().flows.list(all)).items.map((row) => row.name)
  }

  it('flows: listed by insertion, also those of one moment, or by time of change', async () => {
    const { flows } = await prepared(store())
    const at = { createdAt: timeOf(1), updatedAt: timeOf(5) }
    await flows.insert([flow(3, at), flow(1, at), flow(2, { ...at, updatedAt: timeOf(9) })])
    await flows.insert([flow(4, { userId: bob })])
    assert.deepEqual(await names({}), ['flow-3', 'flow-1', 'flow-2'])
    assert.deepEqual(await names({ order: 'updated' }), ['flow-2', 'flow-1', 'flow-3'])
    assert.deepEqual(await names({ offset: 1, limit: 1 }), ['flow-1'])
    assert.deepEqual(await names({ offset: 9, limit: 1 }), [])
    const page = await flows.list({ userId: ada, order: 'created', data: 'none', limit: 1 })
    assert.equal(page.total, 3)
  })

  it('flows: filters by project, ids, kind and part of the name', async () => {
    const { flows } = await prepared(store())
    await flows.insert([
      flow(1, { name: '100% Sure', folderId: idOf(4, 1) }),
      flow(2, { name: '100 sure', isComponent: true, folderId: idOf(4, 1) }),
      flow(3, { name: 'ÄRGER' }),
    ])
    assert.deepEqual(await names({ folderId: idOf(4, 1) }), ['100% Sure', '100 sure'])
    assert.deepEqual(await names({ folderId: idOf(4, 1), isComponent: false }), ['100% Sure'])
    assert.deepEqual(await names({ isComponent: true }), ['100 sure'])
    assert.deepEqual(await names({ search: 'SURE' }), ['100% Sure', '100 sure'])
    assert.deepEqual(await names({ search: '0%' }), ['100% Sure'])
    assert.deepEqual(await names({ search: '_' }), [])
    assert.deepEqual(await names({ search: 'rge' }), ['ÄRGER'])
    assert.deepEqual(await names({ ids: [idOf(5, 3), idOf(5, 1), idOf(5, 9), idOf(5, 3)] }), [
      '100% Sure',
      'ÄRGER',
    ])
    assert.deepEqual(await names({ ids: [] }), [])
  })

  it('flows: parts have the items of the list, large ones alone', async () => {
    const { flows } = await prepared(store())
    if (flows.parts === undefined) return
    const long = `"${'é'.repeat(600_000)}"`
    await flows.insert(
      [1, 2, 3, 4, 5, 6].map((n) =>
        flow(n, {
          data: n % 3 === 0 ? null : n % 2 === 0 ? long : '{}',
          description: oddText,
          isComponent: n % 2 === 0,
          folderId: n < 5 ? idOf(4, 1) : null,
          updatedAt: timeOf(n % 3),
        }),
      ),
    )
    await flows.insert([flow(7, { userId: bob })])
    const all = { userId: ada, order: 'created', data: 'all' } as const
    const queries: FlowQuery[] = [
      all,
      { ...all, order: 'updated' },
      { ...all, data: 'components' },
      { ...all, data: 'none', isComponent: true },
      { ...all, folderId: idOf(4, 1), offset: 1, limit: 2 },
      { ...all, order: 'updated', limit: 3 },
      { ...all, ids: [idOf(5, 4), idOf(5, 2), idOf(5, 7)] },
      { ...all, ids: [] },
    ]
    for (const query of queries) {
      const read: FlowRecord[] = []
      for await (const part of flows.parts(query)) {
        assert.equal(part.filter(({ data }) => data === long).length <= 1, true)
        append(read, part)
      }
      assert.deepEqual(read, (await flows.list(query)).items)
    }
    assert.deepEqual(await flows.list({ ...all, data: 'none', limit: 0 }), { items: [], total: 6 })
  })

  it('flows: reads the graph only where asked', async () => {
    const { flows } = await prepared(store())
    await flows.insert([flow(1), flow(2, { isComponent: true })])
    const graphs = async (data: FlowQuery['data']): Promise<boolean[]> =>
      (await flows.list({ userId: ada, order: 'created', data })).items.map((r) => r.data !== null)
    assert.deepEqual(await graphs('all'), [true, true])
    assert.deepEqual(await graphs('components'), [false, true])
    assert.deepEqual(await graphs('none'), [false, false])
  })
}
