import { append } from '@x/wire'
import { listDifference } from './line-difference.ts'

/** A merged value, or none where both sides changed it differently. */
export type MergedValue = { readonly value: unknown } | undefined

/** What one side changed wins over what the other left; texts are merged by lines, tables by rows. */
export function mergeValue(base: unknown, ours: unknown, theirs: unknown): MergedValue {
  if (isSame(ours, theirs) || isSame(theirs, base)) return { value: ours }
  if (isSame(ours, base)) return { value: theirs }
  const texts = [base, ours, theirs]
  if (texts.every((text) => typeof text === 'string')) {
    const [old, one, other] = texts as [string, string, string]
    if (![old, one, other].some((text) => text.includes('\n'))) return undefined
    const lines = mergeLists(old.split('\n'), one.split('\n'), other.split('\n'))
    return lines === undefined ? undefined : { value: lines.join('\n') }
  }
  if (texts.every(isTable)) {
    const [old, one, other] = texts as [unknown[], unknown[], unknown[]]
    const rows = mergeLists(old.map(textOf), one.map(textOf), other.map(textOf))
    return rows === undefined ? undefined : { value: rows.map((row) => JSON.parse(row) as unknown) }
  }
  return undefined
}

export function isSame(a: unknown, b: unknown): boolean {
  return a === b || textOf(a) === textOf(b)
}

const textOf = (value: unknown): string => JSON.stringify(value ?? null)

function isTable(value: unknown): value is unknown[] {
  return Array.isArray(value) && value.every((row) => typeof row === 'object' && row !== null)
}

const MAX_ITEMS = 5000

/** Merges two changes of a list; undefined where they touch. */
function mergeLists(
  base: readonly string[],
  ours: readonly string[],
  theirs: readonly string[],
): string[] | undefined {
  if (Math.max(base.length, ours.length, theirs.length) > MAX_ITEMS) return undefined
  const [one, other] = [changesOf(base, ours), changesOf(base, theirs)]
  const merged: string[] = []
  let at = 0
  while (one.length > 0 || other.length > 0) {
    const [mine, yours] = [one[0], other[0]]
    if (mine !== undefined && yours !== undefined && touches(mine, yours)) {
      if (!isSame(mine, yours)) return undefined
      other.shift()
    }
    const isMine = mine !== undefined && (yours === undefined || mine.start <= yours.start)
    const next = isMine ? one.shift() : other.shift()
    if (next === undefined) break
    append(merged, base.slice(at, next.start))
    append(merged, next.lines)
    at = next.end
  }
  return [...merged, ...base.slice(at)]
}

interface Change {
  readonly start: number
  readonly end: number
  readonly lines: readonly string[]
}

/** Changes that touch, or follow one another at once, are decided by a person. */
function touches(a: Change, b: Change): boolean {
  return a.start <= b.end && b.start <= a.end
}

function changesOf(base: readonly string[], side: readonly string[]): Change[] {
  const changes: { start: number; end: number; lines: string[] }[] = []
  let at = 0
  for (const { sign, item } of listDifference(base, side)) {
    const last = changes.at(-1)
    const open = last !== undefined && last.end === at ? last : undefined
    if (sign === ' ') at += 1
    else if (sign === '-') {
      at += 1
      if (open === undefined) changes.push({ start: at - 1, end: at, lines: [] })
      else open.end = at
    } else if (open === undefined) changes.push({ start: at, end: at, lines: [item] })
    else open.lines.push(item)
  }
  return changes
}
