import { isObject } from '@x/wire'
import { invalidValue, notMutable, ScimError } from '../base/errors.ts'
import { isEqual } from '../base/equal.ts'
import type { AttributeDescriptor } from '../schema/attribute.ts'
import { isManager, readManager } from '../schema/read-resource.ts'
import { completeElement, isSameNamed, joinSameValues } from '../schema/read-elements.ts'
import {
  assertLength,
  isEmptyValue,
  isPrimary,
  onePrimary,
  readAttribute,
  readElement,
  readList,
} from '../schema/read-value.ts'
import type { StoredObject, StoredValue } from '../schema/stored-value.ts'
import { findAttribute } from '../schema/registry.ts'
import type { PatchWork } from './patch-work.ts'
import { targetText, type PatchContext, type PatchStep, type PatchTarget } from './step.ts'

/** Context of a step, and its remaining cost budget. */
export interface StepContext extends PatchContext {
  readonly work: PatchWork
}

/** A document whose values are replaced, never modified in place. */
export type Draft = Record<string, StoredValue>

/** The attribute of a step and its previous value. */
interface Change {
  readonly step: PatchStep
  readonly attribute: AttributeDescriptor
  readonly current: StoredValue | undefined
  readonly context: StepContext
}

/**
 * Applies one step.
 * @throws ScimError
 */
export function applyStep(draft: Draft, step: PatchStep, context: StepContext): void {
  const { extension, attribute } = step.target
  if (attribute === null) {
    if (extension?.required === true) throw notMutable(extension.urn)
    if (extension !== null) delete draft[extension.urn]
    return
  }
  const holder = extension === null ? draft : { ...asObject(draft[extension.urn]) }
  const change = { step, attribute, current: holder[attribute.name], context }
  assign(holder, attribute.name, step.op === 'remove' ? removed(change) : assigned(change))
  if (extension !== null) {
    assign(draft, extension.urn, Object.keys(holder).length === 0 ? undefined : holder)
  }
}

function assign(holder: Draft, name: string, value: StoredValue | undefined): void {
  if (value === undefined) delete holder[name]
  else holder[name] = value
}

function assigned(change: Change): StoredValue | undefined {
  const { step, attribute, current, context } = change
  const { target, value, op } = step
  if (attribute.multiValued) {
    if (target.where !== null || target.sub !== null) return updatedElements(change)
    const given = Array.isArray(value) ? value : [value]
    return op === 'add' ? appended(change, given) : readList(attribute, given, context)
  }
  assertMutable(change)
  if (isManager(target.extension, attribute.name)) return assignedManager(change)
  if (attribute.type !== 'complex') return readAttribute(attribute, value, context)
  return merged(asObject(current), { attribute, step }, context)
}

/** An immutable value can be set once (RFC 7643 section 7). */
function assertMutable({ attribute, current, step, context }: Change): void {
  if (attribute.mutability !== 'immutable' || current === undefined) return
  if (!isEqual(readAttribute(attribute, step.value, context), current)) {
    throw notMutable(targetText(step.target))
  }
}

function assignedManager({ step, current, context }: Change): StoredValue | undefined {
  const { extension, sub } = step.target
  if (extension === null || sub?.name === '$ref') return current
  const value = sub === null ? step.value : { value: step.value }
  const isComputed = isObject(value) && sub === null && !isEmptyValue(value) && !names(value)
  // Only computed parts were sent, so the manager is unchanged.
  return isComputed ? current : (readManager(value, extension, context) ?? unnamed(value, current))
}

/** A `$ref` that names no user changes nothing. */
function unnamed(value: unknown, current: StoredValue | undefined): StoredValue | undefined {
  return isObject(value) && !isEmptyValue(value) && !hasValue(value) ? current : undefined
}

function names(value: Readonly<Record<string, unknown>>): boolean {
  return hasValue(value) || Object.keys(value).some((key) => key.toLowerCase() === '$ref')
}

function hasValue(value: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(value).some((key) => key.toLowerCase() === 'value')
}

