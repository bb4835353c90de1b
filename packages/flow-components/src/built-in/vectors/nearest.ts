import { createWorkBudget, type CooperativeWork } from '@x/wire'
import { FlowError } from '@x/flow-engine'
import type { VectorRow } from '@x/flow-engine'

export interface Nearest {
  readonly row: VectorRow
  /** Squared Euclidean distance to the query. */
  readonly distance: number
}

/**
 * Returns the `count` rows nearest to a vector by squared Euclidean distance, nearest first; ties are in
 * insertion order. The search is exact: every row is compared.
 * @throws RangeError when a row's vector has another length
 */
export function nearestRows(
  rows: readonly VectorRow[],
  vector: readonly number[],
  count: number,
): Nearest[] {
  return rows
    .map((row) => ({ row, distance: squaredDistance(row.vector, vector) }))
    .toSorted((one, other) => one.distance - other.distance)
    .slice(0, Math.max(0, count))
}

export interface MarginalOptions {
  readonly count: number
  /** Number of nearest rows to choose from. */
  readonly among: number
  /** 1 considers only distance, 0 only diversity. */
  readonly balance: number
}

/** Maximum number of rows to choose: each is compared with all others. */
const MOST_CHOSEN = 1_000

/**
 * Selects, in parts, rows that are near a vector and different from each other (maximal marginal relevance, by
 * cosine), in order of selection.
 * @throws FlowError `limit_exceeded` for more than 1,000 rows
 */
export function* variedRows(
  rows: readonly VectorRow[],
  vector: readonly number[],
  { count, among, balance }: MarginalOptions,
): CooperativeWork<VectorRow[]> {
  if (Math.min(count, rows.length) > MOST_CHOSEN) throw tooMany()
  const step = createWorkBudget()
  const open = nearestRows(rows, vector, Math.max(among, count)).map(({ row }) => ({
    row,
    nearness: cosine(row.vector, vector),
    likeness: Number.NEGATIVE_INFINITY,
  }))
  const chosen: VectorRow[] = []
  while (chosen.length < count && open.length > 0) {
    const worth = ({ nearness, likeness }: (typeof open)[number]): number =>
      chosen.length === 0 ? nearness : balance * nearness - (1 - balance) * likeness
    const best = open.reduce((top, each) => (worth(each) > worth(top) ? each : top))
    chosen.push(best.row)
    open.splice(open.indexOf(best), 1)
    for (const each of open) {
      each.likeness = Math.max(each.likeness, cosine(each.row.vector, best.row.vector))
      if (step(vector.length)) yield
    }
  }
  return chosen
}

function tooMany(): FlowError {
  return new FlowError(
    'limit_exceeded',
    `MMR chooses at most ${MOST_CHOSEN} results: ask for fewer, or search by similarity`,
  )
}

function squaredDistance(left: readonly number[], right: readonly number[]): number {
  requireSameLength(left, right)
  let sum = 0
  for (const [at, value] of left.entries()) sum += (value - (right[at] ?? 0)) ** 2
  return sum
}

/** 0 for a zero vector. */
function cosine(left: readonly number[], right: readonly number[]): number {
  requireSameLength(left, right)
  let [product, leftSquare, rightSquare] = [0, 0, 0]
  for (const [at, value] of left.entries()) {
    const other = right[at] ?? 0
    product += value * other
    leftSquare += value * value
    rightSquare += other * other
  }
  const size = Math.sqrt(leftSquare * rightSquare)
  return size === 0 ? 0 : product / size
}

function requireSameLength(left: readonly number[], right: readonly number[]): void {
  if (left.length === right.length) return
  throw new RangeError(
    `The index has vectors of length ${left.length}, the query has length ${right.length}: both need the same embedding model`,
  )
}
