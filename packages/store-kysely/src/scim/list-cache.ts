import type { KeysetPosition } from '@x/scim-core'

/**
 * Remembers where pages ended, so that walking a list page by page costs the same for each page
 * instead of passing over all earlier rows again. A place is forgotten when a write may have moved
 * the rows before it.
 */
export interface ListCache {
  find(list: string, offset: number): KeysetPosition | undefined
  remember(list: string, offset: number, position: KeysetPosition): void
  /** A record was inserted that was created at that time. */
  inserted(created: Date): void
  changed(kind: 'updated' | 'removed'): void
}

/** The list of all records in their default order: only removing one moves the others. */
export const PLAIN_LIST = 'plain'

const PLACES = 1000

export function createListCache(): ListCache {
  const places = new Map<string, KeysetPosition>()
  let latest = Number.NEGATIVE_INFINITY

  const forget = (plainToo: boolean): void => {
    if (places.size === 0) return
    if (plainToo) places.clear()
    else for (const key of places.keys()) if (!key.startsWith(PLAIN_LIST)) places.delete(key)
    if (plainToo) latest = Number.NEGATIVE_INFINITY
  }

  return {
    find: (list, offset) => places.get(`${list}\n${offset}`),
    remember(list, offset, position) {
      const key = `${list}\n${offset}`
      places.delete(key)
      places.set(key, position)
      latest = Math.max(latest, position.created.getTime())
      const oldest = places.size > PLACES ? places.keys().next() : undefined
      if (oldest?.done === false) places.delete(oldest.value)
    },
    inserted: (created) => forget(created.getTime() <= latest),
    changed: (kind) => forget(kind === 'removed'),
  }
}

/** The cache inside a transaction: it gives nothing, and forgets what it must after the commit. */
export function deferredListCache(cache: ListCache): ListCache & { commit(): void } {
  const changes: (() => void)[] = []
  return {
    find: () => undefined,
    remember: () => undefined,
    inserted: (created) => changes.push(() => cache.inserted(created)),
    changed: (kind) => changes.push(() => cache.changed(kind)),
    commit() {
      for (const change of changes.splice(0)) change()
    },
  }
}
