import { append } from '@x/wire'
import type { Page, Slice } from '@x/flow-engine/store'

type Range = Required<{ readonly [K in keyof Slice]: number }>

export interface MergedPages<Item> {
  readonly range: Range
  /** The shorter list; it may be read completely for one page. */
  readonly few: (range: Range) => Promise<Page<Item>>
  readonly many: (range: Range) => Promise<Page<Item>>
  /** True if an item of the short list precedes one of the long list. */
  readonly isBefore: (one: Item, other: Item) => boolean
}

/** Merges two ordered lists into one page. */
export async function mergePages<Item>({
  range: { offset, limit },
  few,
  many,
  isBefore,
}: MergedPages<Item>): Promise<Page<Item>> {
  const short = await few({ offset: 0, limit: offset + limit })
  // At most `short.total` items of the short list precede the page, so at least this many of the long one
  // do.
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
  append(merged, short.items.slice(next))
  const start = offset - passed
  return { items: merged.slice(start, start + limit), total: short.total + long.total }
}