/** Sets the given sub-attributes of an object; null unassigns one in a replacement. */
function merged(
  current: StoredObject,
  { attribute, step }: { readonly attribute: AttributeDescriptor; readonly step: PatchStep },
  context: PatchContext,
): StoredObject | undefined {
  const { op, value } = step
  const { sub } = step.target
  const isWhole = op === 'replace' && sub === null && context.replaceComplex === 'whole'
  const result: Draft = isWhole ? {} : { ...current }
  if (sub !== null) assign(result, sub.name, readAttribute(sub, value, context))
  else {
    const object = single(attribute, value, context)
    Object.assign(result, readAttribute({ ...attribute, multiValued: false }, object, context))
    for (const key of Object.keys(object)) {
      if (op === 'add' || object[key] !== null) continue
      const cleared = findAttribute(attribute.subAttributes, key)
      if (cleared !== undefined && cleared.mutability !== 'readOnly') delete result[cleared.name]
    }
  }
  return Object.keys(result).length === 0 ? undefined : result
}

/** An object, or the only element of an array (quirk `singletonArrays`). */
function single(
  attribute: AttributeDescriptor,
  value: unknown,
  context: PatchContext,
): Readonly<Record<string, unknown>> {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  const usable = !Array.isArray(value) || (context.quirks.singletonArrays && list.length === 1)
  const object = completeElement(attribute, list[0], context)
  if (!usable || !isObject(object)) throw invalidValue(`${attribute.path} must be an object.`)
  return object
}

/** Elements that already exist with all sent values are not added again. */
function appended(
  { attribute, current, context }: Change,
  given: readonly unknown[],
): StoredValue | undefined {
  const list = asList(current)
  context.work.spend(given.length * list.length)
  const missing = (readList(attribute, given, context) ?? []).filter(
    (element) => !list.some((other) => covers(other, element)),
  )
  const joined = joinSameValues(attribute, [...list, ...missing], context.quirks)
  const kept = joined.slice(0, list.length)
  const added = joined.slice(list.length)
  const demoted = added.some(isPrimary) ? kept.map(demote) : kept
  return finished(attribute, [...demoted, ...added], context)
}

/** Returns whether an element contains every sub-attribute of another, with the same value. */
function covers(element: StoredValue, sent: StoredValue): boolean {
  if (!isObject(element) || !isObject(sent)) return isEqual(element, sent)
  return Object.keys(sent).every((name) => isEqual(element[name], sent[name]))
}

/** `attr[filter]`, `attr[filter].sub` and `attr.sub` with add or replace. */
function updatedElements(change: Change): StoredValue | undefined {
  const { step, attribute, context } = change
  const { where, sub } = step.target
  const list = asList(change.current)
  const touched = new Set<StoredValue>()
  const matches = matcher(change)
  const result = list.map((element) => {
    if (!matches(element)) return element
    context.work.spend(REWRITE * context.work.weightOf(attribute, element))
    const next = updated(element, change)
    if (next !== undefined) touched.add(next)
    return next
  })
  const isFirst = where === null && sub !== null && list.length === 0
  const missed = isFirst || (where !== null && touched.size === 0 && !result.includes(undefined))
  if (missed) {
    const created = createdElement(change)
    touched.add(created)
    result.push(created)
  }
  const kept = result.filter((element) => element !== undefined)
  if (!missed && !givesPrimary(step.value, sub)) return finished(attribute, kept, context)
  const primaries = kept.filter((element) => touched.has(element) && isPrimary(element))
  if (primaries.length > 1)
    return finished(attribute, onePrimary(attribute, kept, context), context)
  const demoted =
    primaries.length === 0
      ? kept
      : kept.map((element) => (touched.has(element) ? element : demote(element)))
  return finished(attribute, demoted, context)
}

/** Rebuilding an element costs as much as this many comparisons. */
const REWRITE = 8

/** Returns whether the step selects an element; charges the cost of the check. */
function matcher({ step, attribute, context }: Change): (element: StoredValue) => boolean {
  const { where } = step.target
  if (where === null) return () => true
  const { work } = context
  return (element) => {
    work.spend(where.terms * work.weightOf(attribute, element))
    return where.matches(element)
  }
}

/** Returns whether a value sets `primary`, alone or in an object. */
function givesPrimary(value: unknown, sub: AttributeDescriptor | null): boolean {
  if (sub !== null) return sub.name === 'primary'
  const first: unknown = Array.isArray(value) ? value[0] : value
  return isObject(first) && Object.keys(first).some((key) => key.toLowerCase() === 'primary')
}

