import { TENANT, BASE_URL } from '../contract/fixture.ts'
import type { ScimOptions } from '../options/options.ts'
import { createScimService, type ScimService } from '../service/service.ts'
import type { OnGroupWrite } from '../store/groups.ts'
import type { ScimStore } from '../store/scim-store.ts'
import type { OnUserWrite } from '../store/users.ts'

/** The rows of a tenant as a query in the running transaction finds them, in any order. */
export interface HookRows {
  /** Without tombstones. */
  readonly users: readonly { readonly id: string; readonly active: boolean | null }[]
  readonly groups: readonly { readonly id: string; readonly displayName: string }[]
  readonly members: readonly { readonly groupId: string; readonly memberId: string }[]
}

/** The hooks that a store under test is made with; `Handle` is its own handle of a transaction. */
export interface StoreHooks<Handle> {
  readonly onUserWrite: OnUserWrite<Handle>
  readonly onGroupWrite: OnGroupWrite<Handle>
}

/** A store under test, with its hooks. */
export interface StoreHookSubject<Handle> {
  /** Shown in test titles. */
  readonly name: string
  /** Makes an empty store for each test. `rows` queries the tenant `acme` with the handle that a hook gets. */
  readonly create: (hooks: StoreHooks<Handle>) => Promise<{
    readonly store: ScimStore
    readonly rows: (handle: Handle) => Promise<HookRows>
    /** Disposes of the store after the test. */
    readonly close?: () => Promise<void>
  }>
}

/** What a hook was told, with the rows that it found then. */
export interface Told {
  readonly hook: string
  readonly rows: HookRows
}

export interface HookSetup {
  readonly service: ScimService
  readonly store: ScimStore
  /** What store hooks have been told since the last call. */
  readonly told: () => Told[]
  /** The same of `beforeCommit`. */
  readonly committed: () => Told[]
  /** Makes users; gives their ids, and forgets what was told of them. */
  readonly people: (count: number) => Promise<string[]>
}

/** Makes services over stores under test, which remember what hooks were told. */
export function createHookSetup<Handle>(create: StoreHookSubject<Handle>['create']): {
  /** `refuses` names the hooks that throw. */
  readonly setUp: (
    options?: Partial<ScimOptions>,
    refuses?: (hook: string) => boolean,
  ) => Promise<HookSetup>
  /** Disposes of the last one. */
  readonly close: () => Promise<void>
} {
  let last: (() => Promise<void>) | undefined
  const setUp = async (
    options: Partial<ScimOptions> = {},
    refuses: (hook: string) => boolean = () => false,
  ): Promise<HookSetup> => {
    let told: Told[] = []
    let rows: (handle: Handle) => Promise<HookRows> = () => Promise.reject(new Error('not yet'))
    const tell = async (hook: string, handle: Handle): Promise<void> => {
      told.push({ hook, rows: wanted(await rows(handle)) })
      if (refuses(hook)) throw new Error('The hook refuses')
    }
    const made = await create({
      onUserWrite: ({ kind }, handle) => tell(`user ${kind}`, handle),
      onGroupWrite: (change, handle) =>
        tell(
          change.kind === 'members'
            ? `members of ${change.displayName}: +${change.added.length} -${change.removed.length}`
            : `group ${change.kind}`,
          handle,
        ),
    })
    rows = made.rows
    last = made.close
    const service = createScimService({
      store: made.store,
      baseUrl: BASE_URL,
      auth: { kind: 'host', authenticate: () => null },
      userName: 'any',
      onError: () => undefined,
      ...options,
      // The store's own handle, as its hooks get it.
      ...(options.beforeCommit === undefined && {
        beforeCommit: ({ resourceType }, { handle }) =>
          tell(`commit ${resourceType}`, handle as Handle),
      }),
    })
    const take = (isCommit: boolean): Told[] => {
      const taken = told.filter(({ hook }) => hook.startsWith('commit') === isCommit)
      told = told.filter((one) => !taken.includes(one))
      return taken
    }
    return {
      service,
      store: made.store,
      told: () => take(false),
      committed: () => take(true),
      async people(count) {
        const ids: string[] = []
        for (let n = 0; n < count; n += 1)
          ids.push((await service.users.create(TENANT, { userName: `person ${n}` })).id)
        told = []
        return ids
      },
    }
  }
  return {
    setUp,
    async close() {
      await last?.()
      last = undefined
    },
  }
}

/** Without what a query may give besides. */
function wanted({ users, groups, members }: HookRows): HookRows {
  return {
    users: users.map(({ id, active }) => ({ id, active })),
    groups: groups.map(({ id, displayName }) => ({ id, displayName })),
    members: members.map(({ groupId, memberId }) => ({ groupId, memberId })),
  }
}
