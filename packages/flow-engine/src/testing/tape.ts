import { isObject } from '@x/wire'
import { FlowError, invalidRequest } from '../errors.ts'

/** One recorded exchange. */
export interface TapeEntry {
  readonly kind: 'model' | 'embedding' | 'request'
  /** The request, without secrets. */
  readonly request: unknown
  /** The response: chunks of a model, vectors, or an HTTP response. */
  readonly answer?: unknown
  readonly failure?: { readonly code: string; readonly message: string }
}

/** Recorded exchanges as JSON, in the order of their requests. */
export interface TapeJson {
  readonly version: 1
  readonly entries: readonly TapeEntry[]
}

/** Maximum bytes of a body. */
export const MAX_BYTES = 1024 * 1024

/** Validates a tape. @throws FlowError `invalid_request` */
export function readTape(tape: TapeJson | undefined): TapeEntry[] {
  if (tape === undefined) return []
  const given: unknown = tape
  if (!isObject(given) || given['version'] !== 1 || !Array.isArray(given['entries']))
    throw invalidRequest('The tape is not of version 1')
  return [...tape.entries]
}

/** JSON with sorted object keys, so that equal requests have equal texts. */
export function orderedJson(value: unknown): string {
  return JSON.stringify(ordered(value))
}

export function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered)
  if (!isObject(value)) return value
  const entries = Object.entries(value).filter(([, item]) => item !== undefined)
  return Object.fromEntries(
    entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]) => [key, ordered(item)]),
  )
}

/** The error for a request that is not recorded; it shows the difference from the closest entry. */
export function cassetteMiss(
  kind: TapeEntry['kind'],
  request: unknown,
  entries: readonly TapeEntry[],
): FlowError {
  const candidates = entries.filter((entry) => entry.kind === kind)
  const texts = partsOf(request)
  let nearest: { readonly same: number; readonly entry: TapeEntry } | undefined
  for (const entry of candidates) {
    const known = partsOf(entry.request)
    const differs = texts.findIndex((text, n) => text !== known[n])
    const same = differs < 0 ? texts.length : differs
    if (nearest === undefined || same > nearest.same) nearest = { same, entry }
  }
  if (nearest === undefined)
    return new FlowError('cassette_miss', `The cassette has no ${kind}; record it first`)
  const asked = texts[nearest.same] ?? 'nothing'
  const known = partsOf(nearest.entry.request)[nearest.same] ?? 'nothing'
  return new FlowError(
    'cassette_miss',
    `The cassette has no such ${kind}. Part ${nearest.same + 1} is ${cut(asked)}, on the cassette ${cut(known)}`,
  )
}

/** The messages of a request one by one, then the rest of it. */
function partsOf(request: unknown): string[] {
  if (!isObject(request)) return [orderedJson(request)]
  const { messages, ...rest } = request
  const list = Array.isArray(messages) ? messages : []
  return [...list.map(orderedJson), orderedJson(rest)]
}

const cut = (text: string): string => (text.length > 300 ? `${text.slice(0, 300)}...` : text)
