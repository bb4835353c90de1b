import { isObject, own } from '@x/wire'

type Json = Readonly<Record<string, unknown>>

/** What only the editor of one person shows. */
const VIEW: ReadonlySet<string> = new Set([
  'selected',
  'dragging',
  'resizing',
  'positionAbsolute',
  'measured',
])
const VIEW_AND_SIZE: ReadonlySet<string> = new Set([...VIEW, 'width', 'height'])
const EDGE_VIEW: ReadonlySet<string> = new Set(['selected', 'className', 'animated'])
const OWNER: ReadonlySet<string> = new Set(['updated_at', 'user_id', 'folder_id'])
const NONE: ReadonlySet<string> = new Set()
const VIEWPORT = { x: 0, y: 0, zoom: 1 }

/**
 * The canonical text of a flow: sorted keys, no view state, rounded positions. The order of nodes, edges and
 * fields, and everything inside values, stays.
 */
export function formatFlow(flow: unknown): string {
  return `${textOf(canonicalFlow(flow), '')}\n`
}

/** The flow of which `formatFlow` is the text. */
export function canonicalFlow(flow: unknown): unknown {
  if (!isObject(flow)) return flow
  const inData = isObject(own(flow, 'data'))
  return sorted(flow, OWNER, (key, value) => {
    if (key === 'data' && inData) return canonicalGraph(value as Json)
    return inData ? value : graphPart(key, value)
  })
}

function canonicalGraph(graph: Json): Json {
  const whole = isObject(own(graph, 'viewport')) ? graph : { ...graph, viewport: VIEWPORT }
  return sorted(whole, NONE, graphPart)
}

function graphPart(key: string, value: unknown): unknown {
  if (key === 'viewport') return isObject(value) ? VIEWPORT : value
  if (key === 'nodes' && Array.isArray(value)) return value.map(canonicalNode)
  if (key === 'edges' && Array.isArray(value)) return value.map(canonicalEdge)
  return value
}

function canonicalNode(node: unknown): unknown {
  if (!isObject(node)) return node
  const isNote = own(node, 'type') === 'noteNode'
  const left = isNote ? VIEW : VIEW_AND_SIZE
  return sorted(node, left, (key, value) => {
    if (key === 'position') return rounded(value)
    if (key !== 'data' || !isObject(value)) return value
    return sorted(value, NONE, (inner, part) =>
      inner === 'node' && isObject(part) ? canonicalDetails(part) : part,
    )
  })
}

function canonicalDetails(details: Json): Json {
  return sorted(details, NONE, (key, value) => {
    if (key === 'template' && isObject(value)) return mapped(value, sortedIfObject)
    if (key === 'outputs' && Array.isArray(value)) return value.map(sortedIfObject)
    return key === 'flow' ? canonicalFlow(value) : value
  })
}

function canonicalEdge(edge: unknown): unknown {
  if (!isObject(edge)) return edge
  return sorted(edge, EDGE_VIEW, (key, value) =>
    key === 'data' && isObject(value)
      ? sorted(value, NONE, (_, end) => sortedIfObject(end))
      : value,
  )
}

function sortedIfObject(value: unknown): unknown {
  return isObject(value) ? sorted(value, NONE, (_, item) => item) : value
}

function mapped(object: Json, change: (value: unknown) => unknown): Json {
  return fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]))
}

function sorted(
  object: Json,
  without: ReadonlySet<string>,
  change: (key: string, value: unknown) => unknown,
): Json {
  const keys = Object.keys(object)
    .filter((key) => !without.has(key))
    .toSorted()
  return fromEntries(keys.map((key) => [key, change(key, object[key])]))
}

/** Keeps `__proto__` an ordinary key. */
const fromEntries = (entries: readonly (readonly [string, unknown])[]): Json =>
  Object.fromEntries(entries)

function rounded(position: unknown): unknown {
  if (!isObject(position)) return position
  return sorted(position, NONE, (_, value) =>
    typeof value === 'number' ? Math.round(value) + 0 : value,
  )
}

/** JSON with two spaces, with positions on one line each. */
function textOf(value: unknown, indent: string): string {
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]'
    const inner = `${indent}  `
    return `[\n${value.map((item) => inner + textOf(item ?? null, inner)).join(',\n')}\n${indent}]`
  }
  if (!isObject(value)) return JSON.stringify(value) ?? 'null'
  const entries = Object.entries(value).filter(([, item]) => item !== undefined)
  if (entries.length === 0) return '{}'
  const inner = `${indent}  `
  const lines = entries.map(([key, item]) => {
    const isPlace = key === 'position' && isFlat(item)
    return `${inner}${JSON.stringify(key)}: ${isPlace ? onOneLine(item) : textOf(item, inner)}`
  })
  return `{\n${lines.join(',\n')}\n${indent}}`
}

function isFlat(value: unknown): value is Json {
  return isObject(value) && Object.values(value).every((item) => typeof item === 'number')
}

function onOneLine(value: Json): string {
  const parts = Object.entries(value).map(
    ([key, item]) => `${JSON.stringify(key)}: ${String(item)}`,
  )
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`
}
