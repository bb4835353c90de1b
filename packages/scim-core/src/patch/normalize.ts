import { isObject } from '@x/wire'
import { memberOf } from '../base/member-of.ts'
import { isEqual } from '../base/equal.ts'
import { noteIgnored } from '../base/notes.ts'
import {
  invalidPath,
  invalidSyntax,
  invalidValue,
  notMutable,
  ScimError,
  quoteValue,
} from '../base/errors.ts'
import { isScimError } from '../base/errors.ts'
import type { QuirkSwitches } from '../base/quirks.ts'
import { isEmptyValue, unknownAttribute } from '../schema/read-value.ts'
import { isCoreUrn, type ExtensionSchema, type ResourceSchema } from '../schema/registry.ts'
import { fromText, isActivation } from './sets-active.ts'
import { assertReadable, givenSchemas, isManager, readUrns } from '../schema/read-resource.ts'
import { parsePath, withoutLiterals } from './parse-path.ts'
import {
  findTarget,
  targetText,
  type PatchContext,
  type PatchStep,
  type PatchTarget,
} from './step.ts'

/** URN of PATCH bodies. */
export const PATCH_URN = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

/** An operation as sent by a client (RFC 7644 section 3.5.2). */
export interface PatchOperation {
  readonly op: string
  readonly path?: string
  readonly value?: unknown
}

/**
 * Parses the operations of a PATCH body.
 * @throws ScimError invalidSyntax
 */
export function readPatchBody(body: unknown, quirks: QuirkSwitches): readonly unknown[] {
  if (!isObject(body)) throw invalidSyntax('The body must be a JSON object.')
  const schemas = givenSchemas(memberOf(body, 'schemas'), quirks)
  const operations = memberOf(body, 'Operations')
  const isPlan = quirks.missingSchemas && Array.isArray(operations)
  const announced =
    isPlan || (schemas !== undefined && readUrns(schemas).includes(PATCH_URN.toLowerCase()))
  if (operations === undefined && !announced && quirks.barePatchBody) {
    const value = Object.fromEntries(
      Object.entries(body).filter(([key]) => key.toLowerCase() !== 'schemas'),
    )
    if (Object.keys(value).length > 0) return [{ op: 'replace', value }]
  }
  if (schemas === undefined ? !quirks.missingSchemas : !announced) {
    throw invalidSyntax(`The attribute schemas must contain ${PATCH_URN}.`)
  }
  if (!Array.isArray(operations)) throw invalidSyntax('Operations must be a list.')
  if (operations.length === 0 && !quirks.emptyOperations) {
    throw invalidSyntax('Operations must not be empty.')
  }
  return operations
}

/**
 * Normalises operations of different client dialects to steps (sections 9 and 11).
 * @throws ScimError
 */
export function planPatch(
  operations: readonly unknown[],
  schema: ResourceSchema,
  context: PatchContext,
): readonly PatchStep[] {
  if (operations.length > context.limits.patchOperations) {
    throw new ScimError(
      'too_large',
      `A request may hold ${context.limits.patchOperations} operations.`,
    )
  }
  const setsActive = (): boolean => operations.some((one) => isActivation(one, schema, context))
  return operations.flatMap((operation) =>
    planOperation(operation, schema, { ...context, setsActive }),
  )
}

function planOperation(
  operation: unknown,
  schema: ResourceSchema,
  context: PlanContext,
): readonly PatchStep[] {
  if (!isObject(operation)) throw invalidSyntax('An operation must be an object.')
  const op = readOp(memberOf(operation, 'op'), context.quirks)
  const path = memberOf(operation, 'path')
  const value = memberOf(operation, 'value')
  if (path !== undefined && path !== null && typeof path !== 'string') {
    throw invalidPath('A path must be a string.')
  }
  if (op !== 'remove' && value === undefined) {
    throw invalidValue(`The operation ${op} needs a value.`)
  }
  if (typeof path === 'string') return planPath({ op, path, value }, schema, context)
  if (context.requirePatchPath === true) throw invalidSyntax('An operation needs a path.')
  if (op === 'remove') return planListedRemoval(value, schema, context)
  const object = context.quirks.jsonText ? fromText(value, context) : value
  if (!isObject(object))
    throw invalidValue('The value of an operation without path must be an object.')
  return planObject({ op, object }, schema, context)
}

