import { append } from '@x/wire'

/** One line of a difference. */
export interface DifferenceLine {
  readonly sign: ' ' | '-' | '+'
  readonly text: string
}

/** Longer texts are not compared line by line. */
export const MAX_LINES = 5000

/** The lines of two texts, with what was removed and added; undefined for texts over 5,000 lines. */
export function lineDifference(before: string, after: string): DifferenceLine[] | undefined {
  const [old, now] = [before.split('\n'), after.split('\n')]
  if (Math.max(old.length, now.length) > MAX_LINES) return undefined
  return listDifference(old, now).map(({ sign, item }) => ({ sign, text: item }))
}

export interface DifferenceItem {
  readonly sign: ' ' | '-' | '+'
  readonly item: string
}

/** The longest common sequence of two lists, with what else they have; removed items come first. */
export function listDifference(old: readonly string[], now: readonly string[]): DifferenceItem[] {
  let start = 0
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1
  let end = 0
  while (
    end < old.length - start &&
    end < now.length - start &&
    old[old.length - 1 - end] === now[now.length - 1 - end]
  )
    end += 1
  const same = (items: readonly string[]): DifferenceItem[] =>
    items.map((item) => ({ sign: ' ', item }))
  return [
    ...same(old.slice(0, start)),
    ...middle(old.slice(start, old.length - end), now.slice(start, now.length - end)),
    ...same(old.slice(old.length - end)),
  ]
}

function middle(old: readonly string[], now: readonly string[]): DifferenceItem[] {
  const width = now.length + 1
  // Lengths of the common sequences of the rests of both lists.
  const lengths = new Uint16Array((old.length + 1) * width)
  for (let y = old.length - 1; y >= 0; y -= 1)
    for (let x = now.length - 1; x >= 0; x -= 1) {
      const below = lengths[(y + 1) * width + x] ?? 0
      const right = lengths[y * width + x + 1] ?? 0
      const both = (lengths[(y + 1) * width + x + 1] ?? 0) + 1
      lengths[y * width + x] = old[y] === now[x] ? both : Math.max(below, right)
    }
  const made: DifferenceItem[] = []
  let [y, x] = [0, 0]
  while (y < old.length || x < now.length) {
    const [before, after] = [old[y], now[x]]
    if (before !== undefined && before === after) {
      made.push({ sign: ' ', item: before })
      y += 1
      x += 1
    } else {
      const below = lengths[(y + 1) * width + x] ?? 0
      const right = lengths[y * width + x + 1] ?? 0
      const removes = after === undefined || (before !== undefined && below >= right)
      made.push(removes ? { sign: '-', item: before ?? '' } : { sign: '+', item: after })
      if (removes) y += 1
      else x += 1
    }
  }
  return removedFirst(made)
}

/** Within one change, what was removed comes before what was added. */
function removedFirst(lines: readonly DifferenceItem[]): DifferenceItem[] {
  const made: DifferenceItem[] = []
  let added: DifferenceItem[] = []
  for (const line of lines) {
    if (line.sign === '+') added.push(line)
    else if (line.sign === '-') made.push(line)
    else {
      append(made, added)
      made.push(line)
      added = []
    }
  }
  return [...made, ...added]
}
