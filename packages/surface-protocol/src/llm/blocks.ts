import { checkOptions, type OptionNames } from '../catalog/check-options.ts'
import { readVersion } from '../data/version.ts'
import { errorFrom, SurfaceError } from '../diagnostics/errors.ts'
import { defaultLimits } from '../diagnostics/limits.ts'
import type { JsonObject } from '../json.ts'
import { createBlockReader } from './block-reader.ts'
import { createCompletion } from './completion.ts'
import type { ExtractMessagesOptions } from './extract-options.ts'
import { errorsOf } from './validate-parts.ts'

/** A piece of a text: text between blocks, or the content of a block. */
export type TextBlock =
  | { kind: 'text'; text: string }
  /** `truncated`: the text ended inside the block. */
  | { kind: 'block'; raw: string; truncated?: true }

/** Options for parsing a block. */
export type ParseBlockOptions = Pick<
  ExtractMessagesOptions,
  'version' | 'catalogs' | 'catalogAliases' | 'complete' | 'surfaces' | 'unsafeUrls' | 'urlSchemes'
>

const optionNames: OptionNames<ParseBlockOptions> = {
  version: true,
  catalogs: true,
  catalogAliases: true,
  complete: true,
  surfaces: true,
  unsafeUrls: true,
  urlSchemes: true,
}

/** The messages of a block and the repairs that were needed. */
export interface ParsedBlock {
  messages: JsonObject[]
  repairs: string[]
}

/** Splits a complete text into blocks and the text around them. */
export function extractBlocks(text: string, options: { readonly tag?: string } = {}): TextBlock[] {
  const { tag = 'a2ui-json' } = options
  const quoted = tag.replaceAll(/[$()*+./?[\\\]^{|}]/g, String.raw`\$&`)
  const open = new RegExp(`<${quoted}(?:\\s[^<>]{0,1000})?>`, 'gi')
  const close = new RegExp(`<\\\\?/${quoted}\\s{0,20}>`, 'gi')
  const found: TextBlock[] = []
  let at = 0
  while (at < text.length) {
    open.lastIndex = at
    const opening = open.exec(text)
    addText(text.slice(at, opening?.index), found)
    if (opening === null) break
    const begin = opening.index + opening[0].length
    const end = endOfBlock(text, begin, close)
    const raw = withoutFence(text.slice(begin, end?.index ?? text.length))
    found.push(end === null ? { kind: 'block', raw, truncated: true } : { kind: 'block', raw })
    at = end === null ? text.length : end.index + end[0].length
  }
  return found
}

/** The text of blocks and what stands between them: the inverse of `extractBlocks`. */
export function wrapBlocks(parts: readonly TextBlock[], tag: string): string {
  return parts
    .map((part) => {
      if (part.kind === 'text') return part.text
      return `<${tag}>\n${part.raw}\n${part.truncated === true ? '' : `</${tag}>`}`
    })
    .join('\n')
}

function addText(text: string, found: TextBlock[]): void {
  const trimmed = text.trim()
  if (trimmed !== '') found.push({ kind: 'text', text: trimmed })
}

/** The closing tag outside JSON strings; null if there is none. */
function endOfBlock(text: string, begin: number, close: RegExp): RegExpExecArray | null {
  const mark = /"(?:[^"\\\n]|\\.)*"|</gu
  mark.lastIndex = begin
  close.lastIndex = begin
  let tag = close.exec(text)
  const first = tag
  for (let found = mark.exec(text); found !== null && tag !== null; found = mark.exec(text)) {
    while (tag !== null && tag.index < found.index) tag = close.exec(text)
    if (tag !== null && found[0] === '<' && tag.index === found.index) return tag
  }
  // A quotation mark outside JSON must not hide a tag.
  return first
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
 * Parses the messages of a block.
 * @throws SurfaceError `malformed_json`, or the first problem of a message
 */
export function parseBlock(raw: string, options: ParseBlockOptions = {}): ParsedBlock {
  checkOptions('parseBlock', options, optionNames)
  const { catalogs, catalogAliases, complete, surfaces } = options
  const version = readVersion(options.version)
  const validation = { ...options, version, catalogs, limits: defaultLimits }
  const completion =
    complete === true
      ? createCompletion({ version, catalogs, catalogAliases, surfaces: surfaces ?? [] })
      : null
  const start = { offset: 0, line: 1, column: 1 }
  const reader = createBlockReader(
    {
      close: null,
      opening: '',
      version,
      maximum: Infinity,
      depth: defaultLimits.jsonDepth,
      validate: (part) => part,
      heal: null,
      refuseCuts: false,
    },
    start,
  )
  const { parts } = reader.read(raw, true)
  const messages: JsonObject[] = []
  const repairs = new Set<string>()
  const judged = completion === null ? parts : [...completion.judge(parts), ...completion.end()]
  for (const part of judged) {
    if (part.kind === 'error') {
      const { code, message: detail, diagnostics, line } = part
      throw new SurfaceError({
        code,
        detail,
        line,
        ...(diagnostics === undefined ? {} : { diagnostics }),
      })
    }
    if (part.kind !== 'message') continue
    const errors = errorsOf(part.message, validation)
    if (errors.length > 0) throw errorFrom(errors)
    messages.push(part.message as JsonObject)
    for (const repair of part.repairs) repairs.add(repair)
  }
  if (messages.length === 0 && !/^\s*\[\s*\]\s*$/.test(raw)) {
    throw new SurfaceError({ code: 'malformed_json', detail: 'The block contains no message.' })
  }
  // Messages are read one by one, so that what ends the list around them is no repair of any.
  if (/,\s*\]\s*$/.test(raw)) repairs.add('trailing comma')
  return { messages, repairs: [...repairs] }
}
