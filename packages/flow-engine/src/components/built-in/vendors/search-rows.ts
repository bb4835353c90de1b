import { field } from '../../define/field.ts'
import { textIn } from './vendor-request.ts'

/** The fields that say how many rows a search gives, and how long their snippets are. */
export const rowLimits = {
  max_results: field.int({ displayName: 'Max Results', default: 5, advanced: true }),
  max_snippet_length: field.int({
    displayName: 'Max Snippet Length',
    default: 100,
    advanced: true,
  }),
}

/** A hit of a search engine as a row, its words cut to `length` characters (CO-71). */
export function resultRow(result: Readonly<Record<string, unknown>>, length: number) {
  const text = textIn(result.snippet)
  return {
    title: textIn(result.title).slice(0, length),
    link: textIn(result.link),
    snippet: text.slice(0, length),
    text,
  }
}
