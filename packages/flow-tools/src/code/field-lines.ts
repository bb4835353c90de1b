import type { FieldDiff } from '@x/flow-engine'
import { shownValue } from './flow-difference.ts'
import { lineDifference, type DifferenceLine } from './line-difference.ts'

/** How a changed field is shown: on one line, or as the lines of its text. */
export type FieldLines =
  | { readonly line: string }
  | { readonly field: string; readonly lines: readonly DifferenceLine[] }

/** @param code shows the code of nodes, rather than how much of it changed */
export function fieldLines({ field, from, to }: FieldDiff, code: boolean): FieldLines {
  if (from === '*****' || to === '*****') return { line: `${field}: secret changed` }
  if (field === 'code' && !code) return { line: `code: changed${countsOf(from, to)}` }
  const [before, after] = [shownValue(from), shownValue(to)]
  if (!before.includes('\n') && !after.includes('\n'))
    return { line: `${field}: ${before} -> ${after}` }
  const all = lineDifference(textOf(from), textOf(to))
  if (all === undefined) {
    const length = Math.max(textOf(from).split('\n').length, textOf(to).split('\n').length)
    return { line: `${field}: changed (${length} lines)` }
  }
  return { field, lines: nearChanges(all) }
}

/** The changed lines, each with the line before and after. */
function nearChanges(lines: readonly DifferenceLine[]): DifferenceLine[] {
  return lines.filter((line, at) => {
    const isNear = [lines[at - 1], lines[at + 1]].some(
      (next) => next !== undefined && next.sign !== ' ',
    )
    return line.sign !== ' ' || isNear
  })
}

function countsOf(from: unknown, to: unknown): string {
  const lines = lineDifference(textOf(from), textOf(to))
  if (lines === undefined) return ''
  const parts = (['+', '-'] as const).flatMap((sign) => {
    const count = lines.filter((line) => line.sign === sign).length
    if (count === 0) return []
    return [`${count} ${sign === '+' ? 'added' : 'removed'}`]
  })
  const [first, ...rest] = parts
  if (first === undefined) return ''
  const [count, what] = first.split(' ')
  return ` (${[`${count} line${count === '1' ? '' : 's'} ${what}`, ...rest].join(', ')})`
}

function textOf(value: unknown): string {
  return value === null || value === undefined
    ? ''
    : typeof value === 'string'
      ? value
      : shownValue(value)
}
