import { isObject } from '@x/wire'
import { parseJson } from '@x/wire'
import { isData } from '@x/flow-engine'
import { toLiteralText } from '@x/flow-engine/internal'

/** Builds the URL: adds `https://` if the scheme is missing, and merges parameters. */
export function requestUrl(given: string, params: Readonly<Record<string, unknown>>): string {
  const typed = given.trim()
  if (typed === '') throw new TypeError('URL cannot be empty')
  const url = /^https?:\/\//i.test(typed) ? typed : `https://${typed}`
  if (!isValidUrl(url)) throw new TypeError(`Invalid URL provided: ${url}`)
  const added = Object.entries(params)
  if (added.length === 0) return url
  const [, base = '', query = '', hash = ''] = /^([^?#]*)\??([^#]*)(#?.*)$/s.exec(url) ?? []
  const merged = new Map(new URLSearchParams(query))
  for (const [key, value] of added) merged.set(key, toLiteralText(value))
  return `${base}?${new URLSearchParams([...merged]).toString()}${hash}`
}

/** Reads query parameters from an object or from text such as `a=1&b=2`. */
export function queryParams(given: unknown): Record<string, unknown> {
  if (typeof given === 'string') return Object.fromEntries(new URLSearchParams(given))
  if (isData(given)) return { ...given.data }
  return isObject(given) ? given : {}
}

/** Reads headers from rows `{key, value}`. */
export function headersOf(rows: readonly unknown[]): Record<string, string> {
  const pairs = rows.map(keyAndValue).filter((pair) => pair !== null)
  return Object.fromEntries(pairs.map(([key, value]) => [key, toLiteralText(value)]))
}

/**
 * Builds the JSON body from rows `{key, value}` and from the keys of Data. Strings that contain JSON are
 * parsed; other rows are ignored.
 */
export function bodyOf(rows: readonly unknown[]): Record<string, unknown> {
  const entries = rows.flatMap((row): (readonly [string, unknown])[] => {
    const pair = keyAndValue(row)
    if (pair !== null) return [pair]
    return isData(row) ? Object.entries(row.data) : []
  })
  return Object.fromEntries(entries.map(([key, value]) => [key, parseJsonText(value)]))
}

function keyAndValue(row: unknown): readonly [string, unknown] | null {
  const object = isData(row) ? row.data : row
  if (!isObject(object) || !Object.hasOwn(object, 'key') || !Object.hasOwn(object, 'value')) {
    return null
  }
  return [toLiteralText(object.key), object.value]
}

function parseJsonText(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return parseJson(value)
  } catch {
    return value
  }
}

function isValidUrl(url: string): boolean {
  return !/\s/.test(url) && URL.canParse(url) && new URL(url).hostname !== ''
}
