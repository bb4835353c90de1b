import { fieldLines } from './field-lines.ts'
import { differenceSummary, displayName, flowDifference, oneLine } from './flow-difference.ts'
import type { FlowDiffTextOptions } from './flow-diff-text.ts'

const MAX_LENGTH = 60_000
const MAX_NAME = 200

/** The difference of two flows for a comment. No text of a flow acts as markup. */
export function flowDiffMarkdown(
  before: unknown,
  after: unknown,
  { code = false }: FlowDiffTextOptions = {},
): string {
  const difference = flowDifference(before, after)
  const { name, diff } = difference
  const title = (id: string): string => {
    const node = difference.after.get(id) ?? difference.before.get(id)
    return `${plain(displayName(node, id))} (${span(id)})`
  }
  const head = `### ${plain(name)}\n\n${differenceSummary(difference)}\n`
  const items = [
    ...diff.nodes.added.map((id) => `- added: ${title(id)}\n`),
    ...diff.nodes.removed.map((id) => `- removed: ${title(id)}\n`),
    ...diff.nodes.changed.flatMap(({ id, fields }) => [
      `- changed: ${title(id)}\n`,
      ...fields.map((field) => fieldItem(fieldLines(field, code))),
    ]),
    ...diff.edges.added.map((edge) => `- added edge: ${span(edge)}\n`),
    ...diff.edges.removed.map((edge) => `- removed edge: ${span(edge)}\n`),
  ]
  let text = items.length === 0 ? head : `${head}\n`
  for (const [at, item] of items.entries()) {
    if (text.length + item.length > MAX_LENGTH - 100) {
      const left = items.length - at
      return `${text}\n... and ${left} more change${left === 1 ? '' : 's'}\n`
    }
    text += item
  }
  return text
}

function fieldItem(shown: ReturnType<typeof fieldLines>): string {
  if ('line' in shown) return `  - ${span(shown.line)}\n`
  const lines = shown.lines.map(({ sign, text }) =>
    `${sign} ${text.replaceAll('\r', ' ')}`.trimEnd(),
  )
  const fence = '`'.repeat(Math.max(3, longestRun(lines.join('\n')) + 1))
  const body = [`${fence}diff`, ...lines, fence].map((line) => `    ${line}`.trimEnd())
  return `  - ${span(shown.field)}\n\n${body.join('\n')}\n\n`
}

/** A name as text if it is harmless, else as code. */
function plain(name: string): string {
  const text = oneLine(name).trim()
  const isHarmless = /^[\p{L}\p{N}][\p{L}\p{N} ,()'-]*$/u.test(text) && text.length <= MAX_NAME
  return isHarmless ? text : span(text)
}

/** A code span, in which nothing is markup, mention or link. */
function span(given: string): string {
  const line = oneLine(given)
  const text = line.length > 2 * MAX_NAME ? `${line.slice(0, 2 * MAX_NAME)}…` : line
  const ticks = '`'.repeat(longestRun(text) + 1)
  const pad = text === '' || /^[` ]|[` ]$/.test(text) ? ' ' : ''
  return `${ticks}${pad}${text}${pad}${ticks}`
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0)
}
