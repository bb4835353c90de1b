import assert from 'node:assert/strict'
import type { SharedComponentQuery } from '../store/shared-components.ts'
import type { FlowStore } from '../store/flow-store.ts'
import { component, idOf, oddJson, timeOf, user } from './records.ts'
import { oddText } from '@x/wire'
import { conflicts, type Subject } from '@x/flow-engine/internal/node'

const [ada, bob] = [idOf(1, 1), idOf(1, 2)]
const [chat, agents] = [
  { id: idOf(13, 1), name: 'Chat' },
  { id: idOf(13, 2), name: 'agents' },
]

async function prepared(store: FlowStore): Promise<FlowStore> {
  await store.users.insert(user(1, { username: 'Ada' }))
  await store.users.insert(user(2, { username: 'bob' }))
  await store.tags.insert(chat)
  await store.tags.insert(agents)
  return store
}

const sort = (by: SharedComponentQuery['sort'][number]['by'], descending = false) => ({
  sort: [{ by, descending }],
})

/** Specs of shared components, tags and likes. */
export function describeComponents({ it, store }: Subject<FlowStore>): void {
  const list = (query: Partial<SharedComponentQuery>) =>
    store().components.list({ viewerId: ada, scope: 'visible', sort: [], ...query })
  const names = async (query: Partial<SharedComponentQuery>): Promise<string[]> =>
    (await list(query)).items.map((row) => row.name)

  it('components: round trip; one name for each owner', async () => {
    const { components } = await prepared(store())
    const odd = component(1, {
      name: oddText,
      description: oddText,
      data: '{ "b":1,"a":[] }',
      metadata: oddJson,
      isComponent: null,
      parent: idOf(10, 7),
      isPrivate: true,
    })
    await components.insert(odd, [chat.id])
    assert.deepEqual(await components.get(odd.id), odd)
    assert.equal(await components.get(idOf(10, 9)), null)
    await conflicts('component.name', () => components.insert(component(2, { name: oddText }), []))
    await components.insert(component(2, { name: oddText, ownerId: bob }), [])
    await conflicts('component.id', () => components.insert(component(1), []))
  })

  it('components: updates need the owner; tags are replaced or left', async () => {
    const { components } = await prepared(store())
    await components.insert(component(1), [chat.id])
    await components.insert(component(2), [])
    assert.equal(await components.update(bob, idOf(10, 1), { name: 'x' }), false)
    await conflicts('component.name', () =>
      components.update(ada, idOf(10, 1), { name: 'component-2', tagIds: [] }),
    )
    assert.equal(await components.update(ada, idOf(10, 1), { data: '[]', parent: null }), true)
    assert.deepEqual((await list({ id: idOf(10, 1) })).items[0]?.tags, [chat])
    await components.update(ada, idOf(10, 1), { tagIds: [agents.id, chat.id] })
    assert.deepEqual((await list({ id: idOf(10, 1) })).items[0]?.tags, [chat, agents])
    await components.update(ada, idOf(10, 1), { tagIds: [] })
    assert.deepEqual((await list({ id: idOf(10, 1) })).items[0]?.tags, [])
    await Promise.all([1, 2, 3].map(() => components.addDownload(idOf(10, 1))))
    assert.equal((await components.get(idOf(10, 1)))?.downloads, 3)
  })

  it('components: a view shows owner, tags and likes', async () => {
    const { components, likes } = await prepared(store())
    await components.insert(component(1, { ownerId: bob }), [agents.id, chat.id])
    await likes.add(ada, idOf(10, 1), timeOf(1))
    await likes.add(bob, idOf(10, 1), timeOf(1))
    const { data: _data, ...rest } = component(1, { ownerId: bob })
    const expected = { ...rest, ownerName: 'bob', tags: [chat, agents], likes: 2 }
    assert.deepEqual((await list({})).items, [{ ...expected, likedByViewer: true }])
    assert.deepEqual((await list({ viewerId: idOf(1, 9) })).items, [
      { ...expected, likedByViewer: false },
    ])
  })

  it('components: scopes and filters', async () => {
    const { components, likes } = await prepared(store())
    await components.insert(component(1, { name: 'Public', isComponent: true }), [chat.id])
    await components.insert(component(2, { name: 'Mine', isPrivate: true, isComponent: null }), [])
    await components.insert(component(3, { name: 'His', ownerId: bob, description: 'ÄBC 10%' }), [
      chat.id,
      agents.id,
    ])
    await components.insert(component(4, { name: 'Hidden', ownerId: bob, isPrivate: true }), [])
    await likes.add(ada, idOf(10, 3), timeOf(1))
    await likes.add(ada, idOf(10, 4), timeOf(1))
    assert.deepEqual(await names({}), ['His', 'Mine', 'Public'])
    assert.deepEqual(await names({ scope: 'public' }), ['His', 'Public'])
    assert.deepEqual(await names({ scope: 'own' }), ['Mine', 'Public'])
    assert.deepEqual(await names({ scope: 'own', isPrivate: true }), ['Mine'])
    assert.deepEqual(await names({ isComponent: true }), ['Public'])
    assert.deepEqual(await names({ isComponent: false }), ['His'])
    assert.deepEqual(await names({ id: idOf(10, 4) }), [])
    assert.deepEqual(await names({ liked: true }), ['His'])
    assert.deepEqual(await names({ tags: ['Chat'] }), ['His', 'Public'])
    assert.deepEqual(await names({ tags: ['Chat', 'agents'] }), ['His'])
    assert.deepEqual(await names({ tags: ['chat'] }), [])
    for (const search of ['PUB', 'ada', 'chat']) {
      assert.ok((await names({ search })).includes('Public'), search)
    }
    assert.deepEqual(await names({ search: 'äbc 10%' }), ['His'])
    assert.deepEqual(await names({ search: 'b_b' }), [])
  })

  it('components: sorted by several columns, ties newest first, in slices', async () => {
    const { components } = await prepared(store())
    await components.insert(component(1, { name: 'b', isComponent: null }), [])
    await components.insert(component(2, { name: 'A', isComponent: true, downloads: 2 }), [])
    await components.insert(component(3, { name: 'c', isComponent: false, ownerId: bob }), [])
    assert.deepEqual(await names(sort('name')), ['A', 'b', 'c'])
    assert.deepEqual(await names(sort('name', true)), ['c', 'b', 'A'])
    assert.deepEqual(await names(sort('isComponent')), ['b', 'c', 'A'])
    assert.deepEqual(await names(sort('downloads')), ['c', 'b', 'A'])
    assert.deepEqual(await names(sort('ownerName')), ['A', 'b', 'c'])
    assert.deepEqual(await names(sort('likes')), ['c', 'A', 'b'])
    assert.deepEqual(await names(sort('createdAt')), ['b', 'A', 'c'])
    const page = await list({ ...sort('name'), offset: 1, limit: 1 })
    assert.deepEqual(
      page.items.map((row) => row.name),
      ['b'],
    )
    assert.equal(page.total, 3)
    assert.deepEqual((await list({ limit: 0 })).items, [])
  })

  it('tags: unique by name; those of private components only are not listed', async () => {
    const { components, tags } = await prepared(store())
    await conflicts('tag.name', () => tags.insert({ id: idOf(13, 3), name: 'Chat' }))
    assert.deepEqual(await tags.get(chat.id), chat)
    assert.deepEqual(await tags.findByName('agents'), agents)
    assert.equal(await tags.findByName('AGENTS'), null)
    assert.deepEqual(await tags.listPublic(), [agents, chat])
    await components.insert(component(1, { isPrivate: true }), [chat.id])
    assert.deepEqual(await tags.listPublic(), [agents])
    await components.insert(component(2), [chat.id])
    assert.deepEqual(await tags.listPublic(), [agents, chat])
  })

  it('likes: at most one, also when given twice at once', async () => {
    const { components, likes } = await prepared(store())
    for (const n of [1, 2]) await components.insert(component(n, { ownerId: bob }), [])
    const both = await Promise.all([1, 2].map((n) => likes.add(ada, idOf(10, 1), timeOf(n))))
    assert.deepEqual(both.filter(Boolean), [true])
    await likes.add(ada, idOf(10, 2), timeOf(3))
    await likes.add(bob, idOf(10, 2), timeOf(3))
    assert.deepEqual(await likes.list(ada), [
      { componentId: idOf(10, 2), likes: 2 },
      { componentId: idOf(10, 1), likes: 1 },
    ])
    await components.update(bob, idOf(10, 2), { isPrivate: true })
    assert.deepEqual(await likes.list(ada), [{ componentId: idOf(10, 1), likes: 1 }])
    assert.equal((await likes.list(bob)).length, 1)
    assert.equal(await likes.remove(ada, idOf(10, 1)), true)
    assert.equal(await likes.remove(ada, idOf(10, 1)), false)
    assert.equal(await likes.count(idOf(10, 1)), 0)
  })
}
