import { refuseTaken } from '../records/retry.ts'
import { nameProblem } from '@x/wire'
import type { Page } from '@x/flow-engine/store'
import { endSessions } from '../../store/end-sessions.ts'
import type { UserPatch, UserRecord } from '../../store/users.ts'
import { afterCommit } from '../records/after-commit.ts'
import type { Caller } from '../base/caller.ts'
import { ensureDefaultProject } from '../flows/default-project.ts'
import type { ServiceDependencies } from '../base/dependencies.ts'
import { removeFilesOf } from '../files/remove-files.ts'
import { refuse } from '../../refusal.ts'

/** Changes to a user; undefined leaves a field unchanged. */
export interface UserChanges {
  readonly username?: string | undefined
  readonly profileImage?: string | undefined
  readonly password?: string | undefined
  readonly isActive?: boolean | undefined
  readonly isSuperuser?: boolean | undefined
  readonly lastLoginAt?: Date | undefined
  readonly optins?: Record<string, unknown> | undefined
}

/** The data of a new user. */
export interface NewUser {
  readonly username: string
  /** Null disables password sign-in. */
  readonly password: string | null
  readonly optins?: Record<string, unknown> | null
  /** Default: the setting `newUserIsActive`. */
  readonly isActive?: boolean
  /** Default false. */
  readonly isSuperuser?: boolean
  /** Default: a new UUID. */
  readonly id?: string
}

/** Users. Each method documents who may call it. */
export interface UserService {
  get(id: string): Promise<UserRecord | null>
  /** Superusers only. */
  list(slice: { skip: number; limit: number }): Promise<Page<UserRecord>>
  /**
   * For superusers and hosts; also creates the default project.
   * @throws Refusal 400 for a name that is taken or looks like another one
   */
  create(input: NewUser): Promise<UserRecord>
  /** @throws Refusal 400, 403, 404 in this order of checks */
  patch(caller: Caller, id: string, changes: UserChanges): Promise<UserRecord>
  /**
   * Superusers only.
   * @throws Refusal 400, 404
   */
  remove(caller: Caller, id: string): Promise<void>
}

/** Defaults of new users. */
export const defaultOptins = {
  repo_starred: false,
  dialog_dismissed: false,
  chat_clicked: false,
} as const

const TAKEN = 'This username is unavailable.'
const LAST_SUPERUSER = 'The last active superuser cannot be demoted, deactivated or deleted'

export function createUserService(deps: ServiceDependencies): UserService {
  const { store, runtime } = deps
  return {
    get: (id) => store.users.get(id),
    list: ({ skip, limit }) =>
      store.users.list({ offset: Math.max(0, skip), limit: limit < 0 ? null : limit }),
    create: (input) => createUser(deps, input),
    patch: (caller, id, changes) => patchUser(deps, { caller, id, changes }),
    async remove(caller, id) {
      if (caller.id === id) throw refuse(400, "You can't delete your own user account")
      await removeUser(deps, id)
      deps.emit('user.deleted', { at: runtime.now(), userId: caller.id, id })
    },
  }
}

/** The reason a user name looks like another user's, which would allow impersonation; else null. */
export function usernameProblem(username: string): string | null {
  const problem = nameProblem(username)
  if (problem !== null || username === username.normalize('NFKC')) return problem
  return 'must not contain variants of other characters (it must be in normal form NFKC)'
}

function checkUsername(username: string): void {
  const problem = usernameProblem(username)
  if (problem !== null) throw refuse(400, `A username ${problem}`)
}

async function createUser(deps: ServiceDependencies, input: NewUser): Promise<UserRecord> {
  checkUsername(input.username)
  const { store, runtime, settings, emit } = deps
  const now = runtime.now()
  const record: UserRecord = {
    id: input.id ?? runtime.uuid(),
    username: input.username,
    passwordHash: input.password === null ? null : await hashed(deps, input.password),
    profileImage: null,
    storeApiKey: null,
    isActive: input.isActive ?? settings.newUserIsActive,
    isSuperuser: input.isSuperuser ?? false,
    tokenEpoch: 0,
    optins: input.optins === undefined ? defaultOptins : input.optins,
    createdAt: now,
    updatedAt: now,
    lastLoginAt: null,
  }
  await refuseTaken('user.username', TAKEN, () =>
    store.transaction(async (tx) => {
      await tx.users.insert(record)
      await ensureDefaultProject(deps, tx, record.id)
    }),
  )
  emit('user.created', { at: now, id: record.id })
  return record
}

