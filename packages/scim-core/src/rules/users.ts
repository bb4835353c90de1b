import { append } from '@x/wire'
import { notFound } from '../base/errors.ts'
import { applySteps, changedNames } from '../patch/apply.ts'
import { planPatch } from '../patch/normalize.ts'
import type { PatchContext } from '../patch/step.ts'
import type { ScimDocument } from '../base/document.ts'
import { fold } from '../base/fold.ts'
import { checkImmutable, checkRequired, readResource } from '../schema/read-resource.ts'
import type { ScimStore } from '../store/scim-store.ts'
import type { UserRecord } from '../store/users.ts'
import { laterThan, notUnique, type Call, type Rules } from './call.ts'
import { assertMatch } from './entity-tag.ts'
import { type PendingEvent } from './pending-event.ts'
import { retryUnless } from './with-retry.ts'
import { checkAssigned } from './assigned.ts'
import { callBeforeCommit, changeResource, unique } from './change-resource.ts'
import { leaveGroups, lockGroupsOf } from './groups-left.ts'
import { changeEvents, createdEvent, deletedEvents, type Reason } from './user-events.ts'
import { createUserRecord, primaryEmailKey, userDocument } from './user-record.ts'

/** Writes of users: the rules of section 6, without HTTP and SQL. */
export interface UserRules {
  create(call: Call, body: unknown): Promise<UserRecord>
  replace(call: Call, id: string, body: unknown): Promise<UserRecord>
  patch(call: Call, id: string, operations: () => readonly unknown[]): Promise<UserRecord>
  delete(call: Call, id: string): Promise<void>
}

export function createUserRules(rules: Rules): UserRules {
  const { config, read } = rules
  const { schemas } = config

  const update = (
    call: Call,
    id: string,
    {
      reason,
      next,
    }: { readonly reason: Reason; readonly next: (before: ScimDocument) => ScimDocument },
  ): Promise<UserRecord> =>
    changeResource(rules, call, async (tx) => {
      const events: PendingEvent[] = []
      const before = await existing(tx, call, { id, withGroups: reason !== 'delete' })
      const old = userDocument(before)
      const document = await checkAssigned(rules, call, { before: old, document: next(old) })
      if (reason !== 'delete') checkUser(rules, document, before)
      const record = await writeChange(rules, { call, tx, before, document, reason, events })
      return { result: record, events }
    })

  return {
    async create(call, body) {
      const { attributes } = readResource(body, schemas.User, read)
      const document = await checkAssigned(rules, call, {
        before: {},
        document: { active: true, ...attributes },
      })
      checkUser(rules, document)
      const record = createUserRecord(document, {
        tenant: call.tenant,
        id: config.runtime.uuid(),
        created: call.now,
        lastModified: call.now,
        version: 1,
        deletedAt: null,
      })
      const stored = await changeResource(rules, call, async (tx) => {
        const result = await insert(rules, { call, tx, record, document })
        return { result, events: [createdEvent(call, result)] }
      })
      call.trace.resourceId = stored.id
      call.trace.userName = stored.userName
      call.trace.changed = Object.keys(document)
      return stored
    },

    replace: (call, id, body) =>
      update(call, id, {
        reason: 'put',
        next(before) {
          const { attributes } = readResource(body, schemas.User, read)
          const kept = before['active'] === undefined ? {} : { active: before['active'] }
          const document = { ...kept, ...attributes }
          checkImmutable(before, document, schemas.User)
          return document
        },
      }),

    patch: (call, id, operations) =>
      update(call, id, {
        reason: 'patch',
        next(before) {
          const context: PatchContext = { baseUrl: call.presenter.baseUrl, ...read }
          return applySteps(before, planPatch(operations(), schemas.User, context), context)
        },
      }),

    async delete(call, id) {
      if (config.deleteUser === 'deactivate') {
        await update(call, id, {
          reason: 'delete',
          next: (before) => ({ ...before, active: false }),
        })
        return
      }
      await removeUser(rules, call, id)
    },
  }
}

function checkUser({ config }: Rules, document: ScimDocument, before?: UserRecord): void {
  checkRequired(document, config.schemas.User)
  const userName = String(document['userName'])
  if (userName !== before?.userName) config.checkUserName(userName)
}

async function existing(
  tx: ScimStore,
  call: Call,
  { id, withGroups }: { readonly id: string; readonly withGroups: boolean },
): Promise<UserRecord> {
  const record = await tx.users.get(call.tenant, id, { forUpdate: true, withGroups })
  if (record === null) throw notFound('User', id)
  assertMatch(call, record.version)
  call.trace.userName = record.userName
  return record
}

