import { isObject } from '@x/wire'
import { noteIgnored } from '../base/notes.ts'
import { invalidValue, notMutable, ScimError } from '../base/errors.ts'
import type { ResolvedFilter } from '../filter/resolved.ts'
import type { ScimDocument } from '../base/document.ts'
import type { ScimLimits } from '../base/limits.ts'
import { memberOf } from '../base/member-of.ts'
import { idOfReference } from '../schema/id-of-reference.ts'
import { createPatchWork } from './patch-work.ts'
import { targetText, type PatchContext, type PatchStep } from './step.ts'

/** A change of a group's members, which are not part of its document. */
export type MemberStep =
  | { readonly kind: 'add' | 'remove' | 'replace'; readonly ids: readonly string[] }
  | {
      readonly kind: 'removeWhere'
      readonly matches: (member: unknown) => boolean
      readonly terms: number
    }

/** Returns whether a step concerns the members of a group. */
export function isMemberStep({ target }: PatchStep): boolean {
  return target.extension === null && target.attribute?.name === 'members'
}

/**
 * The member changes among the steps, in order.
 * @throws ScimError; 413 for more ids than `membersPerRequest`
 */
export function planMembers(
  steps: readonly PatchStep[],
  context: PatchContext,
): readonly MemberStep[] {
  const planned = steps.filter(isMemberStep).map((step) => planMember(step, context))
  const count = planned.reduce((sum, step) => sum + ('ids' in step ? step.ids.length : 0), 0)
  assertMemberCount(count, context)
  // Steps before a replacement have no effect.
  const from = planned.findLastIndex(({ kind }) => kind === 'replace')
  return joinedFilters(
    planned
      .slice(Math.max(0, from))
      .filter((step) => !('ids' in step) || step.kind === 'replace' || step.ids.length > 0),
  )
}

/** Merges consecutive removals by filter, because each step reads all members. */
function joinedFilters(steps: readonly MemberStep[]): readonly MemberStep[] {
  const joined: MemberStep[] = []
  let filters: ((member: unknown) => boolean)[] = []
  for (const step of steps) {
    const last = joined.at(-1)
    if (step.kind !== 'removeWhere') joined.push(step)
    else if (last?.kind === 'removeWhere') {
      filters.push(step.matches)
      joined[joined.length - 1] = { ...last, terms: last.terms + step.terms }
    } else {
      const tests = (filters = [step.matches])
      joined.push({ ...step, matches: (member) => tests.some((test) => test(member)) })
    }
  }
  return joined
}

/**
 * The ids in a member list in any of its forms: objects with `value`, id strings, or a single one
 * of these; without duplicates.
 * @throws ScimError
 */
export function readMemberIds(value: unknown, context: PatchContext): readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  assertMemberCount(list.length, context)
  return [...new Set(list.map((member) => readMemberId(member, context)))]
}

/** Sub-attributes of members; all but `value` are computed. */
const KNOWN: ReadonlySet<string> = new Set(['value', '$ref', 'type', 'display'])

const referredId = (reference: unknown): string | undefined =>
  idOfReference(reference) ?? idOfReference(reference, 'Groups')

function readMemberId(member: unknown, { quirks, limits, notes }: PatchContext): string {
  const named = isObject(member)
    ? (memberOf(member, 'value') ?? referredId(memberOf(member, '$ref')))
    : quirks.memberShorthand
      ? member
      : null
  if (isObject(member))
    for (const name of Object.keys(member))
      if (!KNOWN.has(name) && !KNOWN.has(name.toLowerCase())) noteIgnored(notes, `members.${name}`)
  const id = quirks.numberStrings && Number.isSafeInteger(named) ? String(named) : named
  if (typeof id !== 'string' || id === '' || id.length > limits.stringLength) {
    throw invalidValue('A member must be an object whose value is the id of a user.')
  }
  return id
}

function assertMemberCount(count: number, { limits }: PatchContext): void {
  if (count > limits.membersPerRequest) {
    throw new ScimError('too_large', `A request may name ${limits.membersPerRequest} members.`)
  }
}

function planMember(step: PatchStep, context: PatchContext): MemberStep {
  const { op, target, value } = step
  // A member is its value: removing this removes the member.
  const isValue = target.sub?.name === 'value' && (target.where !== null || value != null)
  if (op === 'remove' && (target.sub === null || isValue)) return planRemoval(step, context)
  if (target.sub !== null) throw notMutable(targetText(target))
  if (target.where !== null) return { kind: 'add', ids: filteredIds(step, context) }
  return { kind: op, ids: readMemberIds(listedMembers(value, context), context) }
}

