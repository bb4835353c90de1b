import { newIdOf } from './new-id.ts'
import { append } from '@x/wire'
import { invalidValue, notFound } from '../base/errors.ts'
import { applySteps, changedNames } from '../patch/apply.ts'
import { planMembers, readMemberIds, type MemberStep } from '../patch/member-steps.ts'
import { planPatch } from '../patch/normalize.ts'
import type { PatchContext } from '../patch/step.ts'
import type { ScimDocument } from '../base/document.ts'
import { checkImmutable, checkRequired, readResource } from '../schema/read-resource.ts'
import type { GroupRecord } from '../store/groups.ts'
import type { ScimStore } from '../store/scim-store.ts'
import { laterThan, readContext, type Call, type Rules } from './call.ts'
import { assertMatch } from './entity-tag.ts'
import { changePayload, documents, pending, type PendingEvent } from './pending-event.ts'
import { retryUnless } from './with-retry.ts'
import { callBeforeCommit, changeResource, unique } from './change-resource.ts'
import {
  changeMembers,
  membersChanged,
  memberTexts,
  type MemberChange,
  type MemberScope,
} from './group-members.ts'
import { groupDocument, groupFields, touchedGroup, withGroupDocument } from './group-record.ts'
import { leaveGroups, lockGroupsOf } from './groups-left.ts'

/** Writes of groups: the rules of sections 6, 9 and 10. */
export interface GroupRules {
  create(call: Call, body: unknown): Promise<GroupRecord>
  replace(call: Call, id: string, body: unknown): Promise<GroupRecord>
  patch(call: Call, id: string, operations: () => readonly unknown[]): Promise<GroupRecord>
  delete(call: Call, id: string): Promise<void>
}

/** The requested state of a group. */
interface RequestedGroup {
  readonly document: ScimDocument
  readonly members: readonly MemberStep[]
}

const NO_CHANGE: MemberChange = { added: [], removed: [] }

export function createGroupRules(rules: Rules): GroupRules {
  const { config } = rules
  const { schemas } = config

  const update = (
    call: Call,
    { id, op }: { readonly id: string; readonly op: 'put' | 'patch' },
    next: (before: ScimDocument, record: GroupRecord) => RequestedGroup,
  ): Promise<GroupRecord> =>
    changeResource(rules, call, async (tx) => {
      const events: PendingEvent[] = []
      const before = await existing(tx, call, id)
      const wanted = next(groupDocument(before), before)
      checkRequired(wanted.document, schemas.Group)
      const record = await writeChange(rules, { call, tx, before, wanted, events, op })
      return { result: record, events }
    })

  return {
    async create(call, body) {
      const context = readContext(rules, call)
      const input = readResource(body, schemas.Group, context)
      const document: ScimDocument = input.attributes
      checkRequired(document, schemas.Group)
      const members = readMembers(input.members, context)
      const draft: GroupRecord = {
        tenant: call.tenant,
        id: config.runtime.uuid(),
        ...groupFields(document, config.uniqueGroupNames),
        created: call.now,
        lastModified: call.now,
        version: 1,
      }
      const { record, change } = await changeResource(rules, call, async (tx) => {
        const id = await newIdOf(tx, call.tenant, { kind: 'group', made: draft.id })
        const made: GroupRecord = { ...draft, id }
        await unique('displayName', () => tx.groups.insert(call.tenant, made))
        const scope = { rules, call, tx, groupId: made.id }
        const added =
          members.length === 0
            ? NO_CHANGE
            : await changeMembers(scope, [{ kind: 'add', ids: members }])
        await ask(scope, { kind: 'create', before: null, after: made, members: added })
        const events = [created(call, made), ...memberEvents(made.id, added)]
        return { result: { record: made, change: added }, events }
      })
      note(call, record.id, Object.keys(document), change)
      return record
    },

    replace: (call, id, body) =>
      update(call, { id, op: 'put' }, (before) => {
        const context = readContext(rules, call)
        const input = readResource(body, schemas.Group, context)
        checkImmutable(before, input.attributes, schemas.Group)
        const kept = input.members === undefined && config.putWithoutMembers === 'keep'
        const ids = readMembers(input.members, context)
        return { document: input.attributes, members: kept ? [] : [{ kind: 'replace', ids }] }
      }),

    patch: (call, id, operations) =>
      update(call, { id, op: 'patch' }, (before, record) => {
        const patch: PatchContext = {
          ...readContext(rules, call),
          shown: () => JSON.parse(call.presenter.group(record)) as ScimDocument,
        }
        const steps = planPatch(operations(), schemas.Group, patch)
        return { document: applySteps(before, steps, patch), members: planMembers(steps, patch) }
      }),

    async delete(call, id) {
      await changeResource(rules, call, async (tx) => {
        const groups = await lockGroupsOf(tx, call, id)
        const before = await existing(tx, call, id)
        await tx.members.clear(call.tenant, id)
        const left = await leaveGroups(tx, call, { memberId: id, groups })
        await tx.groups.remove(call.tenant, id)
        await ask({ rules, call, tx }, { kind: 'delete', before, after: null, members: null })
        return { result: undefined, events: [pending('group.deleted', id, () => ({})), ...left] }
      })
    },
  }
}

