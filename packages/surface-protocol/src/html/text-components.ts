import { isPlainObject } from '../json.ts'
import type { TreeNode } from '../tree/instance.ts'
import { pad, plainLines, widthOf, wrap } from './text-width.ts'

/** What renderers of text share. */
export interface TextContext {
  readonly links: boolean
  isNode(value: unknown): value is TreeNode
  /** The URL if its scheme is allowed, else null. */
  url(value: unknown, kind: 'link' | 'media'): string | null
}

type Properties = TreeNode['properties']

/** The lines of a node, at most `width` wide. */
export function linesOf(node: TreeNode, width: number, context: TextContext): string[] {
  const { properties, type } = node
  const child = (value: unknown, inner = width): string[] =>
    context.isNode(value) ? linesOf(value, inner, context) : []
  const nested = (value: unknown): string[] => indented('  ', (inner) => child(value, inner), width)
  const field = (value: unknown): string[] =>
    wrapAll(`${labelOf(properties, type ?? '')}: ${asText(value)}`.trimEnd(), width)
  switch (type) {
    case 'Text':
      return textLines(properties, width, context)
    case 'Image': {
      const text = describe(properties, asText(properties.altText ?? properties.description))
      return text === '' ? [] : wrapAll(`[Image: ${text}]`, width)
    }
    case 'Icon':
      return wrapAll(describe(properties), width)
    case 'Video':
    case 'AudioPlayer': {
      const url = context.links ? context.url(properties.url, 'media') : null
      const name = describe(properties, asText(properties.description)) || type
      return wrapAll(url === null ? name : `${name} <${url}>`, width)
    }
    case 'Row':
      return rowLines(childrenOf(properties, context), width, context)
    case 'List':
      return listLines(childrenOf(properties, context), width, context)
    case 'Tabs': {
      const items: unknown = properties.tabItems ?? properties.tabs
      return (Array.isArray(items) ? items.filter(isPlainObject) : []).flatMap((item) => [
        ...wrapAll(asText(item.title), width),
        ...nested(item.child),
      ])
    }
    case 'Modal':
      return [
        ...child(properties.entryPointChild ?? properties.trigger),
        ...nested(properties.contentChild ?? properties.content),
      ]
    case 'Divider':
      return [properties.axis === 'vertical' ? '|' : '-'.repeat(Math.min(width, 40))]
    case 'Button': {
      const inside = child(properties.child).join(' ').trim()
      return wrapAll(`[ ${inside || describe(properties) || iconNameOf(properties)} ]`, width)
    }
    case 'TextField': {
      const value = asText(properties.text ?? properties.value)
      const isSecret = (properties.textFieldType ?? properties.variant) === 'obscured'
      return field(isSecret && value !== '' ? '****' : value)
    }
    case 'CheckBox':
      return wrapAll(
        `[${properties.value === true ? 'x' : ' '}] ${labelOf(properties, type)}`,
        width,
      )
    case 'Slider':
    case 'DateTimeInput':
      return field(properties.value)
    case 'ChoicePicker':
    case 'MultipleChoice':
      return choiceLines(properties, width)
    default:
      return nodesIn(properties, context).flatMap((one) => linesOf(one, width, context))
  }
}

function asText(value: unknown): string {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' ? value : ''
}

function wrapAll(text: string, width: number): string[] {
  return text === '' ? [] : plainLines(text).flatMap((line) => wrap(line, width))
}

/** The lines of something narrower, with a mark before the first and blanks before the others. */
function indented(
  mark: string,
  write: (width: number) => readonly string[],
  width: number,
): string[] {
  const inner = write(Math.max(10, width - mark.length))
  return inner.map((line, index) =>
    line === '' ? line : (index === 0 ? mark : ' '.repeat(mark.length)) + line,
  )
}

function describe({ accessibility }: Properties, otherwise = ''): string {
  const { label, description } = isPlainObject(accessibility) ? accessibility : {}
  return otherwise || asText(description) || asText(label)
}

function labelOf(properties: Properties, otherwise: string): string {
  return asText(properties.label) || describe(properties) || otherwise
}

