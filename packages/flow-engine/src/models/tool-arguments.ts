import { readModelJson } from '../graph/values/read-model-json.ts'

/** Parses the arguments of a tool call, repaired; returns the string itself if it has no JSON, {} if blank. */
export function parseToolArguments(text: string): unknown {
  if (text.trim() === '') return {}
  try {
    return readModelJson(text)
  } catch {
    return text
  }
}
