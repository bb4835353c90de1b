import { defined, isPlainObject, ownValue, type JsonValue } from '../json.ts'
import type { StoreDialect } from './state.ts'

/** A client's action, as whichever envelope it came in. */
export interface SentAction {
  /** The action in the envelope of the store's version, for its validation. */
  readonly envelope: unknown
  /** The members of the action; null if there is none. */
  readonly action: Readonly<Record<string, unknown>> | null
}

const FIELDS = ['name', 'surfaceId', 'sourceComponentId', 'timestamp', 'context']

/**
 * Reads `{userAction}`, a bare action, or `{version, action}` for a store of any version. An envelope that names a
 * version the store cannot be meant by, and anything that is no action, stays as it is.
 */
export function readSentAction(value: unknown, { family, version }: StoreDialect): SentAction {
  if (!isPlainObject(value)) return { envelope: value, action: null }
  const older = ownValue(value, 'userAction')
  const isBare = 'sourceComponentId' in value && !('action' in value) && older === undefined
  const own =
    isPlainObject(older) && Object.keys(value).length === 1 ? older : isBare ? value : null
  if (own !== null) {
    if (family === '0.8') return { envelope: { userAction: own }, action: own }
    const fields = defined(Object.fromEntries(FIELDS.map((name) => [name, ownValue(own, name)])))
    return { envelope: { version: `v${version}`, action: fields }, action: own }
  }
  const later = ownValue(value, 'action')
  if (!isPlainObject(later)) return { envelope: value, action: null }
  if (family === '0.8' && typeof value.version === 'string') {
    return { envelope: { userAction: later }, action: later }
  }
  return { envelope: value, action: later }
}

/** The values of a map whose keys are the positions from 0 on, in order; null for any other map. */
export function itemsOf(value: Readonly<Record<string, unknown>>): JsonValue[] | null {
  const keys = Object.keys(value)
  const items = keys.map((_, index) => ownValue(value, String(index)) as JsonValue | undefined)
  return items.every((item) => item !== undefined) ? items : null
}
