import { engineOf } from '../engine/engine.ts'
import type { Kysely } from 'kysely'

/** Limits of the cache. */
export interface KeptLimits<Value> {
  /** Maximum number of records. */
  readonly records: number
  /** Maximum total characters, measured by `sizeOf`. */
  readonly characters: number
  readonly sizeOf: (record: Value) => number
}

/**
 * Caches reads by a single key while the database reports no changes, by this process or others; that check
 * costs a fraction of the read. On PostgreSQL, which cannot report this, and inside transactions nothing is
 * cached. Records are frozen, because callers share them. Missing records are not cached.
 */
export function keptRecords<Tables, Value extends object>(
  db: Kysely<Tables>,
  read: (key: string) => Promise<Value | null>,
  limits: KeptLimits<Value>,
): (key: string) => Promise<Value | null> {
  const engine = engineOf(db)
  if (engine.kind !== 'sqlite' || db.isTransaction) return read
  const { sqlite } = engine
  let kept = new Map<string, Value>()
  let keptAt: number | undefined
  let characters = 0

  const forget = (stamp: number | undefined): void => {
    kept = new Map()
    keptAt = stamp
    characters = 0
  }
  return async (key) => {
    const stamp = sqlite.stamp()
    if (stamp === undefined) return read(key)
    if (stamp !== keptAt) forget(stamp)
    const known = kept.get(key)
    if (known !== undefined) return known
    const record = await read(key)
    // The record may have changed while it was read, so it is not cached.
    if (record === null || sqlite.stamp() !== stamp || keptAt !== stamp) return record
    const size = limits.sizeOf(record)
    if (size > limits.characters) return record
    if (kept.size >= limits.records || characters + size > limits.characters) forget(stamp)
    kept.set(key, Object.freeze(record))
    characters += size
    return record
  }
}
