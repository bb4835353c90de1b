import {
  createData,
  createMessage,
  field,
  output,
  type ComponentContext,
  type Fields,
  type Message,
  type Values,
} from '@x/flow-engine'
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

/**
 * The outputs of a search, with those in nodes of versions 1.1 to 1.4.
 * @param end follows the last text
 */
export function rowOutputs<I extends Fields>(
  search: (inputs: Values<I>, ctx: ComponentContext) => Promise<object[]>,
  end = '',
) {
  const former = { method: 'fetch_content', dynamic: true } as const
  return {
    dataframe: output.dataFrame<I>({
      displayName: 'DataFrame',
      method: 'fetch_content_dataframe',
      run: search,
    }),
    data: output.list<I>({
      displayName: 'Data',
      ...former,
      run: async (inputs, ctx) => (await search(inputs, ctx)).map((row) => createData({ ...row })),
    }),
    text: output.message<I>({
      displayName: 'Text',
      ...former,
      method: 'fetch_content_text',
      run: async (inputs, ctx) => textOf(await search(inputs, ctx), end),
    }),
  }
}

/** The texts of the rows, one a line. */
function textOf(rows: readonly object[], end: string): Message {
  const texts = rows.map((row) => textIn((row as { text?: unknown }).text))
  return createMessage(texts.join('\n') + (rows.length > 0 ? end : ''))
}