/** The list in `{"members":[...]}`, which some clients send as the value (quirk `removeValueList`). */
function listedMembers(value: unknown, { quirks }: PatchContext): unknown {
  if (!quirks.removeValueList || !isObject(value) || memberOf(value, 'value') !== undefined) {
    return value
  }
  const members = memberOf(value, 'members')
  return Array.isArray(members) ? members : value
}

function planRemoval({ target, value }: PatchStep, context: PatchContext): MemberStep {
  const { where } = target
  if (where === null) {
    const listed = context.quirks.removeValueList && value !== undefined && value !== null
    return listed
      ? { kind: 'remove', ids: readMemberIds(listedMembers(value, context), context) }
      : { kind: 'replace', ids: [] }
  }
  const ids = typeof where.resolved === 'boolean' ? null : namedIds(where.resolved)
  return ids === null
    ? { kind: 'removeWhere', matches: where.matches, terms: where.terms }
    : { kind: 'remove', ids: [...new Set(ids)] }
}

/** The ids of `value eq a or value eq b`; null for any other filter. */
function namedIds(filter: ResolvedFilter): readonly string[] | null {
  if (filter.kind === 'or') {
    const lists = filter.terms.map(namedIds)
    return lists.includes(null) ? null : lists.flatMap((ids) => ids ?? [])
  }
  if (filter.kind !== 'compare' || filter.operator !== 'eq') return null
  return filter.path.sub === 'value' ? [String(filter.value)] : null
}

/** `members[value eq a]` with add or replace refers to member a itself and changes nothing else. */
function filteredIds({ target, value }: PatchStep, context: PatchContext): readonly string[] {
  const [term, second] = target.where?.equalities ?? []
  if (term?.sub.name !== 'value' || second !== undefined) throw notMutable(targetText(target))
  const id = String(term.value)
  const given: unknown = Array.isArray(value) ? value[0] : value
  const own = isObject(given) ? memberOf(given, 'value') : given
  if (own !== undefined && own !== id) throw notMutable(targetText(target))
  return readMemberIds([{ value: id }], context)
}

/**
 * Applies member changes to the `members` of a document.
 * @throws ScimError tooMany if filters examine more than `patchComparisons` members
 */
export function applyMemberSteps(
  resource: ScimDocument,
  steps: readonly MemberStep[],
  { patchComparisons }: Pick<ScimLimits, 'patchComparisons'>,
): ScimDocument {
  let members: readonly unknown[] = Array.isArray(resource['members']) ? resource['members'] : []
  const work = createPatchWork(patchComparisons)
  for (const step of joinedSteps(steps)) {
    if (step.kind === 'removeWhere') work.spend(step.terms * members.length)
    members = applyMemberStep(members, step)
  }
  return { ...resource, members }
}

/** Merges consecutive additions, and consecutive removals, because each step walks over all members. */
function joinedSteps(steps: readonly MemberStep[]): readonly MemberStep[] {
  if (steps.length < 2) return steps
  const joined: MemberStep[] = []
  let ids: string[] | null = null
  for (const step of steps) {
    const last = joined.at(-1)
    if (ids !== null && last?.kind === step.kind && 'ids' in step && step.kind !== 'replace') {
      for (const id of step.ids) ids.push(id)
      continue
    }
    ids = 'ids' in step ? [...step.ids] : null
    joined.push('ids' in step && ids !== null ? { kind: step.kind, ids } : step)
  }
  return joined
}

function applyMemberStep(members: readonly unknown[], step: MemberStep): readonly unknown[] {
  if (step.kind === 'removeWhere') return members.filter((member) => !step.matches(member))
  const named = new Set<unknown>(step.ids)
  if (step.kind === 'remove') return members.filter((member) => !named.has(idOf(member)))
  const kept = step.kind === 'replace' ? members.filter((one) => named.has(idOf(one))) : members
  const added = [...kept]
  for (const member of kept) {
    if (named.size === 0) return added
    named.delete(idOf(member))
  }
  for (const value of named) added.push({ value })
  return added
}

function idOf(member: unknown): unknown {
  return isObject(member) ? member['value'] : member
}
