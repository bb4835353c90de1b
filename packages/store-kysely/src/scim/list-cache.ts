import type { KeysetPosition } from '@x/scim-core'

/**
 * Caches where pages ended, so that every page of a list costs the same instead of skipping all earlier
 * rows again. An entry is dropped when a write of this or another process may have moved earlier rows.
 */
export interface ListCache {
  /** Counts the writes of this process that may have moved positions; read before a page is read. */
  generation(): number
  find(list: string, offset: number, view: ListView): KeysetPosition | undefined
  remember(list: string, offset: number, position: KeysetPosition, view: ListView): void
  /** Call when a record with that creation time was inserted. */
  inserted(created: Date): void
  changed(kind: 'updated' | 'removed'): void
}

/** The state of a database before one of its pages was read. */
export interface ListView {
  /** Changes after each write of another process that may have moved positions; undefined if unknown. */
  readonly version: number | string | undefined
  readonly generation: number
}

/** The list of all records in default order: only removals move its positions. */
export const PLAIN_LIST = 'plain'

const MAX_POSITIONS = 1000

interface KnownPosition {
  readonly position: KeysetPosition
  readonly version: number | string
}

export function createListCache(): ListCache {
  const places = new Map<string, KnownPosition>()
  let latest = Number.NEGATIVE_INFINITY
  let generation = 0

  const forget = (plainToo: boolean): void => {
    generation += 1
    if (places.size === 0) return
    if (plainToo) places.clear()
    else for (const key of places.keys()) if (!key.startsWith(PLAIN_LIST)) places.delete(key)
    if (plainToo) latest = Number.NEGATIVE_INFINITY
  }

  return {
    generation: () => generation,
    find(list, offset, { version }) {
      const place = places.get(`${list}\n${offset}`)
      return version !== undefined && place?.version === version ? place.position : undefined
    },
    remember(list, offset, position, view) {
      const { version } = view
      // A position read before the last write may have moved.
      if (version === undefined || view.generation !== generation) return
      const key = `${list}\n${offset}`
      places.delete(key)
      places.set(key, { position, version })
      latest = Math.max(latest, position.created.getTime())
      const oldest = places.size > MAX_POSITIONS ? places.keys().next() : undefined
      if (oldest?.done === false) places.delete(oldest.value)
    },
    inserted: (created) => forget(created.getTime() <= latest),
    changed: (kind) => forget(kind === 'removed'),
  }
}

/** The cache within a transaction: returns nothing, and defers invalidation until the commit. */
export function deferredListCache(cache: ListCache): ListCache & { commit(): void } {
  const changes: (() => void)[] = []
  return {
    generation: () => -1,
    find: () => undefined,
    remember: () => undefined,
    inserted: (created) => changes.push(() => cache.inserted(created)),
    changed: (kind) => changes.push(() => cache.changed(kind)),
    commit() {
      for (const change of changes.splice(0)) change()
    },
  }
}
