import { createData, createMessage, field, type Data, type Message } from '@x/flow-engine'
import { textIn } from './vendor-request.ts'

/** Fields that limit the number of rows and the length of snippets. */
export const rowLimits = {
  max_results: field.int({ displayName: 'Max Results', default: 5, advanced: true }),
  max_snippet_length: field.int({
    displayName: 'Max Snippet Length',
    default: 100,
    advanced: true,
  }),
}

/** Converts a search hit to a row, with strings cut to `length` characters. */
export function resultRow(result: Readonly<Record<string, unknown>>, length: number) {
  const text = textIn(result.snippet)
  return {
    title: textIn(result.title).slice(0, length),
    link: textIn(result.link),
    snippet: text.slice(0, length),
    text,
  }
}

/** The outputs in nodes of versions 1.1 to 1.4 (NX-36): `dataOf` the rows, and `textOf` them. */
export const formerData = { displayName: 'Data', method: 'fetch_content', dynamic: true } as const
export const formerText = {
  displayName: 'Text',
  method: 'fetch_content_text',
  dynamic: true,
} as const

export function dataOf(rows: readonly object[]): Data[] {
  return rows.map((row) => createData({ ...row }))
}

/** The texts of the rows, one a line, with `end` after the last one. */
export function textOf(rows: readonly object[], end = ''): Message {
  const texts = rows.map((row) => textIn((row as { text?: unknown }).text))
  return createMessage(texts.join('\n') + (rows.length > 0 ? end : ''))
}
