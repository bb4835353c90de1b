import { SurfaceError } from '../diagnostics/errors.ts'
import type { JsonValue } from '../json.ts'

/** Repaired JSON, with the repairs made. */
export interface RepairedJson {
  value: JsonValue
  /** Names of the repairs without duplicates, in order of first use. */
  repairs: string[]
}

const OPEN_QUOTES = '\u201c\u201e\u201f'
const CLOSE_QUOTES = '\u201d\u201c\u201f'

/**
 * Parses JSON as written by models (SP-84). Repairs trailing commas, typographic quotes as delimiters,
 * comments, and missing brackets at the end; the content of strings is never changed.
 * @throws SurfaceError `malformed_json` if that is not enough
 */
export function repairJson(text: string): RepairedJson {
  const direct = parse(text)
  if (direct !== undefined) return { value: direct, repairs: [] }
  const { json, repairs } = rewrite(text)
  const value = parse(json)
  if (value !== undefined) return { value, repairs: [...repairs] }
  const list = parse(`[${json}]`)
  if (list === undefined || json.trim() === '') {
    throw new SurfaceError({ code: 'malformed_json', detail: 'The text cannot be read as JSON.' })
  }
  return { value: list, repairs: [...repairs, 'missing list'] }
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}

interface Rewriting {
  readonly text: string
  at: number
  readonly out: string[]
  readonly open: ('}' | ']')[]
  readonly repairs: Set<string>
}

function rewrite(text: string): { json: string; repairs: Set<string> } {
  const state: Rewriting = { text, at: 0, out: [], open: [], repairs: new Set() }
  while (state.at < text.length) rewriteNext(state)
  dropTrailingComma(state)
  if (state.open.length > 0) state.repairs.add('missing bracket')
  const json = state.out.join('') + state.open.toReversed().join('')
  return { json, repairs: state.repairs }
}

function rewriteNext(state: Rewriting): void {
  const { text, at, out, open } = state
  const char = text.charAt(at)
  if (char === '"') copyString(state)
  else if (OPEN_QUOTES.includes(char) || char === '\u201d') copyTypographic(state)
  else if (char === '/' && (text[at + 1] === '/' || text[at + 1] === '*')) skipComment(state)
  else {
    if (char === '{') open.push('}')
    else if (char === '[') open.push(']')
    else if (char === '}' || char === ']') {
      dropTrailingComma(state)
      open.pop()
    }
    out.push(char)
    state.at += 1
  }
}

/** Removes a comma followed only by white space. */
function dropTrailingComma({ out, repairs }: Rewriting): void {
  let last = out.length - 1
  while (last >= 0 && /^\s$/.test(out[last] ?? '')) last -= 1
  if (out[last] !== ',') return
  out.splice(last, 1)
  repairs.add('trailing comma')
}

function copyString(state: Rewriting): void {
  const { text, at, out } = state
  let end = at + 1
  while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1
  out.push(text.slice(at, end + 1))
  state.at = end + 1
}

/** A string in typographic quotes; straight quotes inside belong to its content. */
function copyTypographic(state: Rewriting): void {
  const { text, at, out, repairs } = state
  let end = at + 1
  while (end < text.length && !endsString(text, end)) end += text[end] === '\\' ? 2 : 1
  const content = text
    .slice(at + 1, end)
    .replaceAll(/\\.|"/gs, (part) => (part === '"' ? '\\"' : part))
  out.push(`"${content}"`)
  repairs.add('typographic quotes')
  state.at = end + 1
}

/** A closing quote ends the string if JSON punctuation or the end follows. */
function endsString(text: string, at: number): boolean {
  if (!CLOSE_QUOTES.includes(text.charAt(at)) && text[at] !== '"') return false
  return /^\s*(?:[,:}\]]|$)/.test(text.slice(at + 1, at + 200))
}

function skipComment(state: Rewriting): void {
  const { text, at, repairs } = state
  const line = text[at + 1] === '/'
  const end = text.indexOf(line ? '\n' : '*/', at + 2)
  repairs.add('comment')
  state.at = end === -1 ? text.length : end + (line ? 0 : 2)
}
