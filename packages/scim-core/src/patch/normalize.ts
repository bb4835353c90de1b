import { isObject } from '@x/wire'
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
import { unknownAttribute } from '../schema/read-value.ts'
import type { ExtensionSchema, ResourceSchema } from '../schema/registry.ts'
import { assertReadable, readUrns } from '../schema/read-resource.ts'
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

/** The member of an object whose name equals `name`, ignoring case. */
export function memberOf(object: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(object, name)) return object[name]
  const lower = name.toLowerCase()
  const key = Object.keys(object).find((one) => one.toLowerCase() === lower)
  return key === undefined ? undefined : object[key]
}

/**
 * Parses the operations of a PATCH body (SC-45, SC-53).
 * @throws ScimError invalidSyntax
 */
export function readPatchBody(body: unknown, quirks: QuirkSwitches): readonly unknown[] {
  if (!isObject(body)) throw invalidSyntax('The body must be a JSON object.')
  const schemas = memberOf(body, 'schemas')
  const operations = memberOf(body, 'Operations')
  const announced = schemas !== undefined && readUrns(schemas).includes(PATCH_URN.toLowerCase())
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
  return operations.flatMap((operation) => planOperation(operation, schema, context))
}

function planOperation(
  operation: unknown,
  schema: ResourceSchema,
  context: PatchContext,
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
  if (op === 'remove') throw new ScimError('no_target', 'The operation remove needs a path.')
  if (!isObject(value))
    throw invalidValue('The value of an operation without path must be an object.')
  return Object.keys(value).flatMap((key) =>
    planKey({ op, key, value: value[key], extension: null }, schema, context),
  )
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
  context: PatchContext,
): readonly PatchStep[] {
  const target = findTarget(parsePath(path, pathLimits(context)), schema, context)
  if (target === undefined) throw invalidPath(`There is no attribute ${withoutLiterals(path)}.`)
  return planTarget({ op, target, value }, schema, context)
}

/** One attribute of a value without path, or of an extension's value (SC-52). */
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
    return []
  }
  const prefixed = extension === null && target.attribute !== null && key.includes(':')
  const plain = target.sub === null && target.where === null && !prefixed
  if (!plain && !context.quirks.pathKeys) return []
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
  if (isReadOnly(target)) throw notMutable(targetText(target))
  if (target.attribute !== null) assertReadable(target.attribute, context)
  if (target.attribute?.mutability === 'writeOnly') return []
  if (op !== 'remove' && value === null) return planNull(step)
  if (target.attribute !== null || op === 'remove') return [step]
  const extension = target.extension
  if (extension === null || !isObject(value)) {
    throw invalidValue(`The value of ${targetText(target)} must be an object.`)
  }
  return Object.keys(value).flatMap((key) =>
    planKey({ op, key, value: value[key], extension }, schema, context),
  )
}

/** `null` is not a value: replacing with it removes, adding it adds nothing (SC-49, SH-70). */
function planNull({ target, op }: PatchStep): readonly PatchStep[] {
  return op === 'add' ? [] : [{ op: 'remove', target, value: undefined }]
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
