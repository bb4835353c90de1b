import { checkPath, isPlainPath } from '../../data/check-path.ts'
import { isSurfaceError, quote } from '../../diagnostics/errors.ts'
import type { Finding, Report } from '../../diagnostics/report.ts'
import { parseExpression } from '../../functions/expression.ts'
import { isPlainObject, ownValue } from '../../json.ts'
import { nearest } from '../nearest.ts'
import { isBinding } from '../../functions/evaluate.ts'
import { fitsSlot } from './fits-slot.ts'
import type { FunctionShape, ShapeV09, SlotV09 } from './shape.ts'

/** What a check of a component needs beside its value. */
export interface CheckContext {
  readonly report: Report
  readonly functions: ReadonlyMap<string, FunctionShape>
  /** What a wrong value is called: that of a property, or of an argument. */
  readonly code: 'invalid_property_value' | 'invalid_argument'
  /** Calls around the value. */
  readonly depth: number
}

/** Findings that tolerant mode does not forgive. */
const FATAL: Finding = { fatal: true }

/** Checks an object against its shape. */
export function checkShapeV09(
  value: Readonly<Record<string, unknown>>,
  shape: ShapeV09,
  context: CheckContext,
): void {
  const { report } = context
  const { path } = report
  for (const name of Object.keys(value)) {
    const member = value[name]
    if (member === undefined) continue
    const slot = shape.fields.get(name)
    if (slot !== undefined) {
      path.push(name)
      checkSlotV09(member, slot, context)
      path.pop()
    } else if (!shape.open) {
      if (context.code === 'invalid_argument') {
        report.add('invalid_argument', `There is no argument ${quote(name)}.`, { at: [name] })
      } else report.unknown('invalid_property', name, nearest(name, shape.fields.keys()))
    }
  }
  for (const name of shape.required) {
    if (ownValue(value, name) !== undefined) continue
    if (context.code === 'invalid_argument') {
      report.add('invalid_argument', `The argument ${quote(name)} is required.`, { at: [name] })
    } else report.missing('missing_property', name)
  }
}

function refuse({ report, code }: CheckContext, what: string, finding?: Finding): void {
  report.must(code, what, finding)
}

/** Checks a value at the current place of the report. */
export function checkSlotV09(value: unknown, slot: SlotV09, context: CheckContext): void {
  switch (slot.kind) {
    case 'string':
    case 'boolean':
      if (typeof value !== slot.kind) refuse(context, `a ${slot.kind}`)
      break
    case 'number':
      if (typeof value !== 'number') refuse(context, 'a number')
      break
    case 'integer':
      if (!Number.isInteger(value)) refuse(context, 'a whole number')
      break
    case 'any':
      break
    case 'id':
      checkId(value, context)
      break
    case 'children':
      checkChildren(value, context)
      break
    case 'action':
      checkAction(value, context)
      break
    case 'checks':
      checkChecks(value, context)
      break
    case 'binding':
      if (isPlainObject(value) && 'path' in value) checkBinding(value, context)
      else refuse(context, 'a binding {path}')
      break
    case 'call':
      if (isPlainObject(value)) checkCall(value, context)
      else refuse(context, 'a call {call, args}')
      break
    default:
      checkOther(value, slot, context)
  }
}

function checkOther(value: unknown, slot: SlotV09, context: CheckContext): void {
  switch (slot.kind) {
    case 'enum':
      if (!slot.values.has(value)) refuse(context, `one of ${[...slot.values].join(', ')}`)
      break
    case 'pattern':
      if (typeof value !== 'string' || !slot.test(value))
        refuse(context, 'a string of another form')
      break
    case 'range':
      if (
        typeof value !== 'number' ||
        value < slot.low ||
        value > slot.high ||
        (slot.whole && !Number.isInteger(value))
      ) {
        refuse(context, 'a number within its bounds')
      }
      break
    case 'list':
      checkList(value, slot.item, slot.minimum, context)
      break
    case 'object':
      if (!isPlainObject(value)) refuse(context, 'an object')
      else if (slot.shape.fields.size === 0 && isBinding(value)) checkBinding(value, context)
      else checkShapeV09(value, slot.shape, context)
      break
    case 'one':
      checkOne(value, slot.slots, context)
      break
    case 'schema': {
      const found = slot.check(value)
      if (found !== null)
        context.report.add(context.code, found.message, { pointer: found.pointer })
      break
    }
    default:
      checkDynamic(value, slot.kind, context)
  }
}

