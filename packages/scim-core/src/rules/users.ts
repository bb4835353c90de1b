import { newIdOf } from './new-id.ts'
import { append } from '@x/wire'
import { notFound } from '../base/errors.ts'
import { assertKeepsDeleted } from '../options/deletion.ts'
import { applySteps, changedNames } from '../patch/apply.ts'
import { planPatch } from '../patch/normalize.ts'
import type { PatchContext } from '../patch/step.ts'
import type { ScimDocument } from '../base/document.ts'
import { checkImmutable, checkRequired, readResource } from '../schema/read-resource.ts'
import type { ScimStore } from '../store/scim-store.ts'
import type { UserRecord } from '../store/users.ts'
import { adoptedAccount } from './adopted-account.ts'
import { assertAddressesFree, assertEmailFree } from './addresses.ts'
import { laterThan, readContext, type Call, type Rules } from './call.ts'
import { assertMatch } from './entity-tag.ts'
import { type PendingEvent } from './pending-event.ts'
import { retryUnless } from './with-retry.ts'
import { checkAssigned } from './assigned.ts'
import { callBeforeCommit, changeResource, unique, type Changed } from './change-resource.ts'
import { leaveGroups, lockGroupsOf } from './groups-left.ts'
import { returningUser } from './returning-user.ts'
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
  const { config } = rules
  const { schemas } = config

  const update = (
    call: Call,
    id: string,
    {
      reason,
      next,
    }: {
      readonly reason: Reason
      readonly next: (before: ScimDocument, record: UserRecord) => ScimDocument
    },
  ): Promise<UserRecord> =>
    changeResource(rules, call, async (tx) => {
      const events: PendingEvent[] = []
      const before = await existing(tx, call, { id, withGroups: reason !== 'delete' })
      const old = userDocument(before)
      const document = await checkAssigned(rules, call, {
        before: old,
        document: next(old, before),
      })
      if (reason !== 'delete') checkUser(rules, document, before)
      const record = await writeChange(rules, { call, tx, before, document, reason, events })
      return { result: record, events }
    })

  return {
    async create(call, body) {
      const { attributes } = readResource(body, schemas.User, readContext(rules, call))
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
        const found = await returningUser(config, { tx, call, document })
        if (found !== null) return takeOver(rules, { call, tx, found, document })
        const id = await newIdOf(tx, call.tenant, { kind: 'user', made: record.id })
        const result = await insert(rules, { call, tx, record: { ...record, id }, document })
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
          const { attributes } = readResource(body, schemas.User, readContext(rules, call))
          const kept = before['active'] === undefined ? {} : { active: before['active'] }
          const document = { ...kept, ...attributes }
          checkImmutable(before, document, schemas.User)
          return document
        },
      }),

    patch: (call, id, operations) =>
      update(call, id, {
        reason: 'patch',
        next(before, record) {
          const context: PatchContext = {
            ...readContext(rules, call),
            shown: () => JSON.parse(call.presenter.user(record)) as ScimDocument,
          }
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
  await assertAddressesFree(rules, { tx, call, document, id: record.id })
  const adopted = adoptedAccount(
    call,
    (await tx.users.adopt?.(call.tenant, record)) ?? null,
    record,
  )
  const user = adopted === null ? record : { ...record, id: adopted }
  await unique('userName', () => tx.users.insert(call.tenant, user))
  await ask(rules, { call, tx }, { kind: 'create', before: null, after: user })
  return { groups: [], ...user }
}

/** Writes a changed document; an equal document is not written. */
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
  const after = nextUser(before, { call, document })
  retryUnless(await unique('userName', () => tx.users.update(call.tenant, after, before.version)))
  await ask(rules, { call, tx }, { kind: 'update', before, after })
  call.trace.changed = changed
  append(events, changeEvents(call, { before, after, changed, reason }))
  return before.groups === undefined ? after : { ...after, groups: before.groups }
}

/** A user who comes back keeps its id; what opened the account before opens it no longer. */
async function takeOver(
  rules: Rules,
  {
    call,
    tx,
    found,
    document,
  }: {
    readonly call: Call
    readonly tx: ScimStore
    readonly found: UserRecord
    readonly document: ScimDocument
  },
): Promise<Changed<UserRecord>> {
  const groups = await lockGroupsOf(tx, call, found.id)
  const before = await tx.users.get(call.tenant, found.id, { forUpdate: true })
  retryUnless(before?.version === found.version)
  const left = await leaveGroups(tx, call, { memberId: found.id, groups })
  await assertAddressesFree(rules, { tx, call, document, id: found.id })
  const after = nextUser(found, { call, document })
  const options = { recreated: true }
  const write = (): Promise<boolean> => tx.users.update(call.tenant, after, found.version, options)
  retryUnless(await unique('userName', write))
  await ask(rules, { call, tx }, { kind: 'update', before: found, after })
  call.trace.adopted = 'recreated'
  const changed = changedNames(userDocument(found), document)
  const events = changeEvents(call, { before: found, after, changed, reason: 'put' })
  return { result: { ...after, groups: [] }, events: [...events, ...left] }
}

function nextUser(
  before: UserRecord,
  { call, document }: { readonly call: Call; readonly document: ScimDocument },
): UserRecord {
  return createUserRecord(document, {
    tenant: before.tenant,
    id: before.id,
    created: before.created,
    lastModified: laterThan(before.lastModified, call.now),
    version: before.version + 1,
    deletedAt: before.deletedAt,
  })
}

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

/** The modes tombstone and remove: the user leaves its groups and is no longer visible. */
async function removeUser(rules: Rules, call: Call, id: string): Promise<void> {
  const { config } = rules
  const mode: 'tombstone' | 'remove' = config.deleteUser === 'remove' ? 'remove' : 'tombstone'
  await changeResource(rules, call, async (tx) => {
    const groups = await lockGroupsOf(tx, call, id)
    const before = await existing(tx, call, { id, withGroups: false })
    const left = await leaveGroups(tx, call, { memberId: id, groups })
    if (mode === 'remove') await tx.users.remove(call.tenant, id)
    else {
      // A connection may ask for what the service's own option does not.
      assertKeepsDeleted(config.store)
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
    call.trace.isRemoved = true
    return { result: undefined, events: [...deletedEvents(before, mode), ...left] }
  })
}
