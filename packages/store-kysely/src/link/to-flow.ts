import {
  endSessions,
  type FlowStore,
  type UserChange,
  type UserRecord as FlowUser,
} from '@x/flow-service/store'
import {
  ScimError,
  scimForbidden,
  UniqueConflictError,
  type Adoption,
  type UserRecord,
  type UserWrite,
} from '@x/scim-core'
import { sql } from 'kysely'
import type { FlowDb } from '../flow/context.ts'
import { decodeText } from '../records/columns.ts'
import { preparedQuery } from '../query/prepared-query.ts'
import type { FlowTables } from '../schema/tables/flow.ts'

/**
 * Writes the flow user of a SCIM user, in the same transaction. Returns the change, or null if nothing had
 * to be written.
 */
export async function writeFlowUser(
  flow: FlowStore,
  tx: FlowDb,
  { before, after, recreated = false }: UserWrite,
): Promise<UserChange | null> {
  if (after === null) return before === null ? null : removeFlowUser(flow, before)
  const known = await flow.users.get(after.id)
  if (known === null) return after.deletedAt === null ? createFlowUser(flow, tx, after) : null
  const wanted = flowFieldsOf(after)
  // What opened an account that nobody may use must not open it once the directory has it.
  const isReset = recreated || (before === null && !known.isActive)
  const isSame = known.username === wanted.username && known.isActive === wanted.isActive
  if (isSame && !isReset) return null
  if (known.username !== wanted.username) await assertNameFree(tx, after, wanted.username)
  const isBlocked = known.isActive && !wanted.isActive
  const ended = isBlocked ? await endAccess(flow, tx, known) : {}
  const reset = isReset ? await resetAccess(flow, tx, { user: known, managed: after }) : {}
  return changeOf(known, await flow.users.update(after.id, { ...wanted, ...ended, ...reset }))
}

/**
 * The flow user that a new SCIM user takes over: of the same name, not managed, not a superuser, and without
 * a sign-in link to an issuer other than `signInIssuer`. Null if the name is free or managed.
 */
export async function adoptableUser(
  tx: FlowDb,
  {
    tenant,
    record,
    adoptUsers = false,
    adoptHint,
    signInIssuer,
    account,
  }: {
    readonly tenant: string
    readonly record: UserRecord
    readonly adoptUsers?: boolean
    readonly adoptHint?: string
    readonly signInIssuer?: string
    /** An administrator's choice, whatever its name. */
    readonly account?: string
  },
): Promise<Adoption> {
  const holder =
    account === undefined ? await holderOf(tx, record.userNameKey) : await accountOf(tx, account)
  if (holder === undefined) {
    if (account === undefined) return null
    throw new ScimError('not_found', 'The account does not exist.')
  }
  const managed = await sql`select 1 from scim_user
    where tenant = ${tenant} and id = ${holder.id}`.execute(tx)
  if (managed.rows.length > 0) {
    return account === undefined ? null : { refuse: 'unmanaged', hint: 'It is managed already.' }
  }
  const links = await sql<{ readonly issuer: string }>`select issuer from flow_oidc_link
    where user_id = ${holder.id}`.execute(tx)
  const isElsewhere = links.rows.some(({ issuer }) => issuer !== signInIssuer)
  if (holder.is_superuser === 1 || isElsewhere) {
    return { refuse: 'unmanaged', hint: 'It cannot be linked.' }
  }
  if (account !== undefined) return { id: holder.id, by: 'manual' }
  if (adoptUsers) return holder.id
  return {
    refuse: 'unmanaged',
    ...(adoptHint !== undefined && { hint: adoptHint }),
  }
}

/** Active as in SCIM, never a superuser, without a password. */
async function createFlowUser(flow: FlowStore, tx: FlowDb, user: UserRecord): Promise<UserChange> {
  await assertNameFree(tx, user, user.userName)
  const after: FlowUser = {
    id: user.id,
    username: user.userName,
    passwordHash: null,
    profileImage: null,
    storeApiKey: null,
    isActive: user.active === true,
    isSuperuser: false,
    tokenEpoch: 0,
    optins: null,
    createdAt: user.created,
    updatedAt: user.lastModified,
    lastLoginAt: null,
  }
  await flow.users.insert(after)
  return { kind: 'create', before: null, after }
}

async function removeFlowUser(flow: FlowStore, user: UserRecord): Promise<UserChange | null> {
  const before = await flow.users.get(user.id)
  if (before === null) return null
  if (before.isActive) await assertNotLast(flow, before)
  const flows = await flow.flows.list({ userId: user.id, order: 'created', data: 'none' })
  await flow.users.remove(user.id)
  return { kind: 'remove', before, after: null, flowIds: flows.items.map(({ id }) => id) }
}

