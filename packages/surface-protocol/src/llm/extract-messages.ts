import { checkOptions, type OptionNames } from '../catalog/check-options.ts'
import { readVersion } from '../data/version.ts'
import { resolveLimits } from '../diagnostics/limits.ts'
import { detectVersion } from '../interop/detect-version.ts'
import { resolveUrls } from '../message/unsafe-urls.ts'
import type { BlockReader, BlockReaderOptions } from './block-reader-options.ts'
import { createBlockReader } from './block-reader.ts'
import type { ExtractedPart } from './extracted-part.ts'
import type { ExtractMessagesOptions } from './extract-options.ts'
import { createOpeningFinder, type Opening, type OpeningFinder } from './find-opening.ts'
import { createCompletion, type Completion } from './completion.ts'
import { messageKey } from './json-tokens.ts'
import { PlaceTracker, type Place } from './text-place.ts'
import { healed, validatedPart } from './validate-parts.ts'

export type { ExtractMessagesOptions } from './extract-options.ts'

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

/** Joins neighbouring texts. */
export function joinTexts(parts: readonly ExtractedPart[]): ExtractedPart[] {
  const joined: ExtractedPart[] = []
  for (const part of parts) {
    const last = joined.at(-1)
    if (part.kind === 'text' && last?.kind === 'text') last.text += part.text
    else joined.push(part)
  }
  return joined
}

/** Creates an extractor. */
export function createMessageExtractor(options: ExtractMessagesOptions = {}): MessageExtractor {
  checkOptions('createMessageExtractor', options, optionNames)
  return new Extractor(options)
}

const optionNames: OptionNames<ExtractMessagesOptions> = {
  tag: true,
  limits: true,
  version: true,
  catalogs: true,
  catalogAliases: true,
  truncation: true,
  bare: true,
  thinking: true,
  progressive: true,
  complete: true,
  surfaces: true,
  unsafeUrls: true,
  urlSchemes: true,
}

type ReaderOptions = Omit<BlockReaderOptions, 'close' | 'opening'>

