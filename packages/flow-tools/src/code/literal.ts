import { isObject } from '@x/wire'
import { MAX_WIDTH, textWidth } from './text-width.ts'

/** TypeScript that stands in the place of a value, such as a call or an imported name. */
export class Expression {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** Longer texts with line breaks are written one line a line. */
const LONG_TEXT = 60

/** A string in the quotes that need fewer escapes, whose text can neither end it nor its line. */
export function stringLiteral(text: string): string {
  const double = text.split('"').length < text.split("'").length
  const inner = safe(JSON.stringify(text).slice(1, -1))
  if (double) return `"${inner}"`
  return `'${inner.replaceAll('\\"', '"').replaceAll("'", String.raw`\'`)}'`
}

/**
 * A value as TypeScript in the form that Prettier gives it without semicolons.
 * @param at columns before the value on its line
 * @param after columns that follow it on its last line
 */
export function valueLiteral(value: unknown, indent: string, { at = 0, after = 1 } = {}): string {
  const line = onOneLine(value)
  if (line !== undefined && at + textWidth(line) + after <= MAX_WIDTH) return line
  if (value instanceof Expression) return value.text
  if (typeof value === 'string') return isBlock(value) ? blockLiteral(value) : stringLiteral(value)
  if (Array.isArray(value)) return arrayLiteral(value, indent)
  if (isObject(value)) return objectLiteral(value, indent)
  return line ?? 'null'
}

/** Undefined for what takes several lines whatever its width. */
function onOneLine(value: unknown): string | undefined {
  if (value instanceof Expression) return value.text
  if (typeof value === 'string') return isBlock(value) ? undefined : stringLiteral(value)
  if (typeof value === 'number') return numberLiteral(value)
  if (Array.isArray(value)) {
    if (breaks(value)) return undefined
    const items = allOnOneLine(value)
    return items && `[${items.join(', ')}]`
  }
  if (!isObject(value)) return JSON.stringify(value) ?? 'undefined'
  const entries = Object.entries(value)
  const items = allOnOneLine(entries.map(([, item]) => item))
  if (items === undefined) return undefined
  if (items.length === 0) return '{}'
  return `{ ${entries.map(([key], index) => `${keyLiteral(key)}: ${items[index]}`).join(', ')} }`
}

function allOnOneLine(values: readonly unknown[]): string[] | undefined {
  const items: string[] = []
  for (const value of values) {
    const item = onOneLine(value)
    if (item === undefined) return undefined
    items.push(item)
  }
  return items
}

function arrayLiteral(values: readonly unknown[], indent: string): string {
  const inner = `${indent}  `
  if (values.length > 1 && values.every((value) => typeof value === 'number'))
    return `[\n${filled(values.map(numberLiteral), inner)},\n${indent}]`
  const lines = values.map(
    (value) => `${inner}${valueLiteral(value, inner, { at: inner.length })},`,
  )
  return `[\n${lines.join('\n')}\n${indent}]`
}

/** Numbers, as many on a line as it takes. */
function filled(items: readonly string[], indent: string): string {
  const lines: string[] = []
  let line = indent
  for (const [index, item] of items.entries()) {
    const isFirst = line === indent
    const more = isFirst ? item : ` ${item}`
    const width = line.length + more.length + 1
    if (!isFirst && width > MAX_WIDTH) {
      lines.push(line)
      line = indent + item
    } else line += more
    if (index < items.length - 1) line += ','
  }
  return [...lines, line].join('\n')
}

function objectLiteral(value: Readonly<Record<string, unknown>>, indent: string): string {
  const inner = `${indent}  `
  const lines = Object.entries(value).map(([name, item]) => {
    const key = keyLiteral(name)
    const at = inner.length + textWidth(key) + 2
    const text = valueLiteral(item, inner, { at })
    const isString = typeof item === 'string' && !isBlock(item)
    if (isString && at + textWidth(text) + 1 > MAX_WIDTH && textWidth(key) >= 5)
      return `${inner}${key}:\n${inner}  ${text},`
    return `${inner}${key}: ${text},`
  })
  return lines.length === 0 ? '{}' : `{\n${lines.join('\n')}\n${indent}}`
}

/** Prettier breaks lists of several objects or lists with several items each. */
function breaks(values: readonly unknown[]): boolean {
  if (values.length < 2) return false
  const areLists = values.every((value) => Array.isArray(value) && value.length > 1)
  return (
    areLists ||
    values.every(
      (value) => isObject(value) && !(value instanceof Expression) && Object.keys(value).length > 1,
    )
  )
}

/** `__proto__` must be computed: written plainly it would be the prototype. */
export function keyLiteral(name: string): string {
  if (name === '__proto__') return "['__proto__']"
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : stringLiteral(name)
}

function numberLiteral(value: unknown): string {
  return String(value).replace('e+', 'e')
}

const isBlock = (text: string): boolean => text.length > LONG_TEXT && text.includes('\n')

/** A template literal, one line a line. */
function blockLiteral(text: string): string {
  const lines = text
    .split('\n')
    .map((line) =>
      safe(JSON.stringify(line).slice(1, -1).replaceAll('\\"', '"')).replaceAll(
        /`|\$\{/g,
        (sign) => `\\${sign}`,
      ),
    )
  return `\`${lines.join('\n')}\``
}

/** JSON text in which no unit ends a line or is not shown. */
function safe(text: string): string {
  return text.replaceAll(
    /[\u007f-\u009f\u2028\u2029\ufeff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
