import assert from 'node:assert/strict'
import type { CountedKind } from '../store/counts.ts'
import type { FlowStore } from '../store/flow-store.ts'
import {
  apiKey,
  component,
  flow,
  idOf,
  message,
  project,
  timeOf,
  user,
  userFile,
  variable,
} from './records.ts'
import type { Subject } from '@x/flow-engine/internal/node'

const [ada, bob] = [idOf(1, 1), idOf(1, 2)]

/** Stores the n-th row of a kind for a user. */
function insertOf(store: FlowStore): Record<CountedKind, (n: number, userId: string) => unknown> {
  const times = { createdAt: timeOf(1), updatedAt: timeOf(1) }
  return {
    apiKeys: (n, userId) => store.apiKeys.insert(apiKey(n, { userId })),
    variables: (n, userId) => store.variables.insert(variable(n, { userId })),
    projects: (n, userId) => store.projects.insert(project(n, { userId })),
    flows: (n, userId) => store.flows.insert([flow(n, { userId, folderId: null })]),
    userFiles: (n, userId) =>
      store.userFiles.insert(userFile(n, { userId, path: `${userId}/${n}` })),
    messages: (n, userId) => store.messages.insert(message(n, { userId })),
    components: (n, ownerId) => store.components.insert(component(n, { ownerId }), []),
    mcpServers: (n, userId) =>
      store.mcpServers.insert({ userId, name: `s${n}`, config: 'v1.a', ...times }),
  }
}

/** Specs of per-user counts. */
export function describeCounts({ it, store }: Subject<FlowStore>): void {
  it('counts: rows of one user and one kind, up to the most that is asked for', async () => {
    await store().users.insert(user(1))
    await store().users.insert(user(2))
    const { counts } = store()
    for (const [name, insert] of Object.entries(insertOf(store()))) {
      const kind = name as CountedKind
      for (const n of [1, 2, 3]) await insert(n, ada)
      await insert(4, bob)
      const found = [await counts.of(ada, kind, 10), await counts.of(ada, kind, 2)]
      assert.deepEqual([kind, ...found, await counts.of(bob, kind, 10)], [kind, 3, 2, 1])
      assert.equal(await counts.of(idOf(1, 9), kind, 10), 0)
    }
  })

  it('OP-18 counts: bytes of the files of one user, where the store tells them', async () => {
    await store().users.insert(user(1))
    await store().users.insert(user(2))
    const { counts, userFiles } = store()
    for (const n of [1, 2])
      await userFiles.insert(userFile(n, { userId: ada, path: `${ada}/${n}`, size: n * 1e9 }))
    await userFiles.insert(userFile(3, { userId: bob, path: `${bob}/3`, size: 5 }))
    const of = async (userId: string) => (await counts.fileBytes?.(userId)) ?? null
    const found = [await of(ada), await of(bob), await of(idOf(1, 9))]
    assert.ok(found.every((one) => one === null) || found.join() === '3000000000,5,0')
  })
}
