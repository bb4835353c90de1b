import { setOwn } from '@x/wire'
import { isData } from './data.ts'
import { completeRow, isDataFrame, jsonColumns, type DataFrame } from './data-frame.ts'
import { isMessage, isStream, type Message } from './message.ts'
import { formatIsoTimestamp, messageToFields } from './message-json.ts'

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue }

const MAX_DEPTH = 500

/**
 * Converts any value to JSON. Never throws; unsupported values become texts.
 * @param items maximum number of converted items of a list; the rest become null, so that a caller that truncates
 *   lists still knows their length. Default: all
 */
export function formatValue(value: unknown, items = Number.POSITIVE_INFINITY): JsonValue {
  try {
    return format(value, { parents: new Set(), items }, 0)
  } catch {
    return ''
  }
}

interface Walk {
  readonly parents: Set<object>
  readonly items: number
}

function format(value: unknown, walk: Walk, depth: number): JsonValue {
  if (typeof value === 'object') return value === null ? null : formatObject(value, walk, depth)
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      return Number.isFinite(value) ? value : null
    case 'bigint':
      return value.toString()
    case 'undefined':
      return null
    default:
      return typeof value === 'symbol' ? value.toString() : '[Function]'
  }
}

function formatObject(value: object, walk: Walk, depth: number): JsonValue {
  const { parents, items } = walk
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString()
  if (value instanceof Uint8Array) return new TextDecoder().decode(value)
  if (value instanceof ArrayBuffer) return new TextDecoder().decode(value)
  if (parents.has(value)) return '[Circular]'
  if (depth > MAX_DEPTH) return '[Too deep]'
  parents.add(value)
  try {
    return formatBranded(value, (inner) => format(inner, walk, depth + 1), items)
  } finally {
    parents.delete(value)
  }
}

type Inner = (value: unknown) => JsonValue

function formatBranded(value: object, inner: Inner, items: number): JsonValue {
  if (isMessage(value)) return formatMessage(value, inner)
  if (isData(value)) {
    return { text_key: value.textKey, data: inner(value.data), default_value: value.defaultValue }
  }
  if (isDataFrame(value)) return formatRows(value, inner, items)
  if (Array.isArray(value)) return formatList(value, inner, items)
  if (value instanceof Set) return formatList([...value], inner, items)
  if (value instanceof Map) {
    const fields: Record<string, JsonValue> = {}
    for (const [key, item] of value) setOwn(fields, String(key), inner(item))
    return fields
  }
  if (isStream(value) || value instanceof ReadableStream) return 'Unconsumed Stream'
  if (value instanceof Error) return value.message
  const fields: Record<string, JsonValue> = {}
  for (const key of Object.keys(value)) setOwn(fields, key, inner(readProperty(value, key)))
  return fields
}

/** Padded after conversion to JSON, so that no getter is called twice. */
function formatRows(frame: DataFrame, inner: Inner, items: number): JsonValue {
  const columns = jsonColumns(frame)
  const rowJson = (row: unknown): JsonValue => {
    const json = inner(row)
    return isJsonObject(json) ? completeRow(json, columns) : json
  }
  return formatList(frame.rows, rowJson, items)
}

function formatList(list: readonly unknown[], inner: Inner, items: number): JsonValue {
  if (list.length <= items) return list.map(inner)
  const json = Array<JsonValue>(list.length).fill(null)
  for (const [at, item] of list.slice(0, items).entries()) json[at] = inner(item)
  return json
}

function isJsonObject(json: JsonValue): json is Readonly<Record<string, JsonValue>> {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}

function formatMessage(message: Message, inner: Inner): JsonValue {
  const given = messageToFields(message)
  const data: Record<string, JsonValue> = {}
  const json: Record<string, JsonValue> = { text_key: 'text', data, default_value: '' }
  for (const key of Object.keys(given)) {
    const value = inner(given[key])
    setOwn(data, key, value)
    if (key !== 'id' && !(key in message.data)) setOwn(json, key, value)
  }
  json['timestamp'] = formatIsoTimestamp(message.timestamp)
  return json
}

/** If a getter throws, returns the error's message. */
function readProperty(value: object, key: string): unknown {
  try {
    return Reflect.get(value, key)
  } catch (error) {
    return error instanceof Error ? error.message : 'unreadable'
  }
}
