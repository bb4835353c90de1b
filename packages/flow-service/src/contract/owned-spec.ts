import assert from 'node:assert/strict'
import type { FlowStore } from '../store/flow-store.ts'
import {
  apiKey,
  flow,
  idOf,
  oddJson,
  project,
  timeOf,
  user,
  userFile,
  variable,
} from './records.ts'
import { oddText } from '@x/wire'
import { conflicts, type Subject } from '@x/flow-engine/internal/node'

const [ada, bob] = [idOf(1, 1), idOf(1, 2)]

const use = (uses: number, n: number) => ({ id: idOf(2, 1), uses, lastUsedAt: timeOf(n) })

const server = (userId: string, name: string) => ({
  userId,
  name,
  config: 'v1.a',
  createdAt: timeOf(1),
  updatedAt: timeOf(1),
})

async function twoUsers(store: FlowStore): Promise<FlowStore> {
  await store.users.insert(user(1))
  await store.users.insert(user(2))
  return store
}

/** Specs of API keys. */
export function describeApiKeys({ it, store }: Subject<FlowStore>): void {
  it('apiKeys: found by hash, listed by insertion, of one user', async () => {
    const { apiKeys } = await twoUsers(store())
    const records = [
      apiKey(3, { name: oddText, createdAt: timeOf(9), lastUsedAt: timeOf(1) }),
      apiKey(1),
      apiKey(2, { isActive: false, totalUses: 4 }),
    ]
    for (const record of records) await apiKeys.insert(record)
    await apiKeys.insert(apiKey(4, { userId: bob, agentId: 'agent' }))
    assert.equal((await apiKeys.findByHash(apiKey(4).hash))?.agentId, 'agent')
    assert.deepEqual(await apiKeys.list(ada), records)
    assert.deepEqual(await apiKeys.findByHash(apiKey(2).hash), records[2])
    assert.equal(await apiKeys.findByHash('f'.repeat(64)), null)
    await conflicts('apiKey.hash', () => apiKeys.insert(apiKey(9, { hash: apiKey(1).hash })))
    await conflicts('apiKey.id', () => apiKeys.insert(apiKey(1, { hash: 'e'.repeat(64) })))
  })

  it('apiKeys: uses are added, also those of one moment, and never go back in time', async () => {
    const { apiKeys } = await twoUsers(store())
    await apiKeys.insert(apiKey(1))
    await Promise.all([apiKeys.addUses([use(2, 8)]), apiKeys.addUses([use(3, 5)])])
    await apiKeys.addUses([{ ...use(1, 9), id: idOf(2, 7) }])
    assert.deepEqual(await apiKeys.list(ada), [apiKey(1, { totalUses: 5, lastUsedAt: timeOf(8) })])
  })

  it('apiKeys: only the owner removes one, and once', async () => {
    const { apiKeys } = await twoUsers(store())
    await apiKeys.insert(apiKey(1))
    assert.equal(await apiKeys.remove(bob, idOf(2, 1)), false)
    assert.equal(await apiKeys.remove(ada, idOf(2, 1)), true)
    assert.equal(await apiKeys.remove(ada, idOf(2, 1)), false)
    assert.equal(await apiKeys.findByHash(apiKey(1).hash), null)
  })
}

/** Specs of variables. */
export function describeVariables({ it, store }: Subject<FlowStore>): void {
  it('variables: round trip, by id and by name, of one user', async () => {
    const { variables } = await twoUsers(store())
    const odd = variable(2, { name: oddText, type: 'x', defaultFields: ['b', 'a', 'b', oddText] })
    await variables.insert(odd)
    await variables.insert(variable(1, { defaultFields: null }))
    await variables.insert(variable(3, { userId: bob, name: oddText }))
    assert.deepEqual(await variables.list(ada), [odd, variable(1, { defaultFields: null })])
    assert.deepEqual(await variables.findByName(ada, oddText), odd)
    assert.deepEqual(await variables.get(ada, odd.id), odd)
    assert.equal(await variables.get(bob, odd.id), null)
    assert.equal(await variables.findByName(ada, 'VARIABLE-1'), null)
  })

  it('variables: names are unique for each user; updates and removals need the owner', async () => {
    const { variables } = await twoUsers(store())
    await variables.insert(variable(1))
    await variables.insert(variable(2))
    await conflicts('variable.name', () => variables.insert(variable(3, { name: 'variable-1' })))
    await conflicts('variable.name', () =>
      variables.update(ada, idOf(3, 2), { name: 'variable-1' }),
    )
    assert.equal(await variables.update(bob, idOf(3, 1), { value: 'x' }), null)
    const changed = variable(1, { value: 'y', defaultFields: null, updatedAt: timeOf(9) })
    assert.deepEqual(
      await variables.update(ada, idOf(3, 1), {
        value: 'y',
        defaultFields: null,
        updatedAt: timeOf(9),
      }),
      changed,
    )
    assert.equal(await variables.remove(bob, idOf(3, 1)), false)
    assert.equal(await variables.remove(ada, idOf(3, 1)), true)
    assert.deepEqual(await variables.list(ada), [variable(2)])
  })
}

