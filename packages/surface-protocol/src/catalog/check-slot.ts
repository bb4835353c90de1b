import { quote } from '../errors.ts'
import { isPlainObject } from '../json.ts'
import { checkPath, isPlainPath } from '../message/check-path.ts'
import type { Report } from '../message/report.ts'
import { nearest } from './nearest.ts'
import type { BoundKind, Shape, Slot } from './slot.ts'

/** Checks a closed object against its shape (SP-12, SP-14). */
export function checkShape(value: unknown, shape: Shape, report: Report): void {
  if (!isPlainObject(value)) {
    report.add('invalid_property_value', 'An object is expected here.', { fatal: true })
    return
  }
  const { path } = report
  let seen = 0
  for (const name of Object.keys(value)) {
    const member = value[name]
    if (member === undefined) continue
    const field = shape.fields.get(name)
    if (field === undefined) {
      report.add('invalid_property', `There is no property ${quote(name)} here.`, {
        at: [name],
        hint: nearest(name, shape.fields.keys()),
      })
      continue
    }
    if (field.required) seen += 1
    path.push(name)
    checkSlot(member, field.slot, report)
    path.pop()
  }
  if (seen < shape.required.length) reportMissing(value, shape, report)
}

function reportMissing(value: Record<string, unknown>, shape: Shape, report: Report): void {
  for (const name of shape.required) {
    if (Object.hasOwn(value, name) && value[name] !== undefined) continue
    report.add('missing_property', `The property ${quote(name)} is required.`, { at: [name] })
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
        refuse(report, `One of ${[...slot.values].join(', ')} is expected here.`)
      }
      break
    case 'string':
    case 'boolean':
      if (typeof value !== slot.kind) refuse(report, `A ${slot.kind} is expected here.`)
      break
    case 'number':
    case 'integer':
      if (slot.kind === 'integer' ? !Number.isInteger(value) : !Number.isFinite(value)) {
        refuse(report, `A ${slot.kind === 'integer' ? 'whole' : 'finite'} number is expected here.`)
      }
      break
    case 'list':
      checkList(value, slot.item, report)
      break
    case 'object':
    case 'action':
      checkObject(value, slot.shape, report)
      break
    default:
  }
}

function refuse(report: Report, message: string): void {
  report.add('invalid_property_value', message)
}

function checkObject(value: unknown, shape: Shape, report: Report): void {
  if (isPlainObject(value)) checkShape(value, shape, report)
  else refuse(report, 'An object is expected here.')
}

function checkList(value: unknown, item: Slot, report: Report): void {
  if (!Array.isArray(value)) {
    refuse(report, 'An array is expected here.')
    return
  }
  for (let index = 0; index < value.length; index += 1) {
    report.path.push(index)
    checkSlot(value[index], item, report)
    report.path.pop()
  }
}

function checkReference(value: unknown, report: Report): void {
  if (typeof value !== 'string' || value === '') {
    report.add('invalid_property_value', 'The id of a component is expected here.', { fatal: true })
  } else if (value.length > report.limits.idLength) report.exceeds('idLength')
}

/** `{explicitList}` or `{template: {componentId, dataBinding}}`, exactly one of the two (SP-12). */
function checkChildren(value: unknown, report: Report): void {
  if (!isPlainObject(value)) {
    report.add('invalid_property_value', 'Children are an object.', { fatal: true })
    return
  }
  const { path } = report
  let alternatives = 0
  for (const name of Object.keys(value)) {
    const member = value[name]
    if (member === undefined) continue
    path.push(name)
    if (name === 'explicitList') {
      alternatives += 1
      checkIds(member, report)
    } else if (name === 'template') {
      alternatives += 1
      checkTemplate(member, report)
    } else report.add('invalid_property', `Children have no member ${quote(name)}.`)
    path.pop()
  }
  if (alternatives !== 1) {
    report.add('not_exactly_one', 'Children hold exactly one of explicitList and template.')
  }
}

