import { engineOf } from '../engine/engine.ts'
import type { Kysely } from 'kysely'

/** Limits of the cache. */
export interface KeptLimits<Value> {
  /** Records. */
  readonly records: number
  /** Characters of all of them together, by `sizeOf`. */
  readonly characters: number
  readonly sizeOf: (record: Value) => number
}

/**
 * Keeps what a read by one key gives for as long as the database tells that nothing has changed, in
 * this process or another: asking that costs a fraction of the read. On PostgreSQL, which does not
 * tell, and inside a transaction, every read is made.
 *
 * Records are frozen, as several callers are given the same one. What is not there is not kept.
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
    // The next read shows if the change came before or after this one.
    if (record === null || sqlite.stamp() !== stamp || keptAt !== stamp) return record
    const size = limits.sizeOf(record)
    if (size > limits.characters) return record
    if (kept.size >= limits.records || characters + size > limits.characters) forget(stamp)
    kept.set(key, Object.freeze(record))
    characters += size
    return record
  }
}
