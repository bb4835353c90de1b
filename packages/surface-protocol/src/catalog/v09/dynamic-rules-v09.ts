import { isSurfaceError, quote } from '../../diagnostics/errors.ts'
import { parseExpression } from '../../functions/expression.ts'
import { isBinding, isCall, plainSyntax } from '../../functions/value-syntax.ts'
import { isPlainObject } from '../../json.ts'
import { nearest } from '../nearest.ts'
import { checkActionV09 } from './check-action-v09.ts'
import {
  checkArgumentsV09,
  checkPathText,
  refuse,
  type CheckContext,
  type DynamicRules,
} from './check-slot-v09.ts'

/** Validation of bindings, calls, actions and checks in version 0.9.1. */
export const dynamicRulesV09: DynamicRules = {
  syntax: plainSyntax,
  dynamic: checkDynamic,
  binding: checkBinding,
  call: checkCall,
  action: checkAction,
  checks: checkChecks,
  any(value, context) {
    // Elsewhere an object with these keys may be data.
    if (context.code !== 'invalid_argument') return
    if (isBinding(value)) checkBinding(value, context)
    else if (isCall(value)) checkCall(value, context)
  },
}

/** Tests for literals, by kind of slot. */
export const literalTypes: Readonly<Record<string, (value: unknown) => boolean>> = {
  dString: (value) => typeof value === 'string',
  dNumber: (value) => typeof value === 'number',
  dBoolean: (value) => typeof value === 'boolean',
  dStrings: (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
  dValue: (value) =>
    typeof value === 'string' ||
    typeof value === 'number' ||
    typeof value === 'boolean' ||
    Array.isArray(value),
}
const returnTypes: Readonly<Record<string, string>> = {
  dString: 'string',
  dNumber: 'number',
  dBoolean: 'boolean',
  dStrings: 'array',
}

/** A literal, a binding or a call. */
function checkDynamic(value: unknown, kind: string, context: CheckContext): void {
  if (!isPlainObject(value)) {
    if (literalTypes[kind]?.(value) !== true) refuse(context, 'a literal of its type, or dynamic')
    return
  }
  if ('path' in value && !('call' in value)) checkBinding(value, context)
  else if ('call' in value) checkCall(value, context, returnTypes[kind])
  else refuse(context, 'a literal of its type, a binding or a call')
}

function checkBinding(value: Record<string, unknown>, context: CheckContext): void {
  const { report } = context
  if (!('path' in value)) {
    refuse(context, 'a binding {path}')
    return
  }
  for (const name of Object.keys(value)) {
    if (name !== 'path') report.unknown('invalid_property', name)
  }
  report.path.push('path')
  checkPathText(value.path, context)
  report.path.pop()
}

const RETURN_TYPES = new Set(['string', 'number', 'boolean', 'array', 'object', 'any', 'void'])
const CALL_MEMBERS = new Set(['call', 'args', 'returnType', 'catalogId'])

/** Validates a call against the function it names. */
function checkCall(value: Record<string, unknown>, context: CheckContext, expected?: string): void {
  const { report } = context
  report.calls += 1
  judgeCall(value, context, expected)
  report.calls -= 1
}

function judgeCall(value: Record<string, unknown>, context: CheckContext, expected?: string): void {
  const { report, functions, depth } = context
  const { call: name, args = {}, returnType } = value
  if (depth >= report.limits.callDepth) return report.exceeds('callDepth')
  for (const key of Object.keys(value)) {
    if (!CALL_MEMBERS.has(key)) report.unknown('invalid_property', key)
  }
  if (typeof name !== 'string' || name === '') {
    return refuse(context, 'the name of a function', { at: ['call'] })
  }
  if (!isPlainObject(args)) return refuse(context, 'an object', { at: ['args'] })
  const shape = functions.get(name)
  if (shape === undefined) {
    report.add('unknown_function', `The catalog has no function ${quote(name)}.`, {
      at: ['call'],
      hint: nearest(name, functions.keys()),
    })
    return
  }
  if (returnType !== undefined) {
    const isRight =
      typeof returnType === 'string' &&
      RETURN_TYPES.has(returnType) &&
      (shape.returns === 'any' || [shape.returns, 'any'].includes(returnType)) &&
      (expected === undefined || [expected, 'any'].includes(returnType))
    if (!isRight) refuse(context, `the type that ${name} gives`, { at: ['returnType'] })
  }
  const inner: CheckContext = { ...context, code: 'invalid_argument', depth: depth + 1 }
  report.path.push('args')
  checkArgumentsV09(args, shape, inner)
  if (name === 'formatString') checkTemplate(args.value, inner)
  report.path.pop()
}

/** Validates a template string and the calls in it. */
function checkTemplate(template: unknown, context: CheckContext): void {
  if (typeof template !== 'string') return
  const { report } = context
  report.path.push('value')
  try {
    for (const part of parseExpression(template)) {
      if (typeof part !== 'object' || part === null) continue
      if ('call' in part) checkCall({ call: part.call, args: part.args }, context)
      else checkPathText(part.path, context)
    }
  } catch (error) {
    if (!isSurfaceError(error)) throw error
    report.add('invalid_expression', error.detail)
  }
  report.path.pop()
}

/** `{event: {name, context}}` or `{functionCall}`, exactly one of them. */
function checkAction(value: unknown, context: CheckContext): void {
  checkActionV09(value, context, { event: checkEvent, functionCall: checkCall })
}

function checkEvent(event: Record<string, unknown>, context: CheckContext): void {
  const { report } = context
  for (const name of Object.keys(event)) {
    if (name !== 'name' && name !== 'context') report.unknown('invalid_property', name)
  }
  if (event.name === undefined) report.missing('missing_property', 'name')
  else if (typeof event.name !== 'string') refuse(context, 'a string', { at: ['name'] })
  if (event.context === undefined) return
  if (!isPlainObject(event.context)) return refuse(context, 'an object', { at: ['context'] })
  report.path.push('context')
  for (const name of Object.keys(event.context)) {
    report.path.push(name)
    checkDynamic(event.context[name], 'dValue', context)
    report.path.pop()
  }
  report.path.pop()
}

/** `[{condition, message}]`. */
function checkChecks(value: unknown, context: CheckContext): void {
  if (!Array.isArray(value)) return refuse(context, 'an array')
  const { report } = context
  if (value.length > report.limits.checksPerComponent) return report.exceeds('checksPerComponent')
  value.forEach((check: unknown, index) => {
    report.path.push(index)
    if (isPlainObject(check)) {
      for (const name of Object.keys(check)) {
        if (name !== 'condition' && name !== 'message') report.unknown('invalid_property', name)
      }
      if (check.condition === undefined) report.missing('missing_property', 'condition')
      else {
        report.path.push('condition')
        checkDynamic(check.condition, 'dBoolean', context)
        report.path.pop()
      }
      if (check.message === undefined) report.missing('missing_property', 'message')
      else if (typeof check.message !== 'string') refuse(context, 'a string', { at: ['message'] })
    } else refuse(context, 'an object')
    report.path.pop()
  })
}
