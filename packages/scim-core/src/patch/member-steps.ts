import { invalidValue, notMutable, ScimError } from '../errors.ts'
import type { ResolvedFilter } from '../filter/resolved.ts'
import type { ScimDocument } from '../resource/document.ts'
import { isObject } from '../schema/read-value.ts'
import { memberOf } from './normalize.ts'
import type { PatchContext, PatchStep } from './step.ts'

/** A change of the members of a group, which are not part of its document (SC-58). */
export type MemberStep =
  | { readonly kind: 'add' | 'remove' | 'replace'; readonly ids: readonly string[] }
  | { readonly kind: 'removeWhere'; readonly matches: (member: unknown) => boolean }

/** Whether a step concerns the members of a group. */
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
  return planned.filter(
    (step) => !('ids' in step) || step.kind === 'replace' || step.ids.length > 0,
  )
}

/**
 * The ids in a list of members in any of its forms (SC-56): objects with `value`, id strings, or one
 * of them alone. Each id once.
 * @throws ScimError
 */
export function readMemberIds(value: unknown, context: PatchContext): readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  assertMemberCount(list.length, context)
  return [...new Set(list.map((member) => readMemberId(member, context)))]
}

function readMemberId(member: unknown, { quirks, limits }: PatchContext): string {
  const id = isObject(member) ? memberOf(member, 'value') : quirks.memberShorthand ? member : null
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
  if (target.sub !== null) throw notMutable(target.text)
  if (op === 'remove') return planRemoval(step, context)
  if (target.where !== null) return { kind: 'add', ids: filteredIds(step, context) }
  return { kind: op, ids: readMemberIds(value, context) }
}

function planRemoval({ target, value }: PatchStep, context: PatchContext): MemberStep {
  const { where } = target
  if (where === null) {
    const listed = context.quirks.removeValueList && value !== undefined && value !== null
    return listed
      ? { kind: 'remove', ids: readMemberIds(value, context) }
      : { kind: 'replace', ids: [] }
  }
  const ids = typeof where.resolved === 'boolean' ? null : namedIds(where.resolved)
  return ids === null
    ? { kind: 'removeWhere', matches: where.matches }
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

/** `members[value eq a]` with add or replace names the member a itself; it changes nothing else. */
function filteredIds({ target, value }: PatchStep, context: PatchContext): readonly string[] {
  const [term, second] = target.where?.equalities ?? []
  if (term?.sub.name !== 'value' || second !== undefined) throw notMutable(target.text)
  const id = String(term.value)
  const given: unknown = Array.isArray(value) ? value[0] : value
  const own = isObject(given) ? memberOf(given, 'value') : given
  if (own !== undefined && own !== id) throw notMutable(target.text)
  return readMemberIds([{ value: id }], context)
}

/** Applies member changes to the `members` of a document. */
export function applyMemberSteps(
  resource: ScimDocument,
  steps: readonly MemberStep[],
): ScimDocument {
  const current: readonly unknown[] = Array.isArray(resource['members']) ? resource['members'] : []
  let members = new Map(current.map((member) => [idOf(member), member]))
  for (const step of steps) {
    if (step.kind === 'removeWhere') {
      for (const [id, member] of members) if (step.matches(member)) members.delete(id)
      continue
    }
    const { kind, ids } = step
    if (kind === 'remove') for (const id of ids) members.delete(id)
    if (kind === 'replace') {
      const wanted = new Set<unknown>(ids)
      members = new Map([...members].filter(([id]) => wanted.has(id)))
    }
    if (kind !== 'remove') {
      for (const id of ids) if (!members.has(id)) members.set(id, { value: id })
    }
  }
  return { ...resource, members: [...members.values()] }
}

function idOf(member: unknown): unknown {
  return isObject(member) ? member['value'] : member
}