async function insert(
  rules: Rules,
  {
    call,
    tx,
    record,
    document,
  }: {
    readonly call: Call
    readonly tx: ScimStore
    readonly record: UserRecord
    readonly document: ScimDocument
  },
): Promise<UserRecord> {
  await assertEmailFree(rules, { tx, call, document, id: record.id })
  const adopted = (await tx.users.adopt?.(call.tenant, record)) ?? null
  const user = adopted === null ? record : { ...record, id: adopted }
  await unique('userName', () => tx.users.insert(call.tenant, user))
  await ask(rules, { call, tx }, { kind: 'create', before: null, after: user })
  return { groups: [], ...user }
}

/** Writes a changed document; an equal document is not written (SC-20, SC-57). */
async function writeChange(
  rules: Rules,
  {
    call,
    tx,
    before,
    document,
    reason,
    events,
  }: {
    readonly call: Call
    readonly tx: ScimStore
    readonly before: UserRecord
    readonly document: ScimDocument
    readonly reason: Reason
    readonly events: PendingEvent[]
  },
): Promise<UserRecord> {
  const old = userDocument(before)
  const changed = changedNames(old, document)
  if (changed.length === 0) return before
  if (primaryEmailKey(document) !== primaryEmailKey(old)) {
    await assertEmailFree(rules, { tx, call, document, id: before.id })
  }
  const after = createUserRecord(document, {
    tenant: before.tenant,
    id: before.id,
    created: before.created,
    lastModified: laterThan(before.lastModified, call.now),
    version: before.version + 1,
    deletedAt: before.deletedAt,
  })
  retryUnless(await unique('userName', () => tx.users.update(call.tenant, after, before.version)))
  await ask(rules, { call, tx }, { kind: 'update', before, after })
  call.trace.changed = changed
  append(events, changeEvents(call, { before, after, changed, reason }))
  return before.groups === undefined ? after : { ...after, groups: before.groups }
}

/** D8: the primary e-mail must not be another user's userName. */
async function assertEmailFree(
  { config }: Rules,
  {
    tx,
    call,
    document,
    id,
  }: {
    readonly tx: ScimStore
    readonly call: Call
    readonly document: ScimDocument
    readonly id: string
  },
): Promise<void> {
  const key = primaryEmailKey(document)
  if (!config.emailConflict || key === undefined) return
  if (key === fold(String(document['userName']))) return
  const { records } = await tx.users.list(call.tenant, {
    filter: {
      kind: 'compare',
      path: USER_NAME,
      operator: 'eq',
      value: key,
    },
    limit: 1,
    withTotal: false,
  })
  if (records.some((other) => other.id !== id)) throw notUnique('primary e-mail address')
}

const USER_NAME = {
  key: 'userName',
  urn: null,
  name: 'userName',
  sub: null,
  type: 'string',
  caseExact: false,
  multiValued: false,
} as const

function ask(
  rules: Rules,
  scope: { readonly call: Call; readonly tx: ScimStore },
  {
    kind,
    before,
    after,
  }: {
    readonly kind: 'create' | 'update' | 'delete'
    readonly before: UserRecord | null
    readonly after: UserRecord | null
  },
): Promise<void> {
  const { presenter } = scope.call
  return callBeforeCommit(rules, scope, {
    kind,
    resourceType: 'User',
    before: before && (() => presenter.user(before)),
    after: after && (() => presenter.user(after)),
    members: null,
  })
}

/** The modes tombstone and remove (SC-28): the user leaves its groups and is no longer visible. */
async function removeUser(rules: Rules, call: Call, id: string): Promise<void> {
  const { config } = rules
  const mode: 'tombstone' | 'remove' = config.deleteUser === 'remove' ? 'remove' : 'tombstone'
  await changeResource(rules, call, async (tx) => {
    const groups = await lockGroupsOf(tx, call, id)
    const before = await existing(tx, call, { id, withGroups: false })
    const left = await leaveGroups(tx, call, { memberId: id, groups })
    if (mode === 'remove') await tx.users.remove(call.tenant, id)
    else {
      const after: UserRecord = {
        ...before,
        active: false,
        lastModified: laterThan(before.lastModified, call.now),
        version: before.version + 1,
        deletedAt: call.now,
      }
      retryUnless(await tx.users.update(call.tenant, after, before.version))
    }
    await ask(rules, { call, tx }, { kind: 'delete', before, after: null })
    return { result: undefined, events: [...deletedEvents(before, mode), ...left] }
  })
}
