import { constantTimeEqual, decodeBase64Url, encodeBase64Url, isObject } from '@x/wire'
import { hmacSha256 } from '../base/digest.ts'
import { ScimError } from '../base/errors.ts'
import type { SortKey } from '../filter/resolved.ts'
import type { KeysetPosition } from '../store/list-query.ts'
import type { ResourceTypeName } from '../schema/registry.ts'

/** The position at which the next page starts. */
export interface CursorState {
  /** Type of the last record; for a query over several types, the one being listed. */
  readonly type: ResourceTypeName
  readonly position: KeysetPosition
  /** Resources per page. */
  readonly count: number
}

/** The query a cursor belongs to. */
export interface CursorScope {
  /** Endpoint, filter, sort and projection. */
  readonly fingerprint: string
  readonly tenant: string
}

/** Creates and validates the cursors of a service. */
export interface Cursors {
  write(state: CursorState, scope: CursorScope, now: Date): string
  /** @throws ScimError invalid_cursor, expired_cursor */
  read(cursor: string, scope: CursorScope, now: Date): CursorState
}

const VERSION = 1

/** @param options.ttl lifetime in seconds */
export function createCursors({
  keyOf,
  ttl,
}: {
  readonly keyOf: () => Uint8Array
  readonly ttl: number
}): Cursors {
  const sign = (payload: string, { fingerprint, tenant }: CursorScope): Uint8Array =>
    hmacSha256(keyOf(), JSON.stringify([payload, fingerprint, tenant]))

  return {
    write({ type, position, count }, scope, now) {
      const { created, id, key: sortKey } = position
      const payload = JSON.stringify([
        VERSION,
        now.getTime(),
        count,
        type,
        created.getTime(),
        id,
        sortKey,
      ])
      const text = encodeBase64Url(new TextEncoder().encode(payload))
      return `${text}.${encodeBase64Url(sign(payload, scope))}`
    },

    read(cursor, scope, now) {
      const [text = '', signature = '', more] = cursor.split('.')
      const payload = decode(text)
      const given = decodeBase64Url(signature)
      if (more !== undefined || payload === null || given === null) throw invalid()
      if (!constantTimeEqual(given, sign(payload, scope))) throw invalid()
      const { at, state } = parsePayload(payload)
      if (now.getTime() - at > ttl * 1_000) {
        throw new ScimError('expired_cursor', 'The cursor has expired.')
      }
      return state
    },
  }
}

function decode(text: string): string | null {
  const bytes = decodeBase64Url(text)
  if (bytes === null) return null
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

function parsePayload(payload: string): {
  readonly at: number
  readonly state: CursorState
} {
  const parts: unknown = JSON.parse(payload)
  if (!Array.isArray(parts)) throw invalid()
  const [version, at, count, type, created, id, key]: readonly unknown[] = parts
  if (version !== VERSION || typeof at !== 'number' || typeof count !== 'number') throw invalid()
  if (typeof type !== 'string' || typeof created !== 'number') throw invalid()
  if (typeof id !== 'string' || isObject(key)) throw invalid()
  const position = { created: new Date(created), id, key: asSortKey(key) }
  return { at, state: { type, position, count } }
}

function asSortKey(value: unknown): SortKey {
  const usable =
    typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  return usable ? value : null
}

function invalid(): ScimError {
  return new ScimError('invalid_cursor', 'The cursor does not belong to this query.')
}
