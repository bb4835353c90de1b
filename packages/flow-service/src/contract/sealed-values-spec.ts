import assert from 'node:assert/strict'
import { oddText } from '@x/wire'
import type { Subject } from '@x/flow-engine/internal/node'
import type { FlowStore } from '../store/flow-store.ts'
import { SEALED_KINDS, type SealedValue, type SealedValueStore } from '../store/sealed-values.ts'
import { idOf, project, timeOf, user, variable } from './records.ts'

const ada = idOf(1, 1)
const userId = ada
const settings = { auth_type: 'apikey', api_key: 'v1.p' }

async function everything(sealed: SealedValueStore): Promise<SealedValue[]> {
  const found: SealedValue[] = []
  for (const kind of SEALED_KINDS)
    for (let after: string | null = null; ;) {
      const page: SealedValue[] = await sealed.list({ kind, after, limit: 1 })
      for (const value of page) found.push(value)
      if (page.length === 0) break
      after = page[0]?.key ?? null
    }
  return found
}

/** Specs of the encrypted values of all records; stores without `sealed` pass them. */
export function describeSealedValues({ it, store }: Subject<FlowStore>): void {
  it('sealed: values of all users are listed in pages, records without one are not', async () => {
    const { users, variables, mcpServers, projects, collections, sealed } = store()
    if (sealed === undefined) return
    await users.insert(user(1, { storeApiKey: 'v1.k' }))
    await users.insert(user(2))
    await variables.insert(variable(1, { name: oddText, value: 'v1.a' }))
    await variables.insert(variable(2, { userId: idOf(1, 2), name: 'b', value: 'v1.b' }))
    const times = { createdAt: timeOf(1), updatedAt: timeOf(1) }
    await mcpServers.insert({ userId, name: 's', config: 'v1.s', ...times })
    await projects.insert(project(1, { name: 'p', authSettings: settings }))
    await projects.insert(project(2, { name: 'none', authSettings: null }))
    const base = { userId, kind: 'knowledge', provider: null, model: null } as const
    await collections.insert({ ...base, id: idOf(9, 1), name: 'c', apiKey: 'v1.c', ...times })
    await collections.insert({ ...base, id: idOf(9, 2), name: 'd', apiKey: null, ...times })
    const found = (await everything(sealed)).map(({ kind, userId: owner, name, value }) => [
      kind,
      owner,
      name,
      kind === 'project' ? (JSON.parse(value) as unknown) : value,
    ])
    assert.deepEqual(found, [
      ['variable', ada, oddText, 'v1.a'],
      ['variable', idOf(1, 2), 'b', 'v1.b'],
      ['toolServer', ada, 's', 'v1.s'],
      ['project', ada, 'p', settings],
      ['collection', ada, 'c', 'v1.c'],
      ['storeKey', ada, 'user-1', 'v1.k'],
    ])
  })

  it('sealed: a value is exchanged only if it is still the one that was listed', async () => {
    const { users, variables, projects, sealed } = store()
    if (sealed === undefined) return
    await users.insert(user(1, { storeApiKey: 'v1.k' }))
    await variables.insert(variable(1, { value: 'v1.a' }))
    await projects.insert(project(1, { authSettings: settings }))
    const [first, ofProject, key] = await everything(sealed)
    assert.ok(first && ofProject && key)
    assert.equal(await sealed.exchange(first, 'v1.new'), true)
    assert.equal(await sealed.exchange(first, 'v1.again'), false)
    assert.equal((await variables.get(ada, variable(1).id))?.value, 'v1.new')
    const changed = { ...settings, api_key: 'v1.q' }
    assert.equal(await sealed.exchange(ofProject, JSON.stringify(changed)), true)
    assert.deepEqual((await projects.find(project(1).id))?.authSettings, changed)
    assert.equal(await sealed.exchange(key, 'v1.l'), true)
    assert.equal((await users.get(ada))?.storeApiKey, 'v1.l')
  })
}