function iconNameOf({ child }: Properties): string {
  const properties = isPlainObject(child) && isPlainObject(child.properties) ? child.properties : {}
  return asText(properties.name)
}

/** Markdown as its reader would say it: emphasis without its marks, a link with its URL. */
function textLines(properties: Properties, width: number, context: TextContext): string[] {
  const hint = asText(properties.usageHint ?? properties.variant)
  const level = /^h([1-5])$/.exec(hint)?.[1]
  const spoken = asText(properties.text)
    .replaceAll(
      /!?\[([^\]\n]{0,1000})\]\(((?:[^()\s]|\([^()\s]{0,200}\)){0,2000})\)/g,
      (_, text: string, to: string) => {
        const url = context.links ? context.url(to, 'link') : null
        return url === null ? text : `${text} <${url}>`
      },
    )
    .replaceAll(/\*\*([^*\n]+)\*\*/g, '$1')
    .replaceAll(/`([^`\n]+)`/g, '$1')
    .replaceAll(/\\([!-/:-@[-`{-~])/g, '$1')
  return wrapAll(level === undefined ? spoken : `${'#'.repeat(Number(level))} ${spoken}`, width)
}

function childrenOf({ children }: Properties, context: TextContext): TreeNode[] {
  return Array.isArray(children) ? children.filter((one) => context.isNode(one)) : []
}

/** One line where every part is one and all fit, else one part below the other. */
function rowLines(children: readonly TreeNode[], width: number, context: TextContext): string[] {
  const parts = children.map((one) => linesOf(one, width, context)).filter((one) => one.length > 0)
  const line = parts.flat().join('  ')
  if (parts.every((part) => part.length === 1) && widthOf(line) <= width) {
    return parts.length === 0 ? [] : [line]
  }
  return parts.flat()
}

function listLines(items: readonly TreeNode[], width: number, context: TextContext): string[] {
  return (
    tableLines(items, width, context) ??
    items.flatMap((item) => indented('- ', (inner) => linesOf(item, inner, context), width))
  )
}

/** Rows whose parts are of the same types, as columns; null if they are not, or do not fit. */
function tableLines(
  items: readonly TreeNode[],
  width: number,
  context: TextContext,
): string[] | null {
  const rows = items.map((item) => {
    const { child } = item.properties
    const row = item.type === 'Card' && context.isNode(child) ? child : item
    return row.type === 'Row' ? childrenOf(row.properties, context) : []
  })
  const shapes = new Set(rows.map((row) => row.map(({ type }) => type).join()))
  const [first = []] = rows
  if (rows.length < 2 || shapes.size !== 1 || first.length < 2) return null
  const cells = rows.map((row) => row.map((one) => linesOf(one, width, context)))
  if (cells.some((row) => row.some((cell) => cell.length > 1))) return null
  const columns = first.map((_, at) => Math.max(...cells.map((row) => widthOf(row[at]?.[0] ?? ''))))
  if (columns.reduce((sum, one) => sum + one + 2, -2) > width) return null
  return cells.map((row) =>
    row
      .map(([cell = ''], at) => pad(cell, columns[at] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

function choiceLines(properties: Properties, width: number): string[] {
  const { options, value, selections, variant, maxAllowedSelections } = properties
  const chosen: unknown = value ?? selections
  const list: readonly unknown[] = Array.isArray(chosen) ? chosen : [chosen]
  const isOne = variant === 'mutuallyExclusive' || maxAllowedSelections === 1
  const [open, close] = isOne ? ['(', ')'] : ['[', ']']
  const label = labelOf(properties, '')
  return [
    ...wrapAll(label === '' ? '' : `${label}:`, width),
    ...(Array.isArray(options) ? options.filter(isPlainObject) : []).flatMap((option) => {
      const mark = `${open}${list.includes(option.value) ? 'x' : ' '}${close} `
      return indented(mark, (inner) => wrapAll(asText(option.label), inner), width)
    }),
  ]
}

/** The nodes in the properties of any other type, in order. */
function nodesIn(value: unknown, context: TextContext): TreeNode[] {
  if (context.isNode(value)) return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap((member: unknown) => nodesIn(member, context))
}
