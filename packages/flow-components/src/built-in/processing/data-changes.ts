import { isObject } from '@x/wire'
import { createData, type Data } from '@x/flow-engine'
import { toLiteralText } from '@x/flow-engine/internal'
import { TEXT_COMPARISONS } from '@x/flow-engine/internal'
import { parseLiteral } from './literal.ts'

type Plain = Readonly<Record<string, unknown>>

/**
 * Selects keys, in the order of the data.
 * @throws TypeError if one is missing
 */
export function selectKeys(data: Plain, keys: readonly string[]): Plain {
  if (!keys.every((key) => Object.hasOwn(data, key))) {
    throw new TypeError(`Select key not found in data. ${available(data)}`)
  }
  const selected = new Set(keys)
  return Object.fromEntries(Object.entries(data).filter(([key]) => selected.has(key)))
}

/**
 * Converts an object to Data. An object under `data` becomes the data, to which the other keys are added;
 * `text_key` and `default_value` become those of the Data.
 * @throws TypeError if the value under `data` is not an object
 */
export function asData({ data = {}, text_key, default_value, ...rest }: Plain): Data {
  if (data !== null && !isObject(data))
    throw new TypeError("The key 'data' must contain an object.")
  return createData(
    { ...data, ...rest },
    {
      ...(typeof text_key === 'string' ? { textKey: text_key } : {}),
      ...(typeof default_value === 'string' ? { defaultValue: default_value } : {}),
    },
  )
}

/** Removes keys at every depth. */
export function removeKeys(data: Plain, keys: readonly string[]): Plain {
  const removed = new Set(keys)
  return mapEntries(data, ([key, value]) => (removed.has(key) ? [] : [[key, value]]))
}

/** Renames keys at every depth. */
export function renameKeys(data: Plain, names: Plain): Plain {
  // Written once each: a long name may replace that of a key in each of many rows.
  const written = new Map(Object.entries(names).map(([key, name]) => [key, toLiteralText(name)]))
  return mapEntries(data, ([key, value]) => [[written.get(key) ?? key, value]])
}

/** Merges objects. Values of the same key become a list; lists are appended to. */
export function combine(parts: readonly Plain[]): Plain {
  const combined = new Map<string, unknown>()
  const lists = new Map<string, unknown[]>()
  for (const part of parts) {
    for (const [key, value] of Object.entries(part)) {
      if (!combined.has(key)) {
        combined.set(key, value)
        continue
      }
      const list = lists.get(key) ?? [combined.get(key)].flat()
      for (const item of [value].flat()) list.push(item)
      lists.set(key, list)
      combined.set(key, list)
    }
  }
  return Object.fromEntries(combined)
}

/**
 * Filters the lists under `lists` to the objects that match the values in `wanted`. Values are compared as
 * strings; empty ones match anything.
 * @throws TypeError for a missing list or a value that is not a list
 */
export function filterLists(
  data: Plain,
  { lists, wanted, operator }: { lists: readonly string[]; wanted: Plain; operator: string },
): Plain {
  const filtered = new Map(Object.entries(data))
  const asked = Object.entries(wanted)
    .filter(([, value]) => !isEmptyValue(value))
    .map(([key, value]) => [key, toLiteralText(value)] as const)
  for (const key of new Set(lists)) {
    if (!filtered.has(key)) {
      throw new TypeError(`Filter key '${key}' not found in data. ${available(data)}`)
    }
    const list: unknown = filtered.get(key)
    if (!Array.isArray(list)) throw new TypeError(`Filter key '${key}' is not a list.`)
    filtered.set(
      key,
      list.filter((item) => fitsAll(item, asked, operator)),
    )
  }
  return Object.fromEntries(filtered)
}

/** Parses strings that look like literals (`"[1]"` becomes a list), at every depth. */
export function evaluateLiterals(value: unknown): unknown {
  if (typeof value === 'string') {
    return looksLiteral(value.trim()) ? (parseLiteral(value) ?? { value }).value : value
  }
  if (Array.isArray(value)) return value.map(evaluateLiterals)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, evaluateLiterals(item)]),
  )
}

/** Returns all paths in a JSON value in jq syntax; only the first element of each list is visited. */
export function jsonPaths(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) {
    return value.length === 0 ? [] : below(value[0], `${path === '' ? '.' : path}[0]`)
  }
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, item]) => below(item, `${path}.${pathKey(key)}`))
}

function below(value: unknown, path: string): string[] {
  return [path, ...jsonPaths(value, path)]
}

function pathKey(key: string): string {
  return /^[A-Za-z_]\w*$/.test(key) ? key : JSON.stringify(key)
}

function mapEntries(data: Plain, change: (entry: [string, unknown]) => [string, unknown][]): Plain {
  return Object.fromEntries(
    Object.entries(data)
      .flatMap(change)
      .map(([key, value]) => [key, inside(value, change)]),
  )
}

function inside(
  value: unknown,
  change: (entry: [string, unknown]) => [string, unknown][],
): unknown {
  if (Array.isArray(value)) return value.map((item) => inside(item, change))
  return isObject(value) ? mapEntries(value, change) : value
}

type Entry = readonly [key: string, text: string]

function fitsAll(item: unknown, asked: readonly Entry[], operator: string): boolean {
  const compare = TEXT_COMPARISONS.get(operator)
  return asked.every(([key, text]) => {
    if (!isObject(item) || !Object.hasOwn(item, key)) return false
    return compare?.(toLiteralText(item[key]), text) ?? false
  })
}

function isEmptyValue(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return !value
  return Object.keys(value).length === 0
}

function looksLiteral(text: string): boolean {
  return /^[{[('"]/.test(text) || /^(?:true|false|none)$/i.test(text) || /^\.*\d[\d.]*$/.test(text)
}

function available(data: Plain): string {
  return `Available keys: ${toLiteralText(Object.keys(data))}`
}
