import { describe, expect, test } from 'vitest'
import { createScimService, type ScimService } from '@x/scim-core'
import { createMemoryScimStore } from '@x/scim-core/memory'
import { BASE, TOKEN } from './support.ts'

const TENANT = 'default'
/** Rounds of six acts each: a few for every day. */
const SIZES: readonly (readonly [rounds: number, options: { readonly tags: string[] }])[] = [
  [60, { tags: [] }],
  [2_000, { tags: ['long'] }],
]

interface Host {
  readonly service: ScimService
  /** Sessions of the host by user; a write that takes somebody out ends hers. */
  readonly sessions: Map<string, number>
  readonly signIn: (id: string) => Promise<boolean>
}

function createHost(deleteUser: 'deactivate' | 'tombstone' = 'deactivate'): Host {
  const sessions = new Map<string, number>()
  const store = createMemoryScimStore({
    onSessionsEnd({ userId }) {
      sessions.delete(userId)
    },
  })
  const service = createScimService({
    store,
    baseUrl: BASE,
    auth: { kind: 'token', token: TOKEN },
    deleteUser,
  })
  return {
    service,
    sessions,
    async signIn(id) {
      const { ok } = await service.acquireActiveUser(TENANT, { id }, async ({ user }) => {
        await Promise.resolve()
        sessions.set(user.id, (sessions.get(user.id) ?? 0) + 1)
      })
      return ok
    },
  }
}

const add = async ({ service }: Host, more: object = {}) =>
  (await service.users.create(TENANT, { userName: 'ada@corp.example', ...more })).id

describe('signing in beside the directory', () => {
  test('DP-46 an active person is found by each of the names', async () => {
    const host = createHost()
    const id = await add(host, { externalId: 'x1' })
    for (const who of [{ id }, { externalId: 'x1' }, { userName: 'ADA@corp.example' }]) {
      const found = await host.service.acquireActiveUser(TENANT, who, ({ user }) => user.userName)
      expect(found).toMatchObject({ ok: true, value: 'ada@corp.example', user: { id } })
    }
    const other = await host.service.acquireActiveUser('globex', { id }, () => 1)
    expect(other).toEqual({ ok: false, reason: 'unknown' })
  })

  test('DP-46 who is not active is told apart, and no work runs', async () => {
    const host = createHost('tombstone')
    const { service } = host
    const reason = async (who: Parameters<typeof service.acquireActiveUser>[1]) => {
      const found = await service.acquireActiveUser(TENANT, who, () => {
        throw new Error('never')
      })
      return found.ok ? 'ok' : found.reason
    }
    expect(await reason({ id: 'none' })).toBe('unknown')
    expect(await reason({ externalId: '' })).toBe('unknown')
    const out = await add(host, { active: false, externalId: 'x1' })
    expect(await reason({ id: out })).toBe('inactive')
    await add(host, { userName: 'bob@corp.example', externalId: 'x1' })
    expect(await reason({ externalId: 'x1' })).toBe('ambiguous')
    await service.users.delete(TENANT, out)
    expect(await reason({ id: out })).toBe('deleted')
    expect(await reason({ userName: 'ada@corp.example' })).toBe('unknown')
  })

  test('DP-46 anything else than one name is a TypeError', async () => {
    const { service } = createHost()
    for (const who of [
      {},
      { id: 'a', userName: 'b' },
      { email: 'ada@corp.example' },
      { id: 7 },
      { userName: undefined },
      null,
      'ada',
      ['id'],
    ])
      await expect(service.acquireActiveUser(TENANT, who as never, () => 1)).rejects.toThrow(
        TypeError,
      )
  })

  test('DP-46 what the work throws rolls everything back and is thrown on', async () => {
    const host = createHost()
    const id = await add(host)
    const broken = new Error('broken')
    await expect(
      host.service.acquireActiveUser(TENANT, { id }, () => {
        throw broken
      }),
    ).rejects.toBe(broken)
    await expect(
      host.service.acquireActiveUser(TENANT, { id }, () => host.service.users.get(TENANT, id)),
    ).rejects.toThrow(/acquire|hook/)
    expect(await host.signIn(id)).toBe(true)
  })

  for (const [rounds, options] of SIZES)
    test(
      `DP-46 ${rounds} rounds of interleavings leave no session of somebody who is out`,
      { ...options, timeout: 120_000 },
      async () => {
        const host = createHost()
        const id = await add(host)
        let state = 7
        const next = (below: number): number => {
          state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
          return (state >>> 16) % below
        }
        const setActive = (active: boolean) =>
          host.service.users.patch(TENANT, id, [{ op: 'replace', path: 'active', value: active }])
        const acts = [
          () => host.signIn(id),
          () => host.signIn(id),
          () => setActive(false),
          () => setActive(true),
          () => host.service.users.delete(TENANT, id),
        ]
        for (let round = 0; round < rounds; round += 1) {
          await Promise.all(
            Array.from({ length: 6 }, async () => await acts[next(acts.length)]?.()),
          )
          await setActive(false)
          expect(host.sessions.size).toBe(0)
          expect(await host.signIn(id)).toBe(false)
          await setActive(true)
        }
      },
    )

  test('DP-47 sessions end once for each write that takes somebody out, before the host hears of it', async () => {
    const calls: unknown[] = []
    const store = createMemoryScimStore({
      onSessionsEnd: ({ tenant, userId, reason }) => void calls.push([tenant, userId, reason]),
      onUserWrite: ({ kind }) => void calls.push(kind),
    })
    const auth = { kind: 'token', token: TOKEN } as const
    const service = createScimService({ store, baseUrl: BASE, auth, deleteUser: 'tombstone' })
    const { id } = await service.users.create(TENANT, { userName: 'ada@corp.example' })
    const patch = (value: object) => service.users.patch(TENANT, id, [{ op: 'replace', value }])
    await patch({ userName: 'eda@corp.example' })
    await patch({ active: false, title: 'x' })
    await patch({ title: 'y' })
    await patch({ active: true })
    await service.users.delete(TENANT, id)
    expect(calls).toEqual([
      'create',
      'update',
      [TENANT, id, 'deactivated'],
      'deactivate',
      'update',
      'reactivate',
      [TENANT, id, 'deleted'],
      'tombstone',
    ])
  })

  test('DP-47 an error rolls the write back', async () => {
    const store = createMemoryScimStore({
      onSessionsEnd() {
        throw new Error('no sessions')
      },
    })
    const auth = { kind: 'token', token: TOKEN } as const
    const onError = () => undefined
    const service = createScimService({ store, baseUrl: BASE, auth, onError })
    const { id } = await service.users.create(TENANT, { userName: 'ada@corp.example' })
    await expect(service.users.delete(TENANT, id)).rejects.toThrow()
    expect((await service.users.get(TENANT, id))?.active).toBe(true)
  })
})