/** Ids in the `members` of POST or PUT, which must be an array there. */
function readMembers(value: unknown, context: PatchContext): readonly string[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw invalidValue('members must be a list.')
  return readMemberIds(value, context)
}

async function existing(tx: ScimStore, call: Call, id: string): Promise<GroupRecord> {
  const record = await tx.groups.get(call.tenant, id, { forUpdate: true })
  if (record === null) throw notFound('Group', id)
  assertMatch(call, record.version)
  return record
}

async function writeChange(
  rules: Rules,
  {
    call,
    tx,
    before,
    wanted,
    events,
    op,
  }: {
    readonly call: Call
    readonly tx: ScimStore
    readonly before: GroupRecord
    readonly wanted: RequestedGroup
    readonly events: PendingEvent[]
    readonly op: 'put' | 'patch'
  },
): Promise<GroupRecord> {
  const changed = changedNames(groupDocument(before), wanted.document)
  const scope = { rules, call, tx, groupId: before.id }
  const change =
    wanted.members.length === 0 ? NO_CHANGE : await changeMembers(scope, wanted.members)
  const moved = change.added.length + change.removed.length > 0
  if (changed.length === 0 && !moved) return before
  const next = {
    uniqueNames: rules.config.uniqueGroupNames,
    at: laterThan(before.lastModified, call.now),
  }
  const after =
    changed.length === 0
      ? touchedGroup(before, next)
      : withGroupDocument(before, wanted.document, next)
  retryUnless(
    await unique('displayName', () => tx.groups.update(call.tenant, after, before.version)),
  )
  await ask(scope, { kind: 'update', before, after, members: change })
  note(call, after.id, moved ? [...changed, 'members'] : changed, change)
  if (changed.length > 0) {
    events.push(updated(call, { before, after, changed, op }))
  }
  append(events, memberEvents(after.id, change))
  return after
}

function note(
  { trace }: Call,
  id: string,
  changed: readonly string[],
  { added, removed }: MemberChange,
): void {
  trace.resourceId = id
  trace.changed = changed
  if (added.length + removed.length > 0) {
    trace.members = { added: added.length, removed: removed.length }
  }
}

function created({ presenter }: Call, group: GroupRecord): PendingEvent {
  return pending(
    'group.created',
    group.id,
    () => documents({ after: () => presenter.group(group) }),
    {
      texts: () => [`{"after":${presenter.group(group)}}`],
    },
  )
}

function updated(
  { presenter }: Call,
  {
    before,
    after,
    changed,
    op,
  }: {
    readonly before: GroupRecord
    readonly after: GroupRecord
    readonly changed: readonly string[]
    readonly op: 'put' | 'patch'
  },
): PendingEvent {
  return pending(
    'group.updated',
    after.id,
    () =>
      changePayload(changed, {
        before: () => presenter.group(before),
        after: () => presenter.group(after),
      }),
    {
      op,
      texts: () => [
        `{"before":${presenter.group(before)},"after":${presenter.group(after)},"changed":${JSON.stringify(changed)}}`,
      ],
    },
  )
}

function memberEvents(id: string, change: MemberChange): readonly PendingEvent[] {
  if (change.added.length + change.removed.length === 0) return []
  return [
    pending('group.members.changed', id, () => membersChanged(change), {
      texts: () => memberTexts(change),
    }),
  ]
}

function ask(
  { rules, call, tx }: Omit<MemberScope, 'groupId'>,
  {
    kind,
    before,
    after,
    members,
  }: {
    readonly kind: 'create' | 'update' | 'delete'
    readonly before: GroupRecord | null
    readonly after: GroupRecord | null
    readonly members: MemberChange | null
  },
): Promise<void> {
  const { presenter } = call
  return callBeforeCommit(
    rules,
    { call, tx },
    {
      kind,
      resourceType: 'Group',
      before: before && (() => presenter.group(before)),
      after: after && (() => presenter.group(after)),
      members,
    },
  )
}
