import type { Catalog } from '../catalog/catalog.ts'
import { readVersion, type Version } from '../data/version.ts'
import { resolveLimits, type SurfaceLimits } from '../diagnostics/limits.ts'
import { createBlockReader, type BlockReader } from './block-reader.ts'
import { messagesInFence } from './fence.ts'
import { detectVersion } from '../interop/detect-version.ts'
import type { ExtractedPart } from './extracted-part.ts'
import { healed, validatedPart, truncated } from './validate-parts.ts'
import { createTagFinder, type TagFinder } from './opening-tag.ts'

/** Options for finding messages in a text. */
export interface ExtractMessagesOptions {
  /** Name of the tag around messages. Default: `a2ui-json`. */
  readonly tag?: string
  /** `lineBytes` limits a message and a fence. */
  readonly limits?: Partial<SurfaceLimits>
  /** Version of the messages. Default: 0.8. */
  readonly version?: Version
  /** Messages are validated against these; without them they are not validated. */
  readonly catalogs?: readonly Catalog[]
  /**
   * Handling of a truncated message: it is closed and marked `truncated`, or reported as an error. Default:
   * heal. Version 0.8 repairs it like any other.
   */
  readonly truncation?: 'heal' | 'refuse'
}

/** Splits a model's streamed text into text and messages. */
export interface MessageExtractor {
  push(text: string): ExtractedPart[]
  end(): ExtractedPart[]
}

/** Splits a complete text. */
export function extractMessages(
  text: string,
  options: ExtractMessagesOptions = {},
): ExtractedPart[] {
  const extractor = createMessageExtractor(options)
  return joinTexts([...extractor.push(text), ...extractor.end()])
}

function joinTexts(parts: readonly ExtractedPart[]): ExtractedPart[] {
  const joined: ExtractedPart[] = []
  for (const part of parts) {
    const last = joined.at(-1)
    if (part.kind === 'text' && last?.kind === 'text') last.text += part.text
    else joined.push(part)
  }
  return joined
}