/** `{"op":"remove","value":{"members":[...]}}` removes the listed members (quirk `removeValueList`). */
function planListedRemoval(
  value: unknown,
  schema: ResourceSchema,
  context: PatchContext,
): readonly PatchStep[] {
  const [key, second] = isObject(value) ? Object.keys(value) : []
  const target = key === undefined ? undefined : findKey(key, schema, context)
  const isMembers = target?.extension === null && target.attribute?.name === 'members'
  const members = isObject(value) && key !== undefined ? value[key] : undefined
  if (context.quirks.removeValueList && isMembers && second === undefined && members != null) {
    return planTarget({ op: 'remove', target, value: members }, schema, context)
  }
  throw new ScimError('no_target', 'The operation remove needs a path.')
}

/** The attributes of a value without path; those below the core URN count as if they stood at the top. */
function planObject(
  {
    op,
    object,
  }: { readonly op: 'add' | 'replace'; readonly object: Readonly<Record<string, unknown>> },
  schema: ResourceSchema,
  context: PatchContext,
): readonly PatchStep[] {
  const keys = Object.keys(object)
  const names = new Set(keys.map((key) => key.toLowerCase()))
  return keys.flatMap((key) => {
    const value = object[key]
    if (!context.quirks.coreObject || !isCoreUrn(schema, key)) {
      return planKey({ op, key, value, extension: null }, schema, context)
    }
    if (value === null) return []
    return Object.entries(coreObject(value, schema)).flatMap(([name, inner]) => {
      if (!names.has(name.toLowerCase())) {
        return planKey({ op, key: name, value: inner, extension: null }, schema, context)
      }
      noteIgnored(context.notes, `${schema.urn}:${name}`, 'given_twice')
      return []
    })
  })
}

function coreObject(value: unknown, { urn }: ResourceSchema): Readonly<Record<string, unknown>> {
  if (isObject(value)) return value
  throw invalidValue(`${urn} must be an object.`)
}

/** The context of one operation among those of a request. */
interface PlanContext extends PatchContext {
  /** Whether some operation of the request sets `active`, which nothing else may prevent. */
  readonly setsActive: () => boolean
}

function readOp(value: unknown, quirks: QuirkSwitches): PatchStep['op'] {
  const op = quirks.opCase && typeof value === 'string' ? value.toLowerCase() : value
  if (op === 'add' || op === 'replace' || op === 'remove') return op
  throw invalidSyntax(
    typeof value === 'string'
      ? `"${quoteValue(value)}" is not a PATCH operation.`
      : 'An operation needs op: add, replace or remove.',
  )
}

function planPath(
  {
    op,
    path,
    value,
  }: { readonly op: PatchStep['op']; readonly path: string; readonly value: unknown },
  schema: ResourceSchema,
  context: PlanContext,
): readonly PatchStep[] {
  // The URN alone, as some connectors send it with the colon that would precede a name.
  if (context.quirks.coreObject && isCoreUrn(schema, path.replace(/:$/, ''))) {
    if (op === 'remove') throw new ScimError('no_target', `The path ${schema.urn} has no target.`)
    return planObject({ op, object: coreObject(value, schema) }, schema, context)
  }
  const names = parsePath(path, pathLimits(context))
  const target = findTarget(names, schema, context)
  if (target !== undefined) return planTarget({ op, target, value }, schema, context)
  const isSkipped = names.urn !== null || context.setsActive()
  if (!context.quirks.unknownPaths || context.rejectUnknown || !isSkipped) {
    throw invalidPath(`Unknown attribute ${withoutLiterals(path)}.`)
  }
  noteIgnored(context.notes, withoutLiterals(path), unknownPath(path))
  return []
}

/** A path that begins with an unknown URN names an extension; one below a known URN, an attribute. */
const unknownPath = (path: string) =>
  path.toLowerCase().startsWith('urn:') && !isKnownUrn(path)
    ? 'unknown_extension'
    : 'unknown_attribute'

const isKnownUrn = (path: string): boolean =>
  path.toLowerCase().startsWith('urn:ietf:params:scim:schemas:')

/** One attribute of a value without path, or of an extension's value. */
interface KeyStep {
  readonly op: 'add' | 'replace'
  readonly key: string
  readonly value: unknown
  /** The extension the key's value belongs to. */
  readonly extension: ExtensionSchema | null
}

