import type { SlotTable } from '../../catalog/v09/table.ts'
import type { JsonValue } from '../../json.ts'
import type { Argument, Expression } from '../express/program.ts'
import { ProgramFault } from '../express/program-fault.ts'
import { readExpression } from '../express/read-statement.ts'
import type { Attribute } from './markup.ts'

/**
 * The value of an attribute: an expression in braces, or a text, which is a number or a boolean where the property is.
 * @throws ProgramFault
 */
export function attributeValue(
  { name, value, at }: Attribute,
  slot: SlotTable | undefined,
  depth: number,
): Expression {
  if (value === null) return { kind: 'value', value: true, at }
  const content = value.trim()
  if (content.startsWith('{') && content.endsWith('}')) {
    const read = readExpression(content.slice(1, -1), depth)
    if (read.kind === 'error') {
      const code = read.isTooDeep ? 'limit_exceeded' : 'malformed_program'
      throw new ProgramFault(code, `In the attribute ${name}: ${read.expected}.`, { at })
    }
    const moved = moveTo(read.value, at)
    return slot === 'checks' ? checksOf(moved) : slot === 'action' ? actionOf(moved) : moved
  }
  return { kind: 'value', value: typed(content, slot), at }
}

/** A text as the number or the boolean that its property takes. */
function typed(value: string, slot: SlotTable | undefined): JsonValue {
  const kind = typeof slot === 'object' && 'range' in slot ? 'number' : slot
  if (kind === 'number' || kind === 'dNumber' || kind === 'integer') {
    return /^-?\d+(?:\.\d+)?$/.test(value) ? Number(value) : value
  }
  if (kind === 'boolean' || kind === 'dBoolean') {
    const word = value.toLowerCase()
    if (word === 'true' || word === 'false') return word === 'true'
  }
  return value
}

/** JSON as an expression whose lists are seen. */
export function jsonExpression(value: JsonValue, at: number): Expression {
  if (!Array.isArray(value)) return { kind: 'value', value, at }
  return { kind: 'list', items: value.map((item) => ({ kind: 'value', value: item, at })), at }
}

/** Checks, whose message has a name here. */
function checksOf(value: Expression): Expression {
  if (value.kind === 'list') return { ...value, items: value.items.map(checksOf) }
  if (value.kind !== 'call') return value
  const message = value.args.find(({ name }) => name === 'message')
  if (message === undefined) return value
  const others = value.args.filter((one) => one !== message)
  return { ...value, args: [...others, { ...message, name: null }] }
}

/** An event, whose context is there even if it is empty. */
function actionOf(value: Expression): Expression {
  if (value.kind !== 'call' || value.name !== 'Event' || value.args.length !== 1) return value
  const { at } = value
  const none: Expression = { kind: 'map', entries: [], at }
  return { ...value, args: [...value.args, { name: 'context', value: none, at }] }
}

/** The expression with the position of its attribute, whose text may have been decoded. */
function moveTo(value: Expression, at: number): Expression {
  switch (value.kind) {
    case 'list':
      return { ...value, items: value.items.map((item) => moveTo(item, at)), at }
    case 'map':
      return { ...value, entries: value.entries.map(([key, one]) => [key, moveTo(one, at)]), at }
    case 'call': {
      const args = value.args.map((one): Argument => ({ ...one, value: moveTo(one.value, at), at }))
      return { ...value, args, at }
    }
    default:
      return { ...value, at }
  }
}