const FENCE = /(^|\n)[ \t]*```(?:jsonl?)?[ \t]*\r?\n/
const FENCE_START = /(?:^|\n)[ \t]*`{1,3}(?:j|js|jso|jsonl?)?[ \t]*\r?$/
const FENCE_END = /(?:^|\n)[ \t]*```[ \t]*(?:\r?\n|$)/

/** Creates an extractor (SP-83). */
export function createMessageExtractor(options: ExtractMessagesOptions = {}): MessageExtractor {
  const { tag = 'a2ui-json', catalogs, truncation } = options
  const limits = resolveLimits(options.limits)
  const { lineBytes } = limits
  const version = readVersion(options.version)
  if (truncation !== undefined && truncation !== 'heal' && truncation !== 'refuse') {
    throw new TypeError('truncation must be heal or refuse')
  }
  const open = createTagFinder(tag)
  const validation = { version, catalogs, limits }
  const validate = (part: ExtractedPart): ExtractedPart => validatedPart(part, validation)
  const heal = (raw: string): ExtractedPart =>
    truncation === 'refuse' ? truncated(raw) : healed(raw, validation)
  const marksCuts = version !== '0.8' || truncation !== undefined
  const readerOptions = { tag, maximum: lineBytes, validate, heal: marksCuts ? heal : null }
  let held = ''
  let fence: { readonly opening: string; body: string } | null = null
  let block: BlockReader | null = null
  let afterBlock = false
  /** White space before a possible tag, kept in case it is not one. */
  let gap = ''
  let lineStart = true

  const text = (piece: string, parts: ExtractedPart[]): void => {
    const kept = afterBlock ? piece.trimStart() : piece
    if (kept === '') return
    afterBlock = false
    lineStart = kept.endsWith('\n')
    parts.push({ kind: 'text', text: kept })
  }

  /** Reads text up to the next block; false if more input is needed. */
  const readText = (parts: ExtractedPart[], last: boolean): boolean => {
    const opening = open.find(held)
    const tagAt = opening?.index ?? -1
    const found = FENCE.exec(held)
    const atLine = found !== null && (found.index > 0 || found[1] !== '' || lineStart || afterBlock)
    const fenceAt = found !== null && atLine ? found.index + (found[1]?.length ?? 0) : -1
    if (opening !== null && (fenceAt === -1 || tagAt < fenceAt)) {
      gap = trailingSpace(held.slice(0, tagAt))
      text(held.slice(0, tagAt).trimEnd(), parts)
      held = held.slice(tagAt + opening.length)
      block = createBlockReader(readerOptions)
      return true
    }
    if (found !== null && fenceAt !== -1) {
      const bodyAt = found.index + found[0].length
      return readFenceStart({ fenceAt, bodyAt, last }, parts)
    }
    const keep = last ? 0 : incompleteTail(held, open)
    text(held.slice(0, held.length - keep), parts)
    held = held.slice(held.length - keep)
    return false
  }

  const readFenceStart = (
    { fenceAt, bodyAt, last }: { fenceAt: number; bodyAt: number; last: boolean },
    parts: ExtractedPart[],
  ): boolean => {
    const first = held.slice(bodyAt).trimStart().charAt(0)
    if (first === '' && !last) return false
    if (first !== '{' && first !== '[') {
      text(held.slice(0, bodyAt), parts)
      held = held.slice(bodyAt)
      return held !== ''
    }
    const before = held.slice(0, fenceAt)
    fence = { opening: trailingSpace(before) + held.slice(fenceAt, bodyAt), body: '' }
    text(before.trimEnd(), parts)
    held = held.slice(bodyAt)
    return true
  }

  const readFence = (parts: ExtractedPart[], last: boolean): boolean => {
    if (fence === null) return true
    fence.body += held
    held = ''
    const end = FENCE_END.exec(fence.body)
    const complete = end !== null && (last || end[0].endsWith('\n'))
    if (!complete && !last && fence.body.length <= lineBytes) return false
    const { opening, body } = fence
    const stop = end !== null && complete ? end.index : body.length
    const isCut = end === null && marksCuts && body.length <= lineBytes
    const messages = isCut
      ? brokenFence(body)
      : body.length > lineBytes
        ? []
        : messagesInFence(body.slice(0, stop)).map(validate)
    const rest = end !== null && complete ? end.index + end[0].length : body.length
    fence = null
    if (messages.length === 0) text(opening + body.slice(0, rest), parts)
    else {
      for (const message of messages) parts.push(message)
      afterBlock = true
    }
    held = body.slice(rest)
    return held !== ''
  }

  /** The messages of a truncated fence; empty if it contains anything else. */
  const brokenFence = (body: string): ExtractedPart[] => {
    const found = createBlockReader(readerOptions).read(body, true)
    const isOne = found.parts.every(
      (part) => part.kind !== 'message' || detectVersion(part.message) !== null,
    )
    return found.asText === null && isOne ? found.parts : []
  }

  const readBlock = (parts: ExtractedPart[], last: boolean): boolean => {
    if (block === null) return true
    const result = block.read(held, last)
    // Not spread: model output may have more elements than a call may have arguments.
    for (const part of result.parts) parts.push(part)
    held = ''
    if (result.asText !== null) {
      block = null
      text(gap + result.asText, parts)
      return false
    }
    if (result.rest === null) return false
    block = null
    afterBlock = true
    held = result.rest
    return held !== ''
  }

  const run = (last: boolean): ExtractedPart[] => {
    const parts: ExtractedPart[] = []
    let more = true
    while (more) {
      if (block !== null) more = readBlock(parts, last)
      else if (fence === null) more = held !== '' && readText(parts, last)
      else more = readFence(parts, last)
    }
    return parts
  }

  return {
    push(piece) {
      held += piece
      return run(false)
    },
    end: () => run(true),
  }
}

function trailingSpace(text: string): string {
  return text.slice(text.trimEnd().length)
}

/** Number of trailing characters that may belong to an incomplete tag or fence. */
function incompleteTail(text: string, open: TagFinder): number {
  const fence = FENCE_START.exec(text)
  const keep = Math.max(fence === null ? 0 : text.length - fence.index, open.begun(text))
  return keep + trailingSpace(text.slice(0, text.length - keep)).length
}
