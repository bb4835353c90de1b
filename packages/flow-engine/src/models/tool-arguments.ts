import { parseJson } from '@x/wire'

/** Parses the arguments of a tool call; returns the string itself if it is not JSON, {} if blank (FE-50). */
export function parseToolArguments(text: string): unknown {
  if (text.trim() === '') return {}
  try {
    return parseJson(text)
  } catch {
    return text
  }
}
