import type { FlowStore, UserChange } from '@x/flow-engine'
import type { UserWrite } from '@x/scim-core'
import type { Kysely } from 'kysely'
import { createFlowStore } from '../flow/store.ts'
import { createLinkedScimStore, createScimStore, type SqlScimStore } from '../scim/store.ts'
import { adoptableUser, writeFlowUser } from './to-flow.ts'
import { writeScimUser, type MembersLeft } from './to-scim.ts'

/** The two stores of one database, joined by their users. */
export interface LinkedStores {
  readonly scim: SqlScimStore
  readonly flow: FlowStore
}

/** How users are joined. */
export interface LinkOptions {
  /** The SCIM tenant whose users are the service's users; `default` by default (SU-1). */
  readonly tenant?: string
  /** True if a new SCIM user takes over the flow user of the same name; default false (SU-11). */
  readonly adoptUsers?: boolean
  /** Told of the flow side of each SCIM write, after the commit: for events, ending builds (SU-13). */
  readonly onFlowUserWrite?: (change: UserChange) => void
  /** Told of the SCIM side of each flow write, after the commit. */
  readonly onScimUserWrite?: (change: UserWrite) => void
  /**
   * Told of each group that a user has left with its flow user, after the commit: for
   * `service.announceMembers`, which emits the event (SH-67).
   */
  readonly onMembersLeft?: (change: MembersLeft) => void
}

/** Announcements of what a call has written on the other side, made once it is committed. */
type AfterCommit = (() => void)[]

/**
 * The SCIM store and the flow store of one database, whose users are the same people: each write of
 * a user writes the record of the other side in the same transaction (SU-1, SU-2, SU-10 to SU-17).
 *
 * Besides the errors of both stores, SCIM writes reject with a `forbidden` ScimError when no active
 * superuser would be left (SU-15), and flow writes with an `invalid_request` FlowError when the name
 * of a managed user would change (SU-14).
 *
 * @throws TypeError when the database was not opened by `openSqlite` or `openPostgres`
 */
export function linkUsers<Tables>(db: Kysely<Tables>, options: LinkOptions = {}): LinkedStores {
  const {
    tenant = 'default',
    adoptUsers = false,
    onFlowUserWrite,
    onScimUserWrite,
    onMembersLeft,
  } = options

  /** The SCIM store of one call, which collects its announcements. */
  const scimStore = (afterCommit: AfterCommit): SqlScimStore =>
    createLinkedScimStore(db, {
      async onUserWrite(change, tx) {
        if ((change.after ?? change.before)?.tenant !== tenant) return
        const written = await writeFlowUser(createFlowStore(tx), tx, change)
        if (written !== null) afterCommit.push(() => onFlowUserWrite?.(written))
      },
      ...(adoptUsers
        ? {
            adopt: async (owner, record, tx) =>
              owner === tenant ? adoptableUser(tx, tenant, record) : null,
          }
        : {}),
    })
  const flowStore = (afterCommit: AfterCommit): FlowStore =>
    createFlowStore(db, {
      async onUserWrite(change, tx) {
        const scope = { tenant, at: new Date() }
        const side = await writeScimUser(createScimStore(tx), scope, change)
        if (side === null) return
        afterCommit.push(() => onScimUserWrite?.(side.written))
        for (const left of side.left) afterCommit.push(() => onMembersLeft?.(left))
      },
    })
  const scim = scimStore([])
  const flow = flowStore([])
  const onScim = <Result>(call: (store: SqlScimStore) => Promise<Result>): Promise<Result> =>
    runAfterCommit((afterCommit) => call(scimStore(afterCommit)))
  const onFlow = <Result>(call: (store: FlowStore) => Promise<Result>): Promise<Result> =>
    runAfterCommit((afterCommit) => call(flowStore(afterCommit)))

  return {
    scim: {
      ...scim,
      users: {
        ...scim.users,
        insert: (...args) => onScim(({ users }) => users.insert(...args)),
        update: (...args) => onScim(({ users }) => users.update(...args)),
        remove: (...args) => onScim(({ users }) => users.remove(...args)),
      },
      transaction: (owner, work) => onScim((store) => store.transaction(owner, work)),
    },
    flow: {
      ...flow,
      users: {
        ...flow.users,
        insert: (...args) => onFlow(({ users }) => users.insert(...args)),
        update: (...args) => onFlow(({ users }) => users.update(...args)),
        remove: (...args) => onFlow(({ users }) => users.remove(...args)),
      },
      transaction: (work) => onFlow((store) => store.transaction(work)),
    },
  }
}

/** Runs a call of a store, and tells what it wrote when it has succeeded. */
async function runAfterCommit<Result>(
  call: (afterCommit: AfterCommit) => Promise<Result>,
): Promise<Result> {
  const afterCommit: AfterCommit = []
  const result = await call(afterCommit)
  for (const each of afterCommit) each()
  return result
}
