import { parseJson } from '../base/parse-json.ts'

/** The parsed arguments of a tool call; the text itself when it is no JSON (FE-50). Nothing counts as {}. */
export function parseToolArguments(text: string): unknown {
  if (text.trim() === '') return {}
  try {
    return parseJson(text)
  } catch {
    return text
  }
}
