import type { Page, Slice } from '../../store/paging.ts'

type Range = Required<{ readonly [K in keyof Slice]: number }>

export interface MergedPages<Item> {
  readonly range: Range
  /** A list that is kept short: up to its whole length is read for one page. */
  readonly few: (range: Range) => Promise<Page<Item>>
  readonly many: (range: Range) => Promise<Page<Item>>
  /** Whether one item of the short list stands before one of the other. */
  readonly isBefore: (one: Item, other: Item) => boolean
}

/** A page of two ordered lists as one. */
export async function mergePages<Item>({
  range: { offset, limit },
  few,
  many,
  isBefore,
}: MergedPages<Item>): Promise<Page<Item>> {
  const short = await few({ offset: 0, limit: offset + limit })
  // At most so many of the short list stand before the page, so these of the long one do at least.
  const passed = Math.max(0, offset - short.total)
  const long = await many({ offset: passed, limit: offset - passed + limit })
  const merged: Item[] = []
  let next = 0
  for (const item of long.items) {
    for (let one = short.items[next]; one && isBefore(one, item); one = short.items[next]) {
      merged.push(one)
      next += 1
    }
    merged.push(item)
  }
  merged.push(...short.items.slice(next))
  const start = offset - passed
  return { items: merged.slice(start, start + limit), total: short.total + long.total }
}