interface Patch {
  readonly caller: Caller
  readonly id: string
  readonly changes: UserChanges
}

async function patchUser(
  deps: ServiceDependencies,
  { caller, id, changes }: Patch,
): Promise<UserRecord> {
  const { store, runtime, emit } = deps
  if (!caller.isSuperuser) {
    if (changes.isSuperuser === true || caller.id !== id) throw refuse(403, 'Permission denied')
    if ((changes.password ?? '') !== '') {
      throw refuse(400, "You can't change your password here")
    }
  }
  const password = changes.password === '' ? undefined : changes.password
  const passwordHash = password === undefined ? undefined : await hashed(deps, password)
  const [before, after] = await refuseTaken('user.username', TAKEN, () =>
    store.transaction(async (tx) => {
      await tx.users.lock?.(id, changes)
      const old = await tx.users.get(id)
      if (old === null) throw refuse(404, 'User not found')
      const { username = old.username } = changes
      if (username !== old.username) checkUsername(username)
      const loses = old.isSuperuser && old.isActive && isLost(changes)
      if (loses && (await tx.users.countActiveSuperusers()) < 2) throw refuse(400, LAST_SUPERUSER)
      const blocked = old.isActive && changes.isActive === false
      const ended = passwordHash !== undefined || blocked ? await endSessions(tx, old) : {}
      const patch = patchOf(changes, passwordHash, runtime.now())
      return [old, (await tx.users.update(id, { ...patch, ...ended })) ?? old] as const
    }),
  )
  const event = { at: runtime.now(), userId: caller.id, id }
  emit('user.updated', event)
  if (before.isActive && !after.isActive) {
    await deps.cancelBuilds({ userId: id })
    emit('user.deactivated', event)
  }
  return after
}

function isLost({ isActive, isSuperuser }: UserChanges): boolean {
  return isActive === false || isSuperuser === false
}

function patchOf(
  changes: UserChanges,
  passwordHash: string | undefined,
  updatedAt: Date,
): UserPatch {
  const { password: _password, ...fields } = changes
  const given = Object.entries({ ...fields, passwordHash }).filter(([, v]) => v !== undefined)
  return { ...Object.fromEntries(given), updatedAt }
}

async function removeUser(deps: ServiceDependencies, id: string): Promise<void> {
  const { store, vectors, records } = deps
  const flowIds = await store.transaction(async (tx) => {
    await tx.users.lock?.(id, null)
    const user = await tx.users.get(id)
    if (user === null) throw refuse(404, 'User not found')
    const last = user.isSuperuser && user.isActive && (await tx.users.countActiveSuperusers()) < 2
    if (last) throw refuse(400, LAST_SUPERUSER)
    const flows = await tx.flows.list({ userId: id, order: 'created', data: 'none' })
    await tx.users.remove(id)
    return flows.items.map((flow) => flow.id)
  })
  await afterCommit(deps, [
    () => deps.cancelBuilds({ userId: id, isRemoved: true }),
    () => vectors.removeOfUser(id),
    // Removes records that were added while the user was removed.
    () => store.users.remove(id),
    () => records.flush(),
    () => store.flows.removeRecords(flowIds, id),
    () => removeFilesOf(deps, { userId: id, flowIds }),
  ])
}

/**
 * Hashes a password.
 * @throws Refusal 400 if the host has configured no hasher
 */
export async function hashed(
  { passwords }: ServiceDependencies,
  password: string,
): Promise<string> {
  if (passwords === undefined) throw refuse(400, NO_PASSWORDS)
  return await passwords.hash(password)
}

const NO_PASSWORDS =
  'Password sign-in is disabled: pass passwords, such as createScryptHasher() of @x/flow-service/node, to the service'
