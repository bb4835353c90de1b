import assert from 'node:assert/strict'
import type { FlowStore } from '../store/flow-store.ts'
import {
  apiKey,
  component,
  flow,
  idOf,
  message,
  oddJson,
  project,
  timeOf,
  transactionOf,
  user,
  userFile,
  variable,
  vertexBuild,
} from './records.ts'
import { oddText } from '@x/wire'
import { conflicts, type Subject } from '@x/flow-engine/internal/node'

/** Specs of users and their data. */
export function describeUsers({ it, store }: Subject<FlowStore>): void {
  it('users: what was inserted comes back equal, as a copy', async () => {
    const record = user(1, {
      username: oddText,
      passwordHash: 'scrypt$1$2',
      profileImage: 'Space/046-rocket.svg',
      storeApiKey: 'v1.x',
      isSuperuser: true,
      optins: oddJson,
      lastLoginAt: timeOf(7),
    })
    await store().users.insert(record)
    const read = await store().users.get(record.id)
    assert.deepEqual(read, record)
    read?.createdAt.setTime(0)
    assert.deepEqual(await store().users.findByUsername(oddText), record)
  })

  it('users: absent is null, names are compared exactly', async () => {
    await store().users.insert(user(1, { username: 'Ada' }))
    assert.equal(await store().users.get(idOf(1, 2)), null)
    assert.equal(await store().users.findByUsername('ada'), null)
    assert.equal(await store().users.findByUsername('Ada '), null)
    assert.equal(await store().users.update(idOf(1, 2), { isActive: false }), null)
    assert.equal(await store().users.remove(idOf(1, 2)), false)
  })

  it('users: a taken name or id conflicts, on insert and on update, and changes nothing', async () => {
    await store().users.insert(user(1))
    await store().users.insert(user(2))
    await conflicts('user.username', () => store().users.insert(user(3, { username: 'user-1' })))
    await conflicts('user.id', () => store().users.insert(user(1, { username: 'other' })))
    await conflicts('user.username', () =>
      store().users.update(idOf(1, 2), { username: 'user-1', isActive: false }),
    )
    assert.deepEqual(await store().users.get(idOf(1, 2)), user(2))
    assert.deepEqual(
      await store().users.update(idOf(1, 1), { username: 'user-1', isActive: false }),
      user(1, { isActive: false }),
    )
  })

  it('users: an update changes the given fields only, null is a value', async () => {
    await store().users.insert(user(1, { profileImage: 'a', optins: { a: 1 } }))
    const changed = await store().users.update(idOf(1, 1), {
      profileImage: null,
      optins: { b: 2 },
      lastLoginAt: timeOf(9),
    })
    const expected = user(1, { optins: { b: 2 }, lastLoginAt: timeOf(9) })
    assert.deepEqual(changed, expected)
    assert.deepEqual(await store().users.get(idOf(1, 1)), expected)
  })

  it('users: lists by creation, then id, in slices', async () => {
    for (const n of [3, 1, 2]) await store().users.insert(user(n, { createdAt: timeOf(n % 2) }))
    const ids = async (offset: number, limit: number | null): Promise<string[]> =>
      (await store().users.list({ offset, limit })).items.map((row) => row.id)
    assert.deepEqual(await ids(0, null), [idOf(1, 2), idOf(1, 1), idOf(1, 3)])
    assert.deepEqual(await ids(1, 1), [idOf(1, 1)])
    assert.deepEqual(await ids(5, 10), [])
    assert.deepEqual(await ids(0, 0), [])
    assert.equal((await store().users.list({ offset: 5, limit: 1 })).total, 3)
  })

  it('users: finds and counts superusers', async () => {
    assert.equal(await store().users.findSuperuser(), null)
    await store().users.insert(user(1))
    await store().users.insert(user(3, { isSuperuser: true, isActive: false }))
    await store().users.insert(user(2, { isSuperuser: true }))
    assert.equal((await store().users.findSuperuser())?.id, idOf(1, 3))
    assert.equal(await store().users.countActiveSuperusers(), 1)
  })

  it('users: removing a removed one removes what was added since', async () => {
    await insertEverything(store(), 1)
    await store().users.remove(idOf(1, 1))
    await store().apiKeys.insert(apiKey(1, { userId: idOf(1, 1) }))
    await store().flows.insert([flow(1, { userId: idOf(1, 1), folderId: null })])
    assert.equal(await store().users.remove(idOf(1, 1)), false)
    assert.deepEqual(await countRecords(store(), 1), {})
  })

  it('users: removing one removes everything of it and nothing of others', async () => {
    for (const n of [1, 2]) await insertEverything(store(), n)
    assert.equal(await store().users.remove(idOf(1, 1)), true)
    assert.deepEqual(await countRecords(store(), 1), {})
    assert.deepEqual(await countRecords(store(), 2), {
      user: 1,
      keys: 1,
      variables: 1,
      projects: 1,
      flows: 1,
      files: 1,
      messages: 1,
      builds: 1,
      transactions: 1,
      components: 1,
      likes: 1,
      servers: 1,
      families: 1,
      links: 1,
    })
    assert.equal(await store().likes.count(idOf(10, 2)), 1)
    assert.equal(await store().refreshFamilies.use(useOf(1)), null)
  })
}

