import { isIdentifier } from '../../data/identifier.ts'
import { isSurfaceError, quote } from '../../diagnostics/errors.ts'
import { parseExpression, type ExpressionPart } from '../../functions/expression.ts'
import { taggedSyntax } from '../../functions/tagged-syntax.ts'
import { isPlainObject, setOwn, type JsonObject } from '../../json.ts'
import { nearest } from '../nearest.ts'
import { checkActionV09 } from '../v09/check-action-v09.ts'
import {
  checkArgumentsV09,
  checkPathText,
  checkSlotV09,
  refuse,
  type CheckContext,
  type DynamicRules,
} from '../v09/check-slot-v09.ts'
import { literalTypes } from '../v09/dynamic-rules-v09.ts'
import type { FoundCatalog } from './find-catalog.ts'

/** Validation of a version 1.0 component, whose calls may name their own catalogs. */
export interface CheckContextV1 extends CheckContext {
  /** Finds the catalog of a call. */
  readonly find: (catalogId: string | undefined) => FoundCatalog
}

/**
 * Validation of bindings, calls, actions and checks in version 1.0; `find` returns the catalog of a call.
 */
export function createRulesV1(find: CheckContextV1['find']): DynamicRules {
  return {
    syntax: taggedSyntax,
    dynamic: checkDynamic,
    binding: checkBinding,
    call: (value, context) => checkCall(value, { ...context, find }),
    action: (value, context) => checkAction(value, { ...context, find }),
    checks: (value, context) => checkChecks(value, { ...context, find }),
    any: checkAny,
  }
}

/** A literal, a binding or a call; a DynamicValue may also be any other object. */
function checkDynamic(value: unknown, kind: string, context: CheckContext): void {
  if (!isPlainObject(value)) {
    if (literalTypes[kind]?.(value) !== true) refuse(context, 'a literal of its type, or dynamic')
    else if (kind === 'dValue') checkAny(value, context)
  } else if ('@path' in value) checkBinding(value, context)
  else if ('@call' in value) context.rules.call(value, context)
  else if (kind === 'dValue') checkAny(value, context)
  else refuse(context, 'a literal of its type, a binding or a call')
}

/** Any JSON: computed values in it are validated, and keys with a single `@` are rejected. */
function checkAny(value: unknown, context: CheckContext): void {
  if (typeof value !== 'object' || value === null) return
  const { path } = context.report
  if (Array.isArray(value)) {
    value.forEach((item: unknown, index) => {
      if (typeof item !== 'object' || item === null) return
      path.push(index)
      checkAny(item, context)
      path.pop()
    })
    return
  }
  const members = value as Record<string, unknown>
  if ('@path' in members) checkBinding(members, context)
  else if ('@call' in members) context.rules.call(members, context)
  else {
    for (const key of Object.keys(members)) {
      if (isReserved(key)) refuseKey(key, context)
      path.push(key)
      checkAny(members[key], context)
      path.pop()
    }
  }
}

function isReserved(key: string): boolean {
  return key.startsWith('@') && !key.startsWith('@@')
}

function refuseKey(key: string, { report }: CheckContext): void {
  const message = `The key ${quote(key)} is reserved; a key of data that begins with "@" doubles it.`
  report.add('reserved_key', message, { at: [key] })
}

function checkBinding(value: Record<string, unknown>, context: CheckContext): void {
  const { report } = context
  if (!('@path' in value)) return refuse(context, 'a binding {"@path"}')
  for (const name of Object.keys(value)) {
    if (name === '@path') continue
    if (isReserved(name)) refuseKey(name, context)
    else report.unknown('invalid_property', name)
  }
  report.path.push('@path')
  checkPathText(value['@path'], context)
  report.path.pop()
}

const CALL_MEMBERS = new Set(['@call', 'args', 'catalogId'])

/** Validates a call against the function in its own catalog. */
function checkCall(value: Record<string, unknown>, context: CheckContextV1): void {
  const { report } = context
  report.calls += 1
  judgeCall(value, context)
  report.calls -= 1
}

function judgeCall(value: Record<string, unknown>, context: CheckContextV1): void {
  const { report, depth, find } = context
  const { '@call': name, args = {}, catalogId } = value
  if (depth >= report.limits.callDepth) return report.exceeds('callDepth')
  for (const key of Object.keys(value)) {
    if (CALL_MEMBERS.has(key)) continue
    if (isReserved(key)) refuseKey(key, context)
    else report.unknown('invalid_property', key)
  }
  if (typeof name !== 'string' || name === '') {
    return refuse(context, 'the name of a function', { at: ['@call'] })
  }
  if (!isPlainObject(args)) return refuse(context, 'an object', { at: ['args'] })
  const inner: CheckContextV1 = { ...context, code: 'invalid_argument', depth: depth + 1 }
  if (name.startsWith('@')) return checkSystemCall(name, args, inner)
  if (!isIdentifier(name)) {
    report.add('invalid_identifier', `The name ${quote(name)} is not an identifier.`, {
      at: ['@call'],
    })
    return
  }
  if (catalogId !== undefined && (typeof catalogId !== 'string' || catalogId === '')) {
    return refuse(context, 'the id of a catalog', { at: ['catalogId'] })
  }
  const found = find(catalogId)
  if (found.core === null) {
    const at = [catalogId === undefined ? '@call' : 'catalogId']
    report.add(found.code, found.message, { at })
    return
  }
  const functions = found.core.v09?.functions
  const shape = functions?.get(name)
  if (functions === undefined || shape === undefined) {
    report.add('unknown_function', `The catalog has no function ${quote(name)}.`, {
      at: ['@call'],
      hint: nearest(name, functions?.keys() ?? []),
    })
    return
  }
  report.path.push('args')
  checkArgumentsV09(args, shape, inner)
  if (name === 'formatString') checkTemplate(args.value, inner)
  report.path.pop()
}