function checkList(value: unknown, item: SlotV09, minimum: number, context: CheckContext): void {
  if (!Array.isArray(value)) return refuse(context, 'an array')
  if (value.length < minimum) refuse(context, `an array of at least ${minimum}`)
  const { path } = context.report
  for (let index = 0; index < value.length; index += 1) {
    path.push(index)
    checkSlotV09(value[index], item, context)
    path.pop()
  }
}

function checkOne(value: unknown, slots: readonly SlotV09[], context: CheckContext): void {
  if (slots.some((slot) => fitsSlot(value, slot))) {
    const slot = slots.find((one) => fitsSlot(value, one))
    if (slot !== undefined) checkSlotV09(value, slot, context)
  } else refuse(context, 'a value of another form')
}

function checkId(value: unknown, context: CheckContext): void {
  const { report } = context
  if (typeof value !== 'string' || value === '') refuse(context, 'the id of a component', FATAL)
  else if (value.length > report.limits.idLength) report.exceeds('idLength')
}

/** A list of ids, or `{componentId, path}`. */
function checkChildren(value: unknown, context: CheckContext): void {
  const { report } = context
  const { path } = report
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      path.push(index)
      checkId(value[index], context)
      path.pop()
    }
    return
  }
  if (!isPlainObject(value)) return refuse(context, 'an array of ids or a template', FATAL)
  for (const name of Object.keys(value)) {
    path.push(name)
    if (name === 'componentId') checkId(value[name], context)
    else if (name === 'path') checkPathText(value[name], context, FATAL)
    else {
      path.pop()
      report.unknown('invalid_property', name)
      continue
    }
    path.pop()
  }
  for (const name of ['componentId', 'path']) {
    if (value[name] === undefined) report.missing('missing_property', name, FATAL)
  }
}

function checkPathText(value: unknown, context: CheckContext, finding?: Finding): void {
  if (typeof value !== 'string') refuse(context, 'a path', finding)
  else if (!isPlainPath(value, context.report)) checkPath(value, context.report)
}

const literalTypes: Readonly<Record<string, (value: unknown) => boolean>> = {
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
  for (const name of Object.keys(value)) {
    if (name !== 'path') report.unknown('invalid_property', name)
  }
  report.path.push('path')
  checkPathText(value.path, context)
  report.path.pop()
}

const RETURN_TYPES = new Set(['string', 'number', 'boolean', 'array', 'object', 'any', 'void'])
const CALL_MEMBERS = new Set(['call', 'args', 'returnType', 'catalogId'])

/** A call against the function that it names (SN-15 step 8). */
function checkCall(value: Record<string, unknown>, context: CheckContext, expected?: string): void {
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
      [shape.returns, 'any'].includes(returnType) &&
      (expected === undefined || [expected, 'any'].includes(returnType))
    if (!isRight) refuse(context, `the type that ${name} gives`, { at: ['returnType'] })
  }
  const inner: CheckContext = { ...context, code: 'invalid_argument', depth: depth + 1 }
  report.path.push('args')
  checkShapeV09(args, shape.args, inner)
  if (shape.anyOf.length > 0 && !shape.anyOf.some((one) => args[one] !== undefined)) {
    report.add('invalid_argument', `One of the arguments ${shape.anyOf.join(', ')} is required.`)
  }
  if (name === 'formatString') checkTemplate(args.value, inner)
  report.path.pop()
}

/** The text of a template, and the calls in it. */
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

/** `{event: {name, context}}` or `{functionCall}`, exactly one of the two. */
function checkAction(value: unknown, context: CheckContext): void {
  if (!isPlainObject(value)) return refuse(context, 'an object')
  const { report } = context
  const names = Object.keys(value).filter((name) => value[name] !== undefined)
  const [name] = names
  if (names.length !== 1 || (name !== 'event' && name !== 'functionCall')) {
    report.must('not_exactly_one', 'an object with either event or functionCall')
    return
  }
  report.path.push(name)
  const member = value[name]
  if (!isPlainObject(member)) refuse(context, 'an object')
  else if (name === 'functionCall') checkCall(member, context)
  else checkEvent(member, context)
  report.path.pop()
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

/** `[{condition, message}]` (SN-41). */
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
