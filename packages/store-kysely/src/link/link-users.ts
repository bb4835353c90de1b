import type { FlowStore, UserChange } from '@x/flow-service/store'
import type {
  OnGroupWrite,
  OnSessionsEnd,
  OnUserWrite,
  OwnUserWrite,
  ScimStore,
} from '@x/scim-core'
import type { Kysely } from 'kysely'
import { createFlowStore, createLinkedFlowStore, flowTables } from '../flow/store.ts'
import {
  createLinkedScimStore,
  createScimStore,
  type ScimTransaction,
  type SqlScimStore,
} from '../scim/store.ts'
import { asFlowErrors, asScimErrors } from './errors.ts'
import {
  adoptableUser,
  endFlowSessions,
  unmanagedUsers,
  writeFlowUser,
  type UnmanagedUser,
} from './to-flow.ts'
import { lockScimUser, writeScimUser } from './to-scim.ts'

/** The two stores of one database with linked users. */
export interface LinkedStores {
  readonly scim: SqlScimStore
  readonly flow: FlowStore
  /** The flow users that no directory manages, by id, at most 10,000. */
  unmanaged(): Promise<UnmanagedUser[]>
  /** Ends sessions and refresh tokens of a flow user, in a transaction of the SCIM store. */
  readonly endSessions: OnSessionsEnd<ScimTransaction>
  /**
   * A SCIM store in which each new user takes over one flow user, as an administrator decides. A superuser, a
   * managed user and one that signs in elsewhere are refused.
   */
  adopting(account: string): SqlScimStore
}

/** Options for linking users. */
export interface LinkOptions {
  /** The SCIM tenant whose users are the service's users. Default `default`. */
  readonly tenant?: string
  /**
   * If true, a new SCIM user takes over the flow user with the same name, unless that is a superuser or signs
   * in elsewhere. Default false.
   */
  readonly adoptUsers?: boolean
  /** The sentence after the refusal while `adoptUsers` is off: how to link the account. Default: none. */
  readonly adoptHint?: string
  /** Issuer of single sign-on. Flow users linked to another issuer are not taken over. Default: none. */
  readonly signInIssuer?: string
  /**
   * Called after the commit with the flow side of each SCIM write: for events, and to end builds.
   */
  readonly onFlowUserWrite?: (change: UserChange) => void
  /**
   * Called inside the transaction of each write of a SCIM user or group, such as by roles of the portal; they
   * must wait for nothing but the database.
   */
  readonly directory?: {
    readonly onUserWrite?: OnUserWrite<ScimTransaction>
    readonly onGroupWrite?: OnGroupWrite<ScimTransaction>
  }
  /**
   * Called inside the transaction with the SCIM side of each flow write: for `service.recordUserWrite`,
   * which writes the outbox. The returned function is called after the commit.
   */
  readonly onScimUserWrite?: (
    change: OwnUserWrite,
    transaction: ScimStore,
  ) => Promise<() => void> | (() => void)
}

/** Functions to call once the writes are committed. */
type AfterCommit = (() => void)[]

/**
 * Creates a SCIM store and a flow store on one database with shared users: each write of a user also
 * writes the other side's record in the same transaction. In addition to the
 * errors of both stores, SCIM writes reject with a `forbidden` ScimError if no active superuser would
 * remain, and flow writes with an `invalid_request` FlowError if the name of a managed user would
 * change.
 * @throws TypeError if the database was not opened by `openSqlite` or `openPostgres`
 */
export function linkUsers<Tables>(db: Kysely<Tables>, options: LinkOptions = {}): LinkedStores {
  const { tenant = 'default', onFlowUserWrite, onScimUserWrite, directory = {} } = options

  /** Functions to call when the transaction of a SCIM write has committed. */
  const announcements = new WeakMap<object, AfterCommit>()
  const open = (account?: string): SqlScimStore =>
    createLinkedScimStore(db, {
      ...(directory.onGroupWrite && { onGroupWrite: directory.onGroupWrite }),
      async onUserWrite(change, tx) {
        if ((change.after ?? change.before)?.tenant === tenant) {
          const flow = createFlowStore(tx)
          const written = await asScimErrors(() => writeFlowUser(flow, flowTables(tx), change))
          if (written !== null) announcements.get(tx)?.push(() => onFlowUserWrite?.(written))
        }
        await directory.onUserWrite?.(change, tx)
      },
      adopt: async (owner, record, tx) =>
        owner === tenant
          ? asScimErrors(() =>
              adoptableUser(flowTables(tx), {
                ...options,
                tenant,
                record,
                ...(account !== undefined && { account }),
              }),
            )
          : null,
    })
  /** A transaction that runs its announcements after the commit. */
  const onScimOf =
    (linked: SqlScimStore): ScimStore['transaction'] =>
    (owner, work, settings) =>
      runAfterCommit((afterCommit) =>
        linked.transaction(
          owner,
          (tx) => {
            if (typeof tx.handle === 'object' && tx.handle !== null) {
              announcements.set(tx.handle, afterCommit)
            }
            return work(tx)
          },
          settings,
        ),
      )
  const flowStore = (afterCommit: AfterCommit): FlowStore =>
    createLinkedFlowStore(db, {
      beforeUserLock: (write, tx) =>
        asFlowErrors(() => lockScimUser(createScimStore(tx), tenant, write)),
      onUserWrite: (change, tx) =>
        asFlowErrors(async () => {
          const scope = { tenant, at: new Date() }
          const scimTx = createScimStore(tx, directory)
          const written = await writeScimUser(scimTx, scope, change)
          if (written === null || onScimUserWrite === undefined) return
          afterCommit.push(await onScimUserWrite(written, scimTx))
        }),
    })
  const flow = flowStore([])
  const onFlow = <Result>(call: (store: FlowStore) => Promise<Result>): Promise<Result> =>
    runAfterCommit((afterCommit) => call(flowStore(afterCommit)))

  const scimOf = (account?: string): SqlScimStore => {
    const linked = open(account)
    const onScim = onScimOf(linked)
    return {
      ...linked,
      users: {
        ...linked.users,
        insert: (...args) => onScim(args[0], ({ users }) => users.insert(...args)),
        update: (...args) => onScim(args[0], ({ users }) => users.update(...args)),
        remove: (...args) => onScim(args[0], ({ users }) => users.remove(...args)),
      },
      transaction: onScim,
    }
  }

  return {
    scim: scimOf(),
    adopting: scimOf,
    unmanaged: () => unmanagedUsers(flowTables(db), tenant),
    async endSessions(end, tx) {
      if (end.tenant === tenant) await endFlowSessions(createFlowStore(tx), end.userId)
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

/** Runs a store call and reports its writes after it has succeeded. */
async function runAfterCommit<Result>(
  call: (afterCommit: AfterCommit) => Promise<Result>,
): Promise<Result> {
  const afterCommit: AfterCommit = []
  const result = await call(afterCommit)
  for (const each of afterCommit) each()
  return result
}