function updated(
  element: StoredValue,
  { step, attribute, context }: Change,
): StoredValue | undefined {
  if (attribute.type !== 'complex') return readElement(attribute, step.value, context)
  return merged(asObject(element), { attribute, step }, context)
}

/** A value filter of equality terms without a match describes a new element. */
function createdElement(change: Change): StoredValue {
  const { step, attribute, context } = change
  const { where } = step.target
  const terms = where === null ? [] : where.equalities
  if (!context.quirks.filterMissCreates || terms === null || attribute.type !== 'complex') {
    throw new ScimError('no_target', `No value matches ${targetText(step.target)}.`)
  }
  const base: Draft = {}
  for (const { sub, value } of terms) assign(base, sub.name, readAttribute(sub, value, context))
  const element = updated(base, change)
  if (element === undefined)
    throw new ScimError('no_target', `No value matches ${targetText(step.target)}.`)
  return element
}

function removed(change: Change): StoredValue | undefined {
  const { step, attribute, current, context } = change
  const { target, value } = step
  if (isRequired(target)) throw notMutable(targetText(target))
  if (current === undefined) return undefined
  if (!attribute.multiValued) {
    assertRemovable(target)
    if (target.sub === null) return undefined
    return isManager(target.extension, attribute.name) && target.sub.name === '$ref'
      ? current
      : without(asObject(current), target.sub.name)
  }
  const { where, sub } = target
  const list = asList(current)
  if (where === null && sub === null) {
    const listed = context.quirks.removeValueList && value !== undefined && value !== null
    return listed ? removedListed(change, value) : undefined
  }
  const matches = matcher(change)
  const kept = list.map((element) => {
    if (!matches(element)) return element
    return sub === null ? undefined : without(asObject(element), sub.name)
  })
  return finished(
    attribute,
    kept.filter((element) => element !== undefined),
    context,
  )
}

function isRequired({ attribute, sub, where }: PatchTarget): boolean {
  if (sub !== null) return sub.required
  return where === null && attribute?.required === true
}

function assertRemovable(target: PatchTarget): void {
  const { attribute, sub } = target
  if ((sub ?? attribute)?.mutability === 'immutable') throw notMutable(targetText(target))
}

/** Without the elements equal to a given one in all sent sub-attributes; roles are found by their value. */
function removedListed(
  { attribute, current, context }: Change,
  value: unknown,
): StoredValue | undefined {
  const given: readonly unknown[] = Array.isArray(value) ? value : [value]
  assertLength(attribute, given.length, context)
  const sent = given
    .map((element) => readElement(attribute, element, context))
    .filter((element) => element !== undefined)
  context.work.spend(sent.length * asList(current).length)
  const isSent = (element: StoredValue): boolean =>
    sent.some(
      (one) => isSameNamed(attribute, [element, one], context.quirks) ?? covers(element, one),
    )
  const kept = asList(current).filter((element) => !isSent(element))
  return finished(attribute, kept, context)
}

function without(object: StoredObject, name: string): StoredObject | undefined {
  const { [name]: _, ...rest } = object
  return Object.keys(rest).length === 0 ? undefined : rest
}

function demote(element: StoredValue): StoredValue {
  return isPrimary(element) && isObject(element)
    ? { ...asObject(element), primary: false }
    : element
}

/** A list as stored: no duplicates, unassigned if empty. */
function finished(
  attribute: AttributeDescriptor,
  list: readonly StoredValue[],
  context: StepContext,
): StoredValue | undefined {
  assertLength(attribute, list.length, context)
  if (list.length < 2) return list.length === 0 ? undefined : list
  const seen = new Set<string>()
  const distinct = list.filter((element) => {
    const key = context.work.keyOf(attribute, element)
    return !seen.has(key) && seen.add(key)
  })
  return distinct.length === 0 ? undefined : distinct
}

function asObject(value: StoredValue | undefined): StoredObject {
  return typeof value === 'object' && !Array.isArray(value) ? (value as StoredObject) : {}
}

function asList(value: StoredValue | undefined): readonly StoredValue[] {
  return Array.isArray(value) ? (value as readonly StoredValue[]) : []
}