function useOf(n: number) {
  return { familyId: idOf(11, n), tokenId: idOf(12, n), successorId: idOf(12, 99), at: timeOf(1) }
}

async function insertEverything(store: FlowStore, n: number): Promise<void> {
  const userId = idOf(1, n)
  await store.users.insert(user(n))
  await store.apiKeys.insert(apiKey(n, { userId }))
  await store.variables.insert(variable(n, { userId }))
  await store.projects.insert(project(n, { userId }))
  await store.flows.insert([flow(n, { userId, folderId: idOf(4, n) })])
  await store.userFiles.insert(userFile(n, { userId }))
  await store.messages.insert(message(n, { userId, flowId: idOf(5, n) }))
  await store.vertexBuilds.append([vertexBuild(n, { flowId: idOf(5, n) })], {
    perVertex: 2,
    perOwner: 10,
  })
  await store.transactions.append([transactionOf(n, { flowId: idOf(5, n) })], 10)
  await store.components.insert(component(n, { ownerId: userId }), [])
  for (const shared of n === 2 ? [1, 2] : [1]) {
    await store.likes.add(userId, idOf(10, shared), timeOf(n))
  }
  if (n === 2) await store.likes.add(idOf(1, 1), idOf(10, 2), timeOf(3))
  const times = { createdAt: timeOf(1), updatedAt: timeOf(1) }
  await store.mcpServers.insert({ userId, name: 'server', config: 'v1.x', ...times })
  await store.refreshFamilies.insert(
    { id: idOf(11, n), userId, createdAt: timeOf(1), expiresAt: timeOf(50) },
    idOf(12, n),
  )
  await store.oidcLinks.insert({ issuer: 'i', subject: `s${n}`, userId, createdAt: timeOf(1) })
}

/** Counts a user's records by resource; resources without records are omitted. */
async function countRecords(store: FlowStore, n: number): Promise<Record<string, number>> {
  const userId = idOf(1, n)
  const list = { userId, order: 'created', data: 'none' } as const
  const counts = {
    user: (await store.users.get(userId)) === null ? 0 : 1,
    keys: (await store.apiKeys.list(userId)).length,
    variables: (await store.variables.list(userId)).length,
    projects: (await store.projects.list(userId)).length,
    flows: (await store.flows.list(list)).total,
    files: (await store.userFiles.list(userId)).length,
    messages: (await store.messages.list({ userId })).length,
    builds: (await store.vertexBuilds.latest(idOf(5, n))).length,
    transactions: (await store.transactions.list(idOf(5, n), {})).total,
    components: (await store.components.get(idOf(10, n))) === null ? 0 : 1,
    likes: (await store.likes.list(userId)).length,
    servers: (await store.mcpServers.list(userId)).length,
    families: (await store.refreshFamilies.get(idOf(11, n))) === null ? 0 : 1,
    links: (await store.oidcLinks.find('i', `s${n}`)) === null ? 0 : 1,
  }
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))
}