class Extractor implements MessageExtractor {
  readonly #finder: OpeningFinder
  /** The beginning of a tag. */
  readonly #tag: RegExp
  readonly #reader: ReaderOptions
  readonly #completion: Completion | null
  #places = new PlaceTracker()
  #held = ''
  #block: BlockReader | null = null
  #fence: {
    readonly opening: string
    readonly mark: string
    readonly start: Place
    looked: number
  } | null = null
  /** The name of the tag around a model's thoughts. */
  #thinking: string | null = null
  #afterBlock = false
  /** White space before a possible block, kept in case it is not one. */
  #gap = ''
  #isLineStart = true

  constructor(options: ExtractMessagesOptions) {
    const { tag = 'a2ui-json', catalogs, truncation } = options
    const limits = resolveLimits(options.limits)
    const version = readVersion(options.version)
    if (truncation !== undefined && truncation !== 'heal' && truncation !== 'refuse') {
      throw new TypeError('truncation must be heal or refuse')
    }
    const { bare = version !== '0.8', thinking = version !== '0.8' } = options
    resolveUrls(options)
    this.#tag = new RegExp(`<(?:${escapeForPattern(tag)}|a2ui)[\\s>]`, 'i')
    this.#finder = createOpeningFinder({ tag, bare, thinking })
    const { catalogAliases, unsafeUrls = 'refuse', urlSchemes = {} } = options
    const validation = { version, catalogs, limits, catalogAliases, unsafeUrls, urlSchemes }
    const marksCuts = version !== '0.8' || truncation !== undefined
    this.#reader = {
      version,
      maximum: limits.lineBytes,
      depth: limits.jsonDepth,
      validate: (part, place) => validatedPart(part, validation, place),
      heal: marksCuts ? (found, raw) => healed(found, raw, validation) : null,
      refuseCuts: truncation === 'refuse',
      progressive: options.progressive === true,
    }
    this.#completion =
      options.complete === true ? createCompletion({ ...options, version, catalogs }) : null
  }

  push(piece: string): ExtractedPart[] {
    this.#held += piece
    const parts = this.#run(false)
    return this.#completion === null ? parts : this.#completion.judge(parts)
  }

  end(): ExtractedPart[] {
    const parts = this.#run(true)
    if (this.#completion === null) return parts
    return [...this.#completion.judge(parts), ...this.#completion.end()]
  }

  #run(last: boolean): ExtractedPart[] {
    const parts: ExtractedPart[] = []
    let more = true
    while (more) {
      if (this.#block !== null) more = this.#readBlock(parts, last)
      else if (this.#fence !== null) more = this.#readFence(parts, last)
      else if (this.#thinking !== null) more = this.#readThoughts(parts, last)
      else more = this.#held !== '' && this.#readText(parts, last)
    }
    return parts
  }

  /** Takes text off the front. */
  #shift(length: number): string {
    const taken = this.#held.slice(0, length)
    this.#held = this.#held.slice(length)
    this.#places.advance(taken)
    return taken
  }

  #text(piece: string, parts: ExtractedPart[]): void {
    const kept = this.#afterBlock ? piece.trimStart() : piece
    if (piece.includes('\n')) this.#isLineStart = piece.endsWith('\n')
    else if (piece !== '') this.#isLineStart = false
    if (kept === '') return
    this.#afterBlock = false
    parts.push({ kind: 'text', text: kept })
  }

  /** Reads text up to the next block; false if more input is needed. */
  #readText(parts: ExtractedPart[], last: boolean): boolean {
    const isLineStart = this.#isLineStart || this.#afterBlock
    const found = this.#finder.find(this.#held, isLineStart, last)
    if (found === null) {
      const begun = last ? 0 : this.#finder.begun(this.#held, isLineStart)
      const free = this.#held.slice(0, this.#held.length - begun)
      const kept = last ? free.length : free.trimEnd().length
      this.#text(this.#shift(kept), parts)
      return false
    }
    const { kind, index, length, name } = found
    if (kind === 'thinking') {
      this.#text(this.#shift(index + length), parts)
      this.#thinking = name
      return true
    }
    const before = this.#shift(index)
    this.#gap = trailingSpace(before)
    this.#text(before.trimEnd(), parts)
    const start = this.#places.place
    const opening = this.#shift(length)
    if (kind === 'fence') {
      this.#fence = {
        opening: this.#gap + opening,
        mark: name,
        start: this.#places.place,
        looked: 0,
      }
    } else {
      const close = closingOf(found)
      this.#block = createBlockReader(
        { ...this.#reader, close, opening },
        kind === 'bare' ? start : this.#places.place,
      )
    }
    return true
  }

  #readBlock(parts: ExtractedPart[], last: boolean): boolean {
    const block = this.#block
    if (block === null) return true
    const given = this.#held
    const result = block.read(given, last)
    this.#held = ''
    // Not spread: model output may have more elements than a call may have arguments.
    for (const part of result.parts) parts.push(part)
    if (result.asText === null && result.rest === null) return false
    this.#block = null
    const rest = result.rest ?? ''
    this.#places = new PlaceTracker(result.place)
    if (result.asText !== null) this.#text(this.#gap + result.asText, parts)
    else this.#afterBlock = true
    this.#held = rest
    return rest !== ''
  }

  #readThoughts(parts: ExtractedPart[], last: boolean): boolean {
    const close = `</${this.#thinking ?? ''}>`.toLowerCase()
    const at = this.#held.toLowerCase().indexOf(close)
    if (at === -1) {
      const keep = last ? 0 : Math.min(close.length, this.#held.length)
      this.#text(this.#shift(this.#held.length - keep), parts)
      return false
    }
    this.#text(this.#shift(at + close.length), parts)
    this.#thinking = null
    return true
  }

  #readFence(parts: ExtractedPart[], last: boolean): boolean {
    const fence = this.#fence
    if (fence === null) return true
    const { opening, mark } = fence
    const { maximum } = this.#reader
    const body = this.#held
    const from = Math.max(0, body.lastIndexOf('\n', fence.looked - 1))
    const end = endOfFence(body, mark, from)
    fence.looked = body.length
    const isClosed = end !== null && (last || end.isLine)
    if (body.slice(0, end?.index).search(this.#tag) !== -1) {
      // The block stands within a fence, or behind the end of one.
      this.#fence = null
      this.#text(opening, parts)
      return true
    }
    if (!isClosed && !last && body.length <= maximum) return false
    this.#fence = null
    const stop = isClosed ? end.index : body.length
    const found =
      body.length > maximum && !isClosed
        ? []
        : this.#inFence(body.slice(0, stop), isClosed, fence.start)
    const taken = this.#shift(isClosed ? end.index + end.length : body.length)
    if (found.length === 0) this.#text(opening + taken, parts)
    else {
      for (const part of found) parts.push(part)
      this.#afterBlock = true
    }
    return this.#held !== ''
  }

  /** The messages of a fence; empty if it holds anything else. */
  #inFence(body: string, isClosed: boolean, start: Place): ExtractedPart[] {
    if (!/[{\uff5b"]/.test(body)) return []
    const { heal } = this.#reader
    let isOther = false
    const reader: BlockReaderOptions = {
      ...this.#reader,
      heal: isClosed ? null : heal,
      close: null,
      opening: '',
      validate: (part, place) => {
        if (part.kind === 'message') isOther ||= detectVersion(part.message) === null
        return this.#reader.validate(part, place)
      },
    }
    const { parts, asText } = createBlockReader(reader, start).read(body, true)
    const isFaulty = parts.some(
      (part) =>
        part.kind === 'error' && part.diagnostics === undefined && !messageKey.test(part.raw),
    )
    return asText === null && !isOther && !isFaulty ? parts : []
  }
}

function trailingSpace(text: string): string {
  return text.slice(text.trimEnd().length)
}

/** A name that stands for itself within a pattern. */
function escapeForPattern(name: string): string {
  return name.replaceAll(/[$()*+./?[\\\]^{|}]/g, String.raw`\$&`)
}

function closingOf({ kind, name }: Opening): RegExp | 'bare' | null {
  if (kind === 'bare') return 'bare'
  if (kind === 'delimiter') return /\b\B/y
  return new RegExp(`<\\\\?/${escapeForPattern(name)}\\s{0,20}>`, 'iy')
}

/** Where a fence ends: a line of at least as many marks. */
function endOfFence(
  body: string,
  mark: string,
  from: number,
): { index: number; length: number; isLine: boolean } | null {
  const char = mark.charAt(0)
  const pattern = new RegExp(`(?:^|\\n)[ \\t]*${char}{${mark.length},}[ \\t]*(?:\\r?\\n|$)`, 'g')
  pattern.lastIndex = from
  const found = pattern.exec(body)
  if (found === null || (found.index === 0 && from > 0 && body.charAt(0) !== '\n')) return null
  return {
    index: found.index,
    length: found[0].length,
    isLine: found[0].endsWith('\n') && found[0].length > 1,
  }
}
