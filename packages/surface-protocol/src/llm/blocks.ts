import type { Catalog } from '../catalog/catalog.ts'
import { readVersion, type Version } from '../data/version.ts'
import { errorFrom, SurfaceError } from '../diagnostics/errors.ts'
import { defaultLimits } from '../diagnostics/limits.ts'
import { isPlainObject, type JsonObject } from '../json.ts'
import { errorsOf } from './validate-parts.ts'
import { createTagFinder } from './opening-tag.ts'
import { repairJson } from './repair-json.ts'

/** A piece of a text: text between blocks, or the content of a block. */
export type TextBlock =
  | { kind: 'text'; text: string }
  /** `truncated`: the text ended inside the block. */
  | { kind: 'block'; raw: string; truncated?: true }

/** Splits a complete text into blocks and the text around them (SN-66). */
export function extractBlocks(text: string, options: { readonly tag?: string } = {}): TextBlock[] {
  const { tag = 'a2ui-json' } = options
  const open = createTagFinder(tag)
  const close = `</${tag}>`
  const found: TextBlock[] = []
  let at = 0
  while (at < text.length) {
    const opening = open.find(text, at)
    addText(text.slice(at, opening?.index), found)
    if (opening === null) break
    const begin = opening.index + opening.length
    const end = endOfBlock(text, begin, close)
    const raw = withoutFence(text.slice(begin, end ?? text.length))
    found.push(end === null ? { kind: 'block', raw, truncated: true } : { kind: 'block', raw })
    at = end === null ? text.length : end + close.length
  }
  return found
}

function addText(text: string, found: TextBlock[]): void {
  const trimmed = text.trim()
  if (trimmed !== '') found.push({ kind: 'text', text: trimmed })
}

/** Position of the closing tag outside JSON strings; null if there is none. */
function endOfBlock(text: string, begin: number, close: string): number | null {
  let inString = false
  for (let at = begin; at < text.length; at += 1) {
    const char = text[at]
    if (char === '\\' && inString) at += 1
    else if (char === '"') inString = !inString
    else if (char === '<' && !inString && text.startsWith(close, at)) return at
  }
  // A quotation mark outside JSON must not hide a tag.
  const plain = inString ? text.indexOf(close, begin) : -1
  return plain === -1 ? null : plain
}

function withoutFence(raw: string): string {
  const trimmed = raw.trim()
  const fenced = /^```\w*[ \t]*\r?\n/.exec(trimmed)
  if (fenced === null) return trimmed
  return trimmed
    .slice(fenced[0].length)
    .replace(/\r?\n[ \t]*```$/, '')
    .trim()
}

/**
 * Parses the messages of a block (SN-66).
 * @throws SurfaceError `malformed_json`, or the first problem of a message
 */
export function parseBlock(
  raw: string,
  options: { readonly version?: Version; readonly catalogs?: readonly Catalog[] } = {},
): { messages: JsonObject[]; repairs: string[] } {
  const { value, repairs } = repairJson(raw)
  if (typeof value !== 'object' || value === null) {
    throw new SurfaceError({ code: 'malformed_json', detail: 'The block contains no message.' })
  }
  const wrapped = isPlainObject(value) && Array.isArray(value.messages) ? value.messages : value
  const list = Array.isArray(wrapped) ? wrapped : [wrapped]
  const { catalogs } = options
  const validation = { version: readVersion(options.version), catalogs, limits: defaultLimits }
  for (const message of list) {
    const errors = errorsOf(message, validation)
    if (errors.length > 0) throw errorFrom(errors)
  }
  return { messages: list as JsonObject[], repairs }
}