/** `@index` with an offset, the only function of the protocol itself. */
function checkSystemCall(
  name: string,
  args: Record<string, unknown>,
  context: CheckContextV1,
): void {
  const { report } = context
  if (name !== '@index') {
    report.add('unknown_function', `There is no function ${quote(name)}.`, { at: ['@call'] })
    return
  }
  report.path.push('args')
  for (const key of Object.keys(args)) {
    if (key === 'offset') {
      report.path.push(key)
      checkSlotV09(args[key], { kind: 'dNumber' }, context)
      report.path.pop()
    } else report.add('invalid_argument', `There is no argument ${quote(key)}.`, { at: [key] })
  }
  report.path.pop()
}

/** Validates a template string and the calls in it. */
function checkTemplate(template: unknown, context: CheckContextV1): void {
  if (typeof template !== 'string') return
  const { report } = context
  report.path.push('value')
  try {
    for (const part of parseExpression(template)) {
      const tagged = toTagged(part)
      if (!isPlainObject(tagged)) continue
      if ('@call' in tagged) checkCall(tagged, context)
      else checkPathText(tagged['@path'], context)
    }
  } catch (error) {
    if (!isSurfaceError(error)) throw error
    report.add('invalid_expression', error.detail)
  }
  report.path.pop()
}

/** Converts a template part to the form of version 1.0. */
function toTagged(part: ExpressionPart): unknown {
  if (typeof part !== 'object' || part === null) return part
  if ('path' in part) return { '@path': part.path }
  const args: JsonObject = {}
  for (const [name, value] of Object.entries(part.args)) {
    setOwn(args, name, toTagged(value as ExpressionPart))
  }
  return { '@call': part.call, args }
}

/** `{event: {name, userMessage, context}}` or `{functionCall}`, exactly one of them. */
function checkAction(value: unknown, context: CheckContextV1): void {
  checkActionV09(value, context, { event: checkEvent, functionCall: checkCall })
}

function checkEvent(event: Record<string, unknown>, context: CheckContextV1): void {
  const { report } = context
  const { name, userMessage, context: sent } = event
  for (const key of Object.keys(event)) {
    if (!['name', 'userMessage', 'context'].includes(key)) report.unknown('invalid_property', key)
  }
  if (name === undefined) report.missing('missing_property', 'name')
  else if (typeof name !== 'string') refuse(context, 'a string', { at: ['name'] })
  if (userMessage !== undefined) {
    report.path.push('userMessage')
    checkDynamic(userMessage, 'dString', context)
    report.path.pop()
  }
  if (sent === undefined) return
  if (!isPlainObject(sent)) return refuse(context, 'an object', { at: ['context'] })
  report.path.push('context')
  for (const key of Object.keys(sent)) {
    if (isReserved(key)) refuseKey(key, context)
    report.path.push(key)
    checkDynamic(sent[key], 'dValue', context)
    report.path.pop()
  }
  report.path.pop()
}

/** `[{condition, message?}]`, the condition a binding or a call. */
function checkChecks(value: unknown, context: CheckContextV1): void {
  if (!Array.isArray(value)) return refuse(context, 'an array')
  const { report } = context
  if (value.length > report.limits.checksPerComponent) return report.exceeds('checksPerComponent')
  value.forEach((check: unknown, index) => {
    report.path.push(index)
    if (isPlainObject(check)) checkOne(check, context)
    else refuse(context, 'an object')
    report.path.pop()
  })
}

function checkOne(check: Record<string, unknown>, context: CheckContextV1): void {
  const { report } = context
  const { condition, message } = check
  for (const name of Object.keys(check)) {
    if (name !== 'condition' && name !== 'message') report.unknown('invalid_property', name)
  }
  if (message !== undefined && typeof message !== 'string') {
    refuse(context, 'a string', { at: ['message'] })
  }
  if (condition === undefined) {
    report.missing('missing_property', 'condition')
    return
  }
  report.path.push('condition')
  if (isPlainObject(condition)) checkDynamic(condition, 'dBoolean', context)
  else refuse(context, 'a binding or a call')
  report.path.pop()
}
