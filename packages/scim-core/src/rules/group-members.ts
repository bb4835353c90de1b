import { yieldToEventLoop } from '@x/wire'
import { invalidValue, quoteValue } from '../base/errors.ts'
import type { MembersChanged } from '../options/events.ts'
import type { MemberStep } from '../patch/member-steps.ts'
import { createPatchWork, type PatchWork } from '../patch/patch-work.ts'
import type { MemberRow } from '../store/members.ts'
import type { ScimStore } from '../store/scim-store.ts'
import type { Call, Rules } from './call.ts'
import { assertNoCircle, lockNesting } from './group-circles.ts'
import { memberPages } from './member-pages.ts'

/** The membership changes of a request. */
export interface MemberChange {
  /** Ids that are members now and were not before. */
  readonly added: readonly string[]
  readonly removed: readonly string[]
}

/** The group whose members change, within a transaction. */
export interface MemberScope {
  readonly rules: Rules
  readonly call: Call
  readonly tx: ScimStore
  readonly groupId: string
}

const CHUNK = 500
/** Maximum number of ids passed to a host at once. */
export const MAX_EVENT_IDS = 1_000

/**
 * Applies member changes to the relation, in order. Other members are not loaded, unless a removal
 * filters by something other than the id.
 * @throws ScimError invalidValue for ids without a resource (D13), tooMany if filters examine more than
 * `patchComparisons` members
 */
export async function changeMembers(
  scope: MemberScope,
  steps: readonly MemberStep[],
): Promise<MemberChange> {
  const net = createNetChange()
  const unknown = new Set<string>()
  const groups = new Set<string>()
  const work = createPatchWork(scope.rules.config.limits.patchComparisons)
  for (const step of steps) {
    switch (step.kind) {
      case 'add':
        await addMembers(scope, step.ids, { net, unknown, groups })
        break
      case 'remove':
        for (const id of step.ids) unknown.delete(id)
        await removeMembers(scope, step.ids, net)
        break
      case 'replace':
        unknown.clear()
        await replaceMembers(scope, step.ids, { net, unknown, groups })
        break
      case 'removeWhere':
        await removeMembers(scope, await matching(scope, step, work), net)
        break
    }
  }
  const [first] = unknown
  if (first !== undefined && scope.rules.config.unknownMembers === 'reject') {
    throw invalidValue(`There is no user ${quoteValue(first)}.`)
  }
  const change = net.change()
  await assertNoCircle(scope, new Set(change.added.filter((id) => groups.has(id))))
  return change
}

interface Progress {
  readonly net: NetChange
  /** Ids without a resource that would now be members. */
  readonly unknown: Set<string>
  /** Ids of members to add that are groups. */
  readonly groups: Set<string>
}

async function addMembers(
  scope: MemberScope,
  ids: readonly string[],
  { net, unknown, groups }: Progress,
): Promise<void> {
  const { tx, call, groupId } = scope
  for await (const chunk of chunksInTurns(ids)) {
    const known = await knownIds(scope, chunk, groups)
    for (const id of chunk) if (!known.has(id)) unknown.add(id)
    const usable = chunk.filter((id) => known.has(id))
    if (usable.length === 0) continue
    net.add(await tx.members.add(call.tenant, groupId, usable, call.now))
  }
}

async function removeMembers(
  { tx, call, groupId }: MemberScope,
  ids: readonly string[],
  net: NetChange,
): Promise<void> {
  for await (const chunk of chunksInTurns(ids)) {
    net.remove(await tx.members.remove(call.tenant, groupId, chunk))
  }
}

/** A set difference, so that remaining members keep the time they were added. */
async function replaceMembers(
  scope: MemberScope,
  ids: readonly string[],
  progress: Progress,
): Promise<void> {
  const wanted = new Set(ids)
  const missing = new Set(ids)
  const leaving: string[] = []
  const { tx, call, groupId } = scope
  for await (const page of memberPages(tx.members, call.tenant, groupId)) {
    for (const { id } of page) {
      missing.delete(id)
      if (!wanted.has(id)) leaving.push(id)
    }
  }
  await removeMembers(scope, leaving, progress.net)
  await addMembers(scope, [...missing], progress)
}