/** The fields of a flow user controlled by the directory. A tombstone releases its name. */
function flowFieldsOf(user: UserRecord): Pick<FlowUser, 'username' | 'isActive' | 'updatedAt'> {
  const gone = user.deletedAt !== null
  return {
    username: gone ? `${user.userName} (${user.id})` : user.userName,
    isActive: user.active === true && !gone,
    updatedAt: user.lastModified,
  }
}

/** Another flow user with the same folded name is a conflict. */
async function assertNameFree(tx: FlowDb, user: UserRecord, username: string): Promise<void> {
  const holder = await holderOf(tx, username === user.userName ? user.userNameKey : username)
  if (holder !== undefined && holder.id !== user.id) {
    throw new UniqueConflictError('user.userName')
  }
}

/** Finds users by name in its comparison form. */
const byName = preparedQuery<FlowTables, { readonly key: string }, Holder>((db, value) => {
  const query = sql<Holder>`select id, is_superuser from flow_user
    where username_fold = ${value('key')} order by seq limit 1`
  return { compile: () => query.compile(db) }
})

interface Holder {
  readonly id: string
  readonly is_superuser: number
}

async function accountOf(tx: FlowDb, id: string): Promise<Holder | undefined> {
  const { rows } = await sql<Holder>`select id, is_superuser from flow_user
    where id = ${id}`.execute(tx)
  return rows[0]
}

/** The most accounts that a report lists. */
const MAX_UNMANAGED = 10_000

/** The flow users that no directory manages, by id, at most 10,000. */
export async function unmanagedUsers(tx: FlowDb, tenant: string): Promise<UnmanagedUser[]> {
  const { rows } = await sql<UnmanagedRow>`select id, username, is_active, is_superuser, created_at
    from flow_user where not exists (
      select 1 from scim_user s where s.tenant = ${tenant} and s.id = flow_user.id)
    order by id limit ${MAX_UNMANAGED}`.execute(tx)
  return rows.map((row) => ({
    id: row.id,
    userName: decodeText(row.username),
    active: row.is_active === 1,
    isSuperuser: row.is_superuser === 1,
    created: new Date(row.created_at),
  }))
}

/** A flow user that no directory manages. */
export interface UnmanagedUser {
  readonly id: string
  readonly userName: string
  readonly active: boolean
  readonly isSuperuser: boolean
  readonly created: Date
}

interface UnmanagedRow extends Holder {
  readonly username: string
  readonly is_active: number
  readonly created_at: number
}

async function holderOf(tx: FlowDb, key: string): Promise<Holder | undefined> {
  const { rows } = await byName.run(tx, { key })
  return rows[0]
}

/** Ends what signed a person in; what runs goes on. */
export async function endFlowSessions(flow: FlowStore, id: string): Promise<void> {
  const user = await flow.users.get(id)
  if (user !== null) await flow.users.update(id, await endSessions(flow, user))
}

/** Sessions end immediately; builds stop at their next heartbeat. */
async function endAccess(
  flow: FlowStore,
  tx: FlowDb,
  user: FlowUser,
): Promise<Pick<FlowUser, 'tokenEpoch'>> {
  await assertNotLast(flow, user)
  const ended = await endSessions(flow, user)
  await sql`update flow_job set cancel_requested = 1
    where user_id = ${user.id} and finished_at is null`.execute(tx)
  return ended
}

/** Removes password, sessions and API keys, and the sign-in link of a user without externalId. */
async function resetAccess(
  flow: FlowStore,
  tx: FlowDb,
  { user, managed }: { readonly user: FlowUser; readonly managed: UserRecord },
): Promise<Pick<FlowUser, 'tokenEpoch' | 'passwordHash'>> {
  for (const { id } of await flow.apiKeys.list(user.id)) await flow.apiKeys.remove(user.id, id)
  if (managed.externalId === null) {
    await sql`delete from flow_oidc_link where user_id = ${user.id}`.execute(tx)
  }
  return { ...(await endSessions(flow, user)), passwordHash: null }
}

async function assertNotLast(flow: FlowStore, user: FlowUser): Promise<void> {
  if (user.isSuperuser && (await flow.users.countActiveSuperusers()) <= 1) {
    throw scimForbidden('The last active superuser cannot be deactivated or removed.')
  }
}

function changeOf(before: FlowUser, after: FlowUser | null): UserChange | null {
  if (after === null) return null
  if (before.isActive === after.isActive) return { kind: 'update', before, after }
  return { kind: after.isActive ? 'reactivate' : 'deactivate', before, after }
}