function checkIds(value: unknown, report: Report): void {
  if (!Array.isArray(value)) {
    report.add('invalid_property_value', 'A list of component ids is expected.', { fatal: true })
    return
  }
  for (let index = 0; index < value.length; index += 1) {
    report.path.push(index)
    checkReference(value[index], report)
    report.path.pop()
  }
}

function checkTemplate(value: unknown, report: Report): void {
  if (!isPlainObject(value)) {
    report.add('invalid_property_value', 'A template is an object.', { fatal: true })
    return
  }
  const { path } = report
  for (const name of Object.keys(value)) {
    const member = value[name]
    if (member === undefined) continue
    path.push(name)
    if (name === 'componentId') checkReference(member, report)
    else if (name !== 'dataBinding') {
      report.add('invalid_property', `A template has no member ${quote(name)}.`)
    } else if (typeof member === 'string') checkPathValue(member, report)
    else report.add('invalid_property_value', 'A path is expected here.', { fatal: true })
    path.pop()
  }
  for (const name of ['componentId', 'dataBinding']) {
    if (!Object.hasOwn(value, name) || value[name] === undefined) {
      report.add('missing_property', `A template needs ${name}.`, { at: [name], fatal: true })
    }
  }
}

function checkPathValue(value: string, report: Report): void {
  if (!isPlainPath(value, report)) checkPath(value, report)
}

const literalOf: Readonly<Record<Exclude<BoundKind, 'any'>, string>> = {
  string: 'literalString',
  number: 'literalNumber',
  boolean: 'literalBoolean',
  stringArray: 'literalArray',
}

/** One literal, one path, or one path together with one literal (SP-15). */
function checkBound(value: unknown, slot: Extract<Slot, { kind: 'bound' }>, report: Report): void {
  if (!isPlainObject(value)) {
    refuse(report, 'A bound value is an object with a literal or a path.')
    return
  }
  const { path } = report
  let literals = 0
  let paths = 0
  for (const name of Object.keys(value)) {
    const member = value[name]
    if (member === undefined) continue
    path.push(name)
    if (name === 'path') {
      paths += 1
      if (typeof member === 'string') checkPathValue(member, report)
      else refuse(report, 'A path is a string.')
    } else if (isLiteralName(name)) {
      literals += 1
      if (slot.value === 'any' ? name === 'literalArray' : name !== literalOf[slot.value]) {
        refuse(report, `A ${name} cannot stand here.`)
      } else checkLiteral(name, member, { slot, report })
    } else report.add('invalid_property', `A bound value has no member ${quote(name)}.`)
    path.pop()
  }
  if (literals > 1 || literals + paths === 0) {
    report.add('not_exactly_one', 'A bound value holds one literal, one path, or one of each.')
  } else if (literals === 1 && paths === 1) report.initialises = true
}

function isLiteralName(name: string): boolean {
  return (
    name === 'literalString' ||
    name === 'literalNumber' ||
    name === 'literalBoolean' ||
    name === 'literalArray'
  )
}

function checkLiteral(
  name: string,
  value: unknown,
  { slot, report }: { slot: Extract<Slot, { kind: 'bound' }>; report: Report },
): void {
  if (name === 'literalString') {
    if (typeof value !== 'string') refuse(report, 'A string is expected here.')
    else if (slot.literals !== undefined && !slot.literals.has(value)) {
      report.add('invalid_property_value', `There is no icon ${quote(value)}.`, {
        hint: nearest(value, slot.literals),
      })
    }
  } else if (name === 'literalNumber') {
    if (!Number.isFinite(value)) refuse(report, 'A finite number is expected here.')
  } else if (name === 'literalBoolean') {
    if (typeof value !== 'boolean') refuse(report, 'A boolean is expected here.')
  } else if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) {
    refuse(report, 'A list of strings is expected here.')
  }
}

/** The styles of the standard catalog: `font` and `primaryColor` (SP-13). */
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
