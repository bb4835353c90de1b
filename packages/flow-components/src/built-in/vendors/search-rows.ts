import { field } from '@x/flow-engine'
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