async function matching(
  { tx, call, groupId }: MemberScope,
  { matches, terms }: Extract<MemberStep, { kind: 'removeWhere' }>,
  work: PatchWork,
): Promise<string[]> {
  const ids: string[] = []
  for await (const page of memberPages(tx.members, call.tenant, groupId)) {
    work.spend(terms * page.length)
    for (const row of page) if (matches(memberElement(row))) ids.push(row.id)
  }
  return ids
}

/** A member in the form read by filters. */
function memberElement({ id, type, display }: MemberRow): Readonly<Record<string, unknown>> {
  return { value: id, $ref: id, type, ...(display !== null && { display }) }
}

/** Ids with a resource; those of groups are also added to `nested`. */
async function knownIds(
  scope: MemberScope,
  ids: readonly string[],
  nested: Set<string>,
): Promise<Set<string>> {
  const { rules, tx, call } = scope
  const users = await tx.users.briefs(call.tenant, ids, { keep: true })
  const known = new Set(users.keys())
  if (!rules.config.nestedGroups || known.size === ids.length) return known
  await lockNesting(scope)
  const rest = ids.filter((id) => !known.has(id))
  const groups = await tx.groups.briefs(call.tenant, rest, { keep: true })
  for (const id of groups.keys()) {
    known.add(id)
    nested.add(id)
  }
  return known
}

/** The net effect of additions and removals that cancel each other. */
interface NetChange {
  add(ids: readonly string[]): void
  remove(ids: readonly string[]): void
  change(): MemberChange
}

function createNetChange(): NetChange {
  const added = new Set<string>()
  const removed = new Set<string>()
  return {
    add: (ids) => {
      for (const id of ids) if (!removed.delete(id)) added.add(id)
    },
    remove: (ids) => {
      for (const id of ids) if (!added.delete(id)) removed.add(id)
    },
    change: () => ({ added: [...added], removed: [...removed] }),
  }
}

/** Ids that are written at once, with turns of the event loop between them. */
async function* chunksInTurns(ids: readonly string[]): AsyncGenerator<readonly string[]> {
  for (let start = 0; start < ids.length; start += CHUNK) {
    if (start > 0) await yieldToEventLoop()
    yield ids.slice(start, start + CHUNK)
  }
}

/** The event payload of a change; its lists are cut off after 1,000 ids. */
export function membersChanged({ added, removed }: MemberChange): MembersChanged {
  return {
    added: added.slice(0, MAX_EVENT_IDS),
    removed: removed.slice(0, MAX_EVENT_IDS),
    addedCount: added.length,
    removedCount: removed.length,
  }
}

/** The same for the outbox, with all ids, at most 1,000 per row. */
export function memberTexts({ added, removed }: MemberChange): readonly string[] {
  const counts = { addedCount: added.length, removedCount: removed.length }
  const texts: string[] = []
  const total = added.length + removed.length
  for (let start = 0; start < total; start += MAX_EVENT_IDS) {
    const end = start + MAX_EVENT_IDS
    const from = Math.max(0, start - added.length)
    texts.push(
      JSON.stringify({
        added: added.slice(start, end),
        removed: removed.slice(from, Math.max(0, end - added.length)),
        ...counts,
        ...(end < total && { more: true }),
      }),
    )
  }
  return texts
}

/** Splits a membership change into parts of at most 1,000 ids. */
export async function* memberChunks(change: MemberChange | null): AsyncGenerator<MemberChange> {
  const { added, removed } = change ?? { added: [], removed: [] }
  for (let start = 0; start < added.length; start += MAX_EVENT_IDS) {
    yield { added: added.slice(start, start + MAX_EVENT_IDS), removed: [] }
  }
  for (let start = 0; start < removed.length; start += MAX_EVENT_IDS) {
    yield { added: [], removed: removed.slice(start, start + MAX_EVENT_IDS) }
  }
}
