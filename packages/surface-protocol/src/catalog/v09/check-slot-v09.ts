import { checkPath, isPlainPath } from '../../data/check-path.ts'
import { quote } from '../../diagnostics/errors.ts'
import type { Finding, Report } from '../../diagnostics/report.ts'
import type { ValueSyntax } from '../../functions/value-syntax.ts'
import { isPlainObject, ownValue } from '../../json.ts'
import { nearest } from '../nearest.ts'
import { matchesProperty } from './matches-property.ts'
import type { FunctionShape, ShapeV09, SlotV09 } from './shape.ts'

/** Context for validating a component. */
export interface CheckContext {
  readonly report: Report
  readonly rules: DynamicRules
  readonly functions: ReadonlyMap<string, FunctionShape>
  /** Error code for an invalid value: of a property, or of an argument. */
  readonly code: 'invalid_property_value' | 'invalid_argument'
  /** Number of enclosing calls. */
  readonly depth: number
}

/** A version's validation of computed values. */
export interface DynamicRules {
  readonly syntax: ValueSyntax
  /** A slot for a kind of value: literals, bindings or calls. */
  dynamic(value: unknown, kind: string, context: CheckContext): void
  binding(value: Record<string, unknown>, context: CheckContext): void
  call(value: Record<string, unknown>, context: CheckContext): void
  action(value: unknown, context: CheckContext): void
  checks(value: unknown, context: CheckContext): void
  /** A slot for any JSON. */
  any(value: unknown, context: CheckContext): void
}

/** Findings that are errors even in tolerant mode. */
const FATAL: Finding = { fatal: true }

/** Validates an object against its shape. */
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
    } else if (shape.open) checkUnknown(name, member, context)
    else {
      if (context.code === 'invalid_argument') {
        report.add('invalid_argument', `There is no argument ${quote(name)}.`, { at: [name] })
      } else {
        report.unknown('invalid_property', name, { hint: nearest(name, shape.fields.keys()) })
        if (report.mode === 'tolerant') checkUnknown(name, member, context)
      }
    }
  }
  for (const name of shape.required) {
    if (ownValue(value, name) !== undefined) continue
    if (context.code === 'invalid_argument') {
      report.add('invalid_argument', `The argument ${quote(name)} is required.`, { at: [name] })
    } else report.missing('missing_property', name)
  }
}

/** Validates the arguments of a call against the shape of its function. */
export function checkArgumentsV09(
  args: Readonly<Record<string, unknown>>,
  { args: shape, anyOf }: Pick<FunctionShape, 'args' | 'anyOf'>,
  context: CheckContext,
): void {
  checkShapeV09(args, shape, context)
  if (anyOf.length === 0 || anyOf.some((one) => args[one] !== undefined)) return
  const message = `One of the arguments ${anyOf.join(', ')} is required.`
  context.report.add('invalid_argument', message)
}

/** Unknown members that are accepted are still checked for computed values. */
function checkUnknown(name: string, member: unknown, context: CheckContext): void {
  context.report.path.push(name)
  context.rules.any(member, context)
  context.report.path.pop()
}

/** Reports the expected value at the current position. */
export function refuse({ report, code }: CheckContext, what: string, finding?: Finding): void {
  report.must(code, what, finding)
}

/** Validates a value at the current position of the report. */
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
      if (!Number.isInteger(value)) refuse(context, 'an integer')
      break
    case 'any':
      context.rules.any(value, context)
      break
    case 'id':
      checkId(value, context)
      break
    case 'children':
      checkChildren(value, context)
      break
    case 'action':
      context.rules.action(value, context)
      break
    case 'checks':
      context.rules.checks(value, context)
      break
    case 'binding':
      if (isPlainObject(value)) context.rules.binding(value, context)
      else refuse(context, 'a binding')
      break
    case 'call':
      if (isPlainObject(value)) context.rules.call(value, context)
      else refuse(context, 'a call')
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
      else if (slot.shape.fields.size > 0) checkShapeV09(value, slot.shape, context)
      else if (context.rules.syntax.pathOf(value) !== undefined) {
        context.rules.binding(value, context)
      } else checkShapeV09(value, slot.shape, context)
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
      context.rules.dynamic(value, slot.kind, context)
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
  const slot = slots.find((one) => matchesProperty(value, one, context.rules.syntax))
  if (slot === undefined) refuse(context, 'a value of another form')
  else checkSlotV09(value, slot, context)
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

/** Validates the path of a binding or a template. */
export function checkPathText(value: unknown, context: CheckContext, finding?: Finding): void {
  if (typeof value !== 'string') refuse(context, 'a path', finding)
  else if (!isPlainPath(value, context.report)) checkPath(value, context.report)
}