/** Specs of projects. */
export function describeProjects({ it, store }: Subject<FlowStore>): void {
  it('projects: round trip, by id and by name, of one user', async () => {
    const { projects } = await twoUsers(store())
    const odd = project(2, { name: oddText, description: oddText, authSettings: oddJson })
    await projects.insert(odd)
    await projects.insert(project(1, { parentId: odd.id }))
    await projects.insert(project(3, { userId: bob, name: oddText }))
    assert.deepEqual(await projects.list(ada), [odd, project(1, { parentId: odd.id })])
    assert.deepEqual(await projects.findByName(ada, oddText), odd)
    assert.equal(await projects.get(bob, odd.id), null)
    assert.deepEqual(await projects.find(odd.id), odd)
    assert.equal(await projects.find(idOf(2, 99)), null)
  })

  it('projects: names by prefix, where no character is special and letter case counts', async () => {
    const { projects } = await twoUsers(store())
    const names = ['Work', 'Work (7)', 'work (8)', 'W_rk', 'Work (x', '%', '%1']
    for (const [n, name] of names.entries()) await projects.insert(project(n, { name }))
    await projects.insert(project(50, { userId: bob, name: 'Work (9)' }))
    assert.deepEqual(await projects.names(ada, 'Work ('), ['Work (7)', 'Work (x'])
    assert.deepEqual(await projects.names(ada, '%'), ['%', '%1'])
    assert.deepEqual(await projects.names(ada, 'W_'), ['W_rk'])
  })

  it('projects: update and conflict', async () => {
    const { projects } = await twoUsers(store())
    await projects.insert(project(1))
    await projects.insert(project(2))
    await conflicts('project.name', () => projects.insert(project(3, { name: 'project-1' })))
    await conflicts('project.name', () => projects.update(ada, idOf(4, 2), { name: 'project-1' }))
    assert.equal(await projects.update(bob, idOf(4, 1), { name: 'x' }), null)
    assert.deepEqual(
      await projects.update(ada, idOf(4, 1), { name: 'x', authSettings: {} }),
      project(1, { name: 'x', authSettings: {} }),
    )
  })

  it('projects: a removed one lets go of children and flows', async () => {
    const { projects, flows } = await twoUsers(store())
    await projects.insert(project(1))
    await projects.insert(project(2, { parentId: idOf(4, 1) }))
    await flows.insert([flow(1, { folderId: idOf(4, 1) })])
    assert.equal(await projects.remove(bob, idOf(4, 1)), false)
    assert.equal(await projects.remove(ada, idOf(4, 1)), true)
    assert.equal(await projects.remove(ada, idOf(4, 1)), false)
    assert.deepEqual(await projects.list(ada), [project(2)])
    assert.deepEqual(await flows.get(idOf(5, 1)), flow(1))
  })
}

/** Specs of file records. */
export function describeUserFiles({ it, store }: Subject<FlowStore>): void {
  it('userFiles: round trip and conflicts', async () => {
    const { userFiles } = await twoUsers(store())
    const odd = userFile(2, {
      name: oddText,
      path: `${ada}/${oddText}`,
      provider: 'own',
      size: 2 ** 40,
    })
    await userFiles.insert(odd)
    await userFiles.insert(userFile(1))
    assert.deepEqual(await userFiles.list(ada), [odd, userFile(1)])
    assert.deepEqual(await userFiles.findByName(ada, oddText), odd)
    assert.equal(await userFiles.get(bob, odd.id), null)
    assert.deepEqual(await userFiles.findByPath(ada, odd.path), odd)
    assert.equal(await userFiles.findByPath(bob, odd.path), null)
    assert.deepEqual(await userFiles.names(ada, 'file'), ['file-1'])
    assert.deepEqual(await userFiles.names(ada, 'file_'), [])
    assert.deepEqual(await userFiles.names(bob, ''), [])
    await conflicts('userFile.name', () =>
      userFiles.insert(userFile(3, { name: 'file-1', path: 'p' })),
    )
    await conflicts('userFile.path', () => userFiles.insert(userFile(3, { path: odd.path })))
    await conflicts('userFile.name', () => userFiles.update(ada, odd.id, { name: 'file-1' }))
    await userFiles.insert(userFile(4, { userId: bob, name: 'file-1', path: `${bob}/x` }))
  })

  it('userFiles: update, and removal of several at once', async () => {
    const { userFiles } = await twoUsers(store())
    for (const n of [1, 2, 3]) await userFiles.insert(userFile(n))
    assert.deepEqual(
      await userFiles.update(ada, idOf(6, 1), { size: 9, updatedAt: timeOf(9) }),
      userFile(1, { size: 9, updatedAt: timeOf(9) }),
    )
    assert.equal(await userFiles.update(bob, idOf(6, 1), { size: 1 }), null)
    assert.deepEqual(await userFiles.remove(bob, [idOf(6, 3)]), [])
    assert.deepEqual(
      await userFiles.remove(ada, [idOf(6, 3), idOf(6, 99), idOf(6, 2), idOf(6, 3)]),
      [userFile(2), userFile(3)],
    )
    assert.deepEqual(await userFiles.remove(ada, []), [])
  })
}

/** Specs of tool servers. */
export function describeMcpServers({ it, store }: Subject<FlowStore>): void {
  it('mcpServers: insert, replace, remove, for each user', async () => {
    const { mcpServers } = await twoUsers(store())
    await mcpServers.insert(server(ada, 'b'))
    await mcpServers.insert(server(ada, 'a'))
    await mcpServers.insert(server(bob, 'a'))
    await conflicts('mcpServer.name', () => mcpServers.insert(server(ada, 'a')))
    assert.deepEqual(await mcpServers.list(ada), [server(ada, 'b'), server(ada, 'a')])
    const patch = { config: 'v1.b', updatedAt: timeOf(2) }
    assert.equal(await mcpServers.update(ada, 'a', patch), true)
    assert.equal(await mcpServers.update(ada, 'A', patch), false)
    assert.deepEqual(await mcpServers.get(ada, 'a'), { ...server(ada, 'a'), ...patch })
    assert.deepEqual(await mcpServers.get(bob, 'a'), server(bob, 'a'))
    assert.equal(await mcpServers.remove(ada, 'a'), true)
    assert.equal(await mcpServers.remove(ada, 'a'), false)
    assert.equal(await mcpServers.get(ada, 'a'), null)
  })
}
