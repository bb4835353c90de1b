import { isSurfaceError } from '../diagnostics/errors.ts'
import type { ExtractedPart } from './extracted-part.ts'
import { repairJson } from './repair-json.ts'

/** The result of reading a chunk of a tag block. */
export interface BlockResult {
  readonly parts: ExtractedPart[]
  /** Text after the closing tag; null while the block continues. */
  readonly rest: string | null
  /** The whole block, if it is not JSON and was never closed. */
  readonly asText: string | null
}

/** Reads the content of a tag block; each object is returned as soon as it is complete (SP-83). */
export interface BlockReader {
  read(piece: string, last: boolean): BlockResult
}

/** Callbacks and limits of a reader. */
export interface BlockReaderOptions {
  readonly tag: string
  /** Maximum characters of a message. */
  readonly maximum: number
  /** Validates each message. */
  readonly validate: (part: ExtractedPart) => ExtractedPart
  /** Handles an object truncated at the end of the text; null: it is repaired. */
  readonly heal: ((raw: string) => ExtractedPart) | null
}

/** Creates a reader for a block after its opening tag. */
export function createBlockReader({
  tag,
  maximum,
  validate,
  heal,
}: BlockReaderOptions): BlockReader {
  const close = `</${tag}>`
  let text = ''
  let at = 0
  let start = -1
  let depth = 0
  let inString = false
  let found = false
  let skipping = false

  const take = (end: number, parts: ExtractedPart[]): void => {
    const raw = text.slice(start, end)
    start = -1
    depth = 0
    inString = false
    found = true
    parts.push(validate(toPart(raw)))
  }

  /** Advances by one character; true at the closing tag. */
  const step = (parts: ExtractedPart[]): boolean => {
    const char = text.charAt(at)
    if (inString) {
      if (char === '\\') at += 1
      else if (char === '"') inString = false
    } else if (char === '<' && text.startsWith(close, at)) return true
    else if (char === '"' && start !== -1) inString = true
    else if (char === '{') {
      if (depth === 0) start = at
      depth += 1
    } else if (char === '}' && depth > 0) {
      depth -= 1
      if (depth === 0) take(at + 1, parts)
    }
    at += 1
    return false
  }

  const finish = (parts: ExtractedPart[]): void => {
    if (start !== -1) take(at, parts)
    else if (!found && !skipping) {
      for (const element of elementsOf(text.slice(0, at))) parts.push(validate(element))
    }
  }

  const tooLong = (parts: ExtractedPart[]): void => {
    const raw = text.slice(start, start + 200)
    const message = `A message may have ${maximum} bytes.`
    parts.push({ kind: 'error', code: 'limit_exceeded', message, raw })
    skipping = true
    start = -1
    depth = 0
    inString = false
  }

  /** Discards consumed text. */
  const trim = (): void => {
    if (!found && !skipping) return
    const from = start === -1 ? at : start
    text = text.slice(from)
    at -= from
    if (start !== -1) start = 0
  }

  return {
    read(piece, last) {
      const parts: ExtractedPart[] = []
      text += piece
      // The last characters may be the start of the closing tag.
      while (at < text.length) {
        if (!last && !inString && text[at] === '<' && text.length - at < close.length) break
        if (step(parts)) {
          finish(parts)
          return { parts, rest: text.slice(at + close.length), asText: null }
        }
        if (start !== -1 && at - start > maximum) tooLong(parts)
      }
      if (!last) {
        trim()
        return { parts, rest: null, asText: null }
      }
      if (!found && start === -1 && !skipping) {
        return { parts, rest: null, asText: `<${tag}>${text}` }
      }
      return endOpen(parts)
    },
  }

  /** The text ended within the block, possibly within an unterminated string. */
  function endOpen(parts: ExtractedPart[]): BlockResult {
    if (heal !== null) {
      if (start !== -1) parts.push(heal(text.slice(start)))
      return { parts, rest: '', asText: null }
    }
    const closing = start === -1 ? -1 : text.indexOf(close, start)
    if (closing === -1) {
      if (start !== -1) take(text.length, parts)
      return { parts, rest: '', asText: null }
    }
    take(closing, parts)
    return { parts, rest: text.slice(closing + close.length), asText: null }
  }
}

function toPart(raw: string): ExtractedPart {
  try {
    const { value, repairs } = repairJson(raw)
    return { kind: 'message', message: value, repairs }
  } catch (error) {
    if (!isSurfaceError(error)) throw error
    return { kind: 'error', code: error.code, message: error.detail, raw }
  }
}

/** The elements of a block that is not an object; an error if it is not JSON. */
function elementsOf(raw: string): ExtractedPart[] {
  if (raw.trim() === '') return []
  const part = toPart(raw)
  if (part.kind !== 'message' || !Array.isArray(part.message)) {
    const message = 'The block contains no message.'
    return [{ kind: 'error', code: 'malformed_json', message, raw }]
  }
  const { repairs } = part
  return part.message.map((message: unknown) => ({ kind: 'message', message, repairs }))
}
