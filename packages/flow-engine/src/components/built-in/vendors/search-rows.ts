import { textIn } from './vendor-request.ts'

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
