import { differenceSummary, flowDifference, oneLine, titleOf } from './flow-difference.ts'
import { fieldLines } from './field-lines.ts'

export interface FlowDiffTextOptions {
  /** Shows changed code of nodes, rather than how many lines of it changed. Default false. */
  readonly code?: boolean
}

/** The difference of two flows as text, one fact a line. */
export function flowDiffText(
  before: unknown,
  after: unknown,
  { code = false }: FlowDiffTextOptions = {},
): string {
  const difference = flowDifference(before, after)
  const { name, diff } = difference
  const title = (id: string): string =>
    titleOf(difference.after.get(id) ?? difference.before.get(id), id)
  const lines = [
    `${name}: ${differenceSummary(difference)}`,
    ...diff.nodes.added.map((id) => `+ ${title(id)}`),
    ...diff.nodes.removed.map((id) => `- ${title(id)}`),
    ...diff.nodes.changed.flatMap(({ id, fields }) => [
      `~ ${title(id)}`,
      ...fields.flatMap((field) => {
        const shown = fieldLines(field, code)
        if ('line' in shown) return [`    ${oneLine(shown.line)}`]
        return [
          `    ${oneLine(shown.field)}:`,
          ...shown.lines.map(({ sign, text }) => `      ${sign} ${text}`),
        ]
      }),
    ]),
    ...diff.edges.added.map((edge) => `+ ${oneLine(edge)}`),
    ...diff.edges.removed.map((edge) => `- ${oneLine(edge)}`),
  ]
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`
}