function planKey(
  { op, key, value, extension }: KeyStep,
  schema: ResourceSchema,
  context: PatchContext,
): readonly PatchStep[] {
  if (extension !== null && key.toLowerCase() === 'schemas') return []
  const path = extension === null ? key : `${extension.urn}:${key}`
  const target = findKey(path, schema, context.quirks.pathKeys ? context : plainKeys(context))
  if (target === undefined) {
    if (context.rejectUnknown) throw unknownAttribute(withoutLiterals(key))
    noteIgnored(context.notes, withoutLiterals(path), unknownPath(path))
    return []
  }
  const prefixed = extension === null && target.attribute !== null && key.includes(':')
  const plain = target.sub === null && target.where === null && !prefixed
  if (!plain && !context.quirks.pathKeys) {
    noteIgnored(context.notes, withoutLiterals(path))
    return []
  }
  if (isReadOnly(target)) {
    if (context.quirks.readOnlyInValue) return []
    throw notMutable(targetText(target))
  }
  return planTarget({ op, target, value }, schema, context)
}

/** Without path keys, extension attributes cannot be given by their bare name either. */
function plainKeys(context: PatchContext): PatchContext {
  return { ...context, quirks: { ...context.quirks, unprefixedExtension: false } }
}

/** A key that is not a path is an unknown one. */
function findKey(
  key: string,
  schema: ResourceSchema,
  context: PatchContext,
): PatchTarget | undefined {
  try {
    return findTarget(parsePath(key, pathLimits(context)), schema, context)
  } catch (error) {
    if (isScimError(error)) return undefined
    throw error
  }
}

function planTarget(
  step: PatchStep,
  schema: ResourceSchema,
  context: PatchContext,
): readonly PatchStep[] {
  const { op, target, value } = step
  if (context.quirks.unknownPaths && isSchemas(target)) return []
  if (isReadOnly(target)) {
    if (op !== 'remove' && isUnchanged(target, value, context)) return []
    throw notMutable(targetText(target))
  }
  if (target.attribute !== null) assertReadable(target.attribute, context)
  if (target.attribute?.mutability === 'writeOnly') return []
  if (op !== 'remove' && (value === null || isEmptied(step))) return planNull(step)
  if (target.attribute !== null || op === 'remove') return [step]
  const extension = target.extension
  if (extension === null || !isObject(value)) {
    throw invalidValue(`The value of ${targetText(target)} must be an object.`)
  }
  return Object.keys(value).flatMap((key) =>
    planKey({ op, key, value: value[key], extension }, schema, context),
  )
}

/** `null` is not a value: replacing with it removes, adding it adds nothing. */
function planNull({ target, op }: PatchStep): readonly PatchStep[] {
  return op === 'add' ? [] : [{ op: 'remove', target, value: undefined }]
}

/** Returns whether a step sets a whole object or extension to an empty value, which unassigns it. */
function isEmptied({ target, value }: PatchStep): boolean {
  const { extension, attribute, sub, where } = target
  if (sub !== null || where !== null || !isEmptyValue(value)) return false
  if (attribute !== null && isManager(extension, attribute.name)) return false
  if (attribute === null) return extension !== null
  return attribute.type === 'complex' && !attribute.multiValued
}

/** `schemas` is computed, so that no operation on it has an effect. */
function isSchemas({ extension, attribute }: PatchTarget): boolean {
  return extension === null && attribute?.name === 'schemas'
}

/** Returns whether a readOnly attribute already has a value. */
function isUnchanged(
  { extension, attribute, sub, where }: PatchTarget,
  value: unknown,
  { shown }: PatchContext,
): boolean {
  if (shown === undefined || attribute === null || where !== null) return false
  const resource = shown()
  const holder = extension === null ? resource : resource[extension.urn]
  const current = isObject(holder) ? holder[attribute.name] : undefined
  const held = sub === null || !isObject(current) ? current : current[sub.name]
  return held === undefined ? value === null || isEmptyValue(value) : isEqual(held, value)
}

function isReadOnly({ attribute, sub }: PatchTarget): boolean {
  return attribute?.mutability === 'readOnly' || sub?.mutability === 'readOnly'
}

function pathLimits({ limits, quirks }: PatchContext): Parameters<typeof parsePath>[1] {
  return {
    pathLength: limits.pathLength,
    filterLength: limits.filterLength,
    filterTerms: limits.filterTerms,
    filterDepth: limits.filterDepth,
    bareFilterValues: quirks.bareFilterValues,
  }
}
