import { decodeBase64Url, encodeBase64Url } from '@x/wire'
import { invalid } from './portal-error.ts'

/** A string of a body; undefined if absent. @throws PortalError invalid */
export function readString(name: string, value: unknown, longest = 200): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string' && value.trim() !== '' && value.length <= longest) return value
  throw invalid(`${name} must be a string of 1 to ${longest} characters.`)
}

/** A whole number of a body; undefined if absent. @throws PortalError invalid */
export function readNumber(
  name: string,
  value: unknown,
  { from, to }: { readonly from: number; readonly to: number },
): number | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'number' && Number.isInteger(value) && value >= from && value <= to)
    return value
  throw invalid(`${name} must be a whole number from ${from} to ${to}.`)
}

/** One of some words of a query or body; undefined if absent. @throws PortalError invalid */
export function readWord<const Word extends string>(
  name: string,
  value: unknown,
  words: readonly Word[],
): Word | undefined {
  if (value === undefined || value === null || value === '') return undefined
  const found = words.find((word) => word === value)
  if (found === undefined) throw invalid(`${name} must be one of ${words.join(', ')}.`)
  return found
}

/** A number of a query; undefined if absent. @throws PortalError invalid */
export function readQueryNumber(
  query: URLSearchParams,
  name: string,
  range: { readonly from: number; readonly to: number },
): number | undefined {
  const text = query.get(name)
  if (text === null) return undefined
  return readNumber(name, /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN, range)
}

const LIMIT = { from: 1, to: 200 }
const DEFAULT_LIMIT = 50

/** `limit` of a list. @throws PortalError invalid */
export const readLimit = (query: URLSearchParams): number =>
  readQueryNumber(query, 'limit', LIMIT) ?? DEFAULT_LIMIT

/** `limit` and `after` of a list; `after` is the number in the opaque `next` of the page before. */
export function readPage(query: URLSearchParams): {
  readonly limit: number
  readonly after: number | undefined
} {
  const limit = readLimit(query)
  const text = readNext(query)
  if (text === undefined) return { limit, after: undefined }
  if (!/^p\d{1,15}$/.test(text)) throw invalid('after must be the next of the page before.')
  return { limit, after: Number(text.slice(1)) }
}

/** What the opaque `after` of a query says; undefined if absent. */
export function readNext(query: URLSearchParams): string | undefined {
  const text = query.get('after')
  if (text === null) return undefined
  const bytes = decodeBase64Url(text)
  return bytes === null ? '' : new TextDecoder().decode(bytes)
}

/** The opaque `next` of a page. */
export function nextOf(place: number | string | undefined): string | null {
  if (place === undefined) return null
  const text = typeof place === 'number' ? `p${place}` : place
  return encodeBase64Url(new TextEncoder().encode(text))
}
