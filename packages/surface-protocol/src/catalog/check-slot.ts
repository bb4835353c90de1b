import { quote } from '../diagnostics/errors.ts'
import { isPlainObject, ownValue } from '../json.ts'
import { checkPath, isPlainPath } from '../data/check-path.ts'
import type { Finding, Report } from '../diagnostics/report.ts'
import { isLiteral, literalKinds, literalWords, type LiteralKind } from './literal.ts'
import { nearest } from './nearest.ts'
import type { Shape, Slot } from './slot.ts'

/** Validates a closed object against its shape. */
export function checkShape(value: unknown, shape: Shape, report: Report): void {
  if (!isPlainObject(value)) return refuse(report, 'an object', FATAL)
  const { path } = report
  let seen = 0
  for (const name of Object.keys(value)) {
    const member = value[name]
    if (member === undefined) continue
    const field = shape.fields.get(name)
    if (field === undefined) {
      report.unknown('invalid_property', name, { hint: nearest(name, shape.fields.keys()) })
      continue
    }
    if (field.required) seen += 1
    path.push(name)
    checkSlot(member, field.slot, report)
    path.pop()
  }
  if (seen < shape.required.length) requireMembers(value, shape.required, report)
}

function requireMembers(
  value: Record<string, unknown>,
  names: readonly string[],
  report: Report,
  finding?: Finding,
): void {
  for (const name of names) {
    if (ownValue(value, name) === undefined) report.missing('missing_property', name, finding)
  }
}

function checkSlot(value: unknown, slot: Slot, report: Report): void {
  switch (slot.kind) {
    case 'bound':
      checkBound(value, slot, report)
      break
    case 'children':
      checkChildren(value, report)
      break
    case 'reference':
      checkReference(value, report)
      break
    case 'enum':
      if (typeof value !== 'string' || !slot.values.has(value)) {
        refuse(report, `one of ${[...slot.values].join(', ')}`)
      }
      break
    case 'string':
    case 'boolean':
    case 'number':
      if (!isLiteral(value, slot.kind)) refuse(report, literalWords[slot.kind])
      break
    case 'integer':
      if (!Number.isInteger(value)) refuse(report, 'an integer')
      break
    case 'list':
      checkList(value, slot.item, report)
      break
    case 'object':
    case 'action':
      if (isPlainObject(value)) checkShape(value, slot.shape, report)
      else refuse(report, 'an object')
      break
    default:
  }
}

/** Findings that are errors even in tolerant mode. */
const FATAL: Finding = { fatal: true }

function refuse(report: Report, what: string, finding?: Finding): void {
  report.must('invalid_property_value', what, finding)
}

function checkList(value: unknown, item: Slot, report: Report, finding?: Finding): void {
  if (!Array.isArray(value)) return refuse(report, 'an array', finding)
  for (let index = 0; index < value.length; index += 1) {
    report.path.push(index)
    checkSlot(value[index], item, report)
    report.path.pop()
  }
}

function checkReference(value: unknown, report: Report): void {
  if (typeof value !== 'string' || value === '') refuse(report, 'the id of a component', FATAL)
  else if (value.length > report.limits.idLength) report.exceeds('idLength')
}

const REFERENCE: Slot = { kind: 'reference' }

/** `{explicitList}` or `{template: {componentId, dataBinding}}`, exactly one of them. */
function checkChildren(value: unknown, report: Report): void {
  if (!isPlainObject(value)) return refuse(report, 'an object', FATAL)
  const { path } = report
  let alternatives = 0
  for (const name of Object.keys(value)) {
    const member = value[name]
    if (member === undefined) continue
    if (name !== 'explicitList' && name !== 'template') {
      report.unknown('invalid_property', name)
      continue
    }
    alternatives += 1
    path.push(name)
    if (name === 'template') checkTemplate(member, report)
    else checkList(member, REFERENCE, report, FATAL)
    path.pop()
  }
  if (alternatives !== 1) {
    report.must('not_exactly_one', 'an object with either explicitList or template')
  }
}

const TEMPLATE = ['componentId', 'dataBinding']

function checkTemplate(value: unknown, report: Report): void {
  if (!isPlainObject(value)) return refuse(report, 'an object', FATAL)
  const { path } = report
  for (const name of Object.keys(value)) {
    const member = value[name]
    if (member === undefined) continue
    if (!TEMPLATE.includes(name)) {
      report.unknown('invalid_property', name)
      continue
    }
    path.push(name)
    if (name === 'componentId') checkReference(member, report)
    else checkPathValue(member, report, FATAL)
    path.pop()
  }
  requireMembers(value, TEMPLATE, report, FATAL)
}

function checkPathValue(value: unknown, report: Report, finding?: Finding): void {
  if (typeof value !== 'string') refuse(report, 'a path', finding)
  else if (!isPlainPath(value, report)) checkPath(value, report)
}

/** A literal, a path, or a path together with a literal. */
function checkBound(value: unknown, slot: BoundSlot, report: Report): void {
  if (!isPlainObject(value)) return refuse(report, 'an object with a literal or a path')
  const { path } = report
  let literals = 0
  let paths = 0
  for (const name of Object.keys(value)) {
    const member = value[name]
    if (member === undefined) continue
    const kind = literalKinds.get(name)
    if (name !== 'path' && kind === undefined) {
      report.unknown('invalid_property', name)
      continue
    }
    path.push(name)
    if (kind === undefined) {
      paths += 1
      checkPathValue(member, report)
    } else {
      literals += 1
      checkLiteral(member, kind, { slot, report })
    }
    path.pop()
  }
  if (literals > 1 || literals + paths === 0) {
    report.must('not_exactly_one', 'an object with one literal, one path, or one of each')
  } else if (literals === 1 && paths === 1) report.initialises = true
}

type BoundSlot = Extract<Slot, { kind: 'bound' }>

function checkLiteral(
  value: unknown,
  kind: LiteralKind,
  { slot, report }: { slot: BoundSlot; report: Report },
): void {
  const isAllowed = slot.value === 'any' ? kind !== 'stringArray' : kind === slot.value
  if (!isAllowed) refuse(report, 'another kind of literal')
  else if (!isLiteral(value, kind)) refuse(report, literalWords[kind])
  else if (typeof value === 'string' && slot.literals?.has(value) === false) {
    report.add('invalid_property_value', `There is no icon ${quote(value)}.`, {
      hint: nearest(value, slot.literals),
    })
  }
}

/** The styles of the standard catalog: `font` and `primaryColor`. */
export function checkStyles(styles: Readonly<Record<string, unknown>>, report: Report): void {
  for (const name of Object.keys(styles)) {
    const value = styles[name]
    if (value === undefined) continue
    const right =
      name === 'font'
        ? typeof value === 'string'
        : name === 'primaryColor' && typeof value === 'string' && /^#[0-9a-fA-F]{6}$/.test(value)
    if (!right) {
      report.add('invalid_style', `The style ${quote(name)} is unknown or has a wrong value.`, {
        at: [name],
      })
    }
  }
}
