import type { BulkEntry } from './bulk-plan.ts'

/** The order in which the operations of a bulk request run. */
export interface BulkOrder {
  /**
   * The next operation. `isReady` false: it is part of a cycle, which is broken here at the first POST; its
   * references are set afterwards. Undefined at the end.
   */
  next(): { readonly index: number; readonly isReady: boolean } | undefined
  /** The operation has run, successfully or not; nothing waits for it any more. */
  done(index: number): void
}

/**
 * Orders operations as in the request, except that referenced ones run first. Every reference is
 * visited once, so the time is linear in their number, apart from ordering the ready ones.
 */
export function bulkOrder(entries: readonly BulkEntry[]): BulkOrder {
  const postOf = new Map<string, number>()
  for (const [index, { operation }] of entries.entries()) {
    if (operation?.method === 'POST' && operation.bulkId !== null) {
      postOf.set(operation.bulkId, index)
    }
  }
  const waitsFor = entries.map(() => 0)
  const waiters = new Map<number, number[]>()
  for (const [index, { references }] of entries.entries()) {
    for (const name of references) {
      const post = postOf.get(name)
      if (post === undefined) continue
      waitsFor[index] = (waitsFor[index] ?? 0) + 1
      const others = waiters.get(post)
      if (others === undefined) waiters.set(post, [index])
      else others.push(index)
    }
  }
  const ready = createMinHeap()
  const taken = new Set<number>()
  for (const [index, count] of waitsFor.entries()) if (count === 0) ready.add(index)
  const circles = createCycleBreaker(entries, taken)
  const take = (index: number, isReady: boolean): { index: number; isReady: boolean } => {
    taken.add(index)
    return { index, isReady }
  }

  return {
    next() {
      for (let index = ready.take(); index !== undefined; index = ready.take()) {
        if (!taken.has(index)) return take(index, true)
      }
      const index = circles()
      return index === undefined ? undefined : take(index, false)
    },
    done(index) {
      for (const waiter of waiters.get(index) ?? []) {
        const left = (waitsFor[waiter] ?? 0) - 1
        waitsFor[waiter] = left
        if (left === 0) ready.add(waiter)
      }
      waiters.delete(index)
    },
  }
}

/** The first POST that has not run yet, otherwise the first operation. Never moves backwards. */
function createCycleBreaker(
  entries: readonly BulkEntry[],
  taken: ReadonlySet<number>,
): () => number | undefined {
  let post = 0
  let any = 0
  return () => {
    while (post < entries.length && (taken.has(post) || !isPost(entries[post]))) post += 1
    if (post < entries.length) return post
    while (any < entries.length && taken.has(any)) any += 1
    return any < entries.length ? any : undefined
  }
}

function isPost(entry: BulkEntry | undefined): boolean {
  return entry?.operation?.method === 'POST'
}

/** A min-heap of indexes. */
function createMinHeap(): { add(index: number): void; take(): number | undefined } {
  const heap: number[] = []
  const at = (place: number): number => heap[place] ?? Number.POSITIVE_INFINITY
  const swap = (a: number, b: number): void => {
    const first = at(a)
    heap[a] = at(b)
    heap[b] = first
  }
  return {
    add(index) {
      heap.push(index)
      for (let place = heap.length - 1; place > 0;) {
        const parent = (place - 1) >> 1
        if (at(parent) <= at(place)) return
        swap(parent, place)
        place = parent
      }
    },
    take() {
      const smallest = heap[0]
      const last = heap.pop()
      if (heap.length === 0 || last === undefined) return smallest
      heap[0] = last
      for (let place = 0; ;) {
        const left = 2 * place + 1
        const child = at(left + 1) < at(left) ? left + 1 : left
        if (at(place) <= at(child)) return smallest
        swap(place, child)
        place = child
      }
    },
  }
}
