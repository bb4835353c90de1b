import { eventLoopTurn } from '@x/wire'
import type { CollectionRow, CollectionStore, Position } from '../../store/collections.ts'

/** A search in a collection. */
export interface CollectionQuery {
  readonly vector: readonly number[]
  readonly count: number
  /** Skips rows whose metadata (a JSON object) is not accepted. */
  readonly accepts?: ((metadata: Readonly<Record<string, unknown>>) => boolean) | undefined
  readonly signal?: AbortSignal | undefined
}

/** A row and its squared Euclidean distance from the query. */
export interface FoundRow {
  readonly row: CollectionRow
  readonly distance: number
}

/** Bytes of vectors read per page. */
const PAGE_BYTES = 4 * 1024 * 1024

/** A store that computes with 32-bit floats may order nearly equal distances differently. */
const candidates = (count: number): number => 2 * count + 32

interface Place {
  readonly id: string
  readonly dimension: number
}

/**
 * The nearest rows, nearest first; ties in insertion order. The search is exact: a store with its own vector
 * search is asked for extra candidates, whose distances are recomputed. Without one, or if metadata decides,
 * all vectors are compared.
 */
export async function searchCollection(
  store: CollectionStore,
  place: Place,
  query: CollectionQuery,
): Promise<FoundRow[]> {
  const { vector, count, accepts, signal } = query
  if (count <= 0) return []
  const wanted = Float32Array.from(vector)
  signal?.throwIfAborted()
  const near =
    accepts === undefined
      ? await store.nearest?.(place.id, { vector: wanted, count: candidates(count) })
      : null
  if (near === null || near === undefined) return readAll(store, place, query)
  const best = new Nearest(count)
  const rows = await store.rows(place.id, near)
  for (const { position, vector: own } of rows.toSorted((a, b) => a.position - b.position)) {
    best.offer(position, squaredDistance(own, wanted, best.worst))
  }
  return inOrder(rows, best)
}

/** Reads page by page with a turn of the event loop in between, so that other requests make progress. */
async function readAll(
  store: CollectionStore,
  { id, dimension }: Place,
  { vector, count, accepts, signal }: CollectionQuery,
): Promise<FoundRow[]> {
  const wanted = Float32Array.from(vector)
  const best = new Nearest(Math.max(0, count))
  const limit = Math.max(16, Math.floor(PAGE_BYTES / (dimension * 4 + 64)))
  const metadata = accepts !== undefined
  for (let after = 0; best.capacity > 0;) {
    signal?.throwIfAborted()
    const page = await store.vectors(id, { after, limit, metadata })
    for (const row of page) {
      if (accepts !== undefined && !accepts(parseObject(row.metadata ?? '{}'))) continue
      best.offer(row.position, squaredDistance(row.vector, wanted, best.worst))
    }
    if (page.length < limit) break
    after = page.at(-1)?.position ?? after
    await eventLoopTurn()
  }
  return inOrder(await store.rows(id, best.positions), best)
}

function inOrder(rows: readonly (CollectionRow & Position)[], best: Nearest): FoundRow[] {
  const byPosition = new Map(rows.map((row) => [row.position, row]))
  return best.entries.flatMap(({ position, distance }) => {
    const row = byPosition.get(position)
    return row === undefined ? [] : [{ row, distance }]
  })
}

/** Parses a JSON object; `{}` for anything else. */
export function parseObject(text: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(text)
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

/** Stops as soon as the sum exceeds `bound`. */
function squaredDistance(left: Float32Array, right: Float32Array, bound: number): number {
  let sum = 0
  for (let at = 0; at < right.length; at += 1) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0)
    sum += difference * difference
    if ((at & 63) === 63 && sum > bound) return sum
  }
  return sum
}

/** The nearest entries so far, nearest first. */
class Nearest {
  readonly capacity: number
  readonly entries: { readonly position: number; readonly distance: number }[] = []

  constructor(capacity: number) {
    this.capacity = capacity
  }

  /** Larger distances do not change the result. */
  get worst(): number {
    return this.entries.length < this.capacity
      ? Number.POSITIVE_INFINITY
      : (this.entries.at(-1)?.distance ?? Number.NEGATIVE_INFINITY)
  }

  get positions(): number[] {
    return this.entries.map(({ position }) => position)
  }

  offer(position: number, distance: number): void {
    if (!(distance < this.worst)) return
    let [low, high] = [0, this.entries.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.entries[middle]?.distance ?? 0) <= distance) low = middle + 1
      else high = middle
    }
    this.entries.splice(low, 0, { position, distance })
    if (this.entries.length > this.capacity) this.entries.pop()
  }
}
