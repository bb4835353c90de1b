import { matchAt, messageAhead } from './json-tokens.ts'

/** Where a message cannot be read. */
export interface FaultyMessage {
  readonly at: number
  readonly isTooDeep: boolean
  /** Brackets that are open there. */
  readonly depth: number
  /** Nothing follows the text. */
  readonly final: boolean
}

/**
 * Where a message ends that cannot be read: at its last bracket, or before another message.
 * @returns null if the text has to go on first
 */
export function endOfFaulty(text: string, faulty: FaultyMessage): number | null {
  const { at, isTooDeep, final } = faulty
  let { depth } = faulty
  const mark = /\\.|"(?:[^"\\\n]|\\.){0,2000}"|[{}[\]]/gsu
  mark.lastIndex = at
  for (let found = mark.exec(text); found !== null; found = mark.exec(text)) {
    const [char] = found
    if (char === '{' || char === '[') {
      if (found.index > at && !isTooDeep && matchAt(messageAhead, text, found.index) !== null) {
        return found.index
      }
      depth += 1
    } else if (char === '}' || char === ']') depth -= 1
    if (depth <= 0 && '{}[]'.includes(char)) return mark.lastIndex
  }
  return final ? text.length : null
}
