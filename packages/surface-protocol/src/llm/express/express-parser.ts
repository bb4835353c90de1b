import { resolveLimits } from '../../diagnostics/limits.ts'
import { createCompletion, type Completion } from '../completion.ts'
import { createMessageExtractor, type MessageExtractor } from '../extract-messages.ts'
import type { ExtractMessagesOptions } from '../extract-options.ts'
import type { ExtractedPart } from '../extracted-part.ts'
import type { FormatParserOptions, ResponseParser } from '../inference-format.ts'
import { PlaceTracker, type Place } from '../text-place.ts'
import { ExpressBlock } from './express-block.ts'
import type { ProgramLanguage } from './statement-source.ts'
import { targetVersion } from './target-version.ts'

const opening =
  /<(?:(a2ui-json)(?:\s[^<>]{0,1000})?>|(a2ui)(?:\s[^<>]{0,1000})?>(?=\s*([^\s]))|(think|thinking|reasoning)(?:\s[^<>]{0,200})?>)/gi
/** A tag that may go on, and white space behind one. */
const begun =
  /<(?:a(?:2(?:u(?:i(?:-(?:j(?:s(?:o(?:n)?)?)?)?)?)?)?)?|t(?:h[a-z]{0,6})?|r(?:e[a-z]{0,7})?)?(?:\s[^<>]{0,1000})?(?:>\s{0,1000})?$/i

/** Creates a parser of answers with programs; messages as JSON are read too. */
export function createProgramParser(
  options: FormatParserOptions,
  language: ProgramLanguage,
): ResponseParser {
  return new ExpressParser(options, language)
}

class ExpressParser implements ResponseParser {
  readonly #options: FormatParserOptions
  readonly #language: ProgramLanguage
  readonly #completion: Completion | null
  readonly #places = new PlaceTracker()
  #held = ''
  #block: ExpressBlock | null = null
  /** Reads what stands outside programs; its text begins at a place. */
  #outside: { extractor: MessageExtractor; start: Place } | null = null
  /** The tag up to whose end nothing is a program. */
  #until: string | null = null
  /** Nothing but space stands between a program and here. */
  #isBehind = false

  constructor(options: FormatParserOptions, language: ProgramLanguage) {
    const version = targetVersion(options.version)
    const limits = resolveLimits(options.limits)
    this.#options = { ...options, version, limits }
    this.#language = language
    this.#completion = options.complete === true ? createCompletion({ ...options, version }) : null
  }

  parseChunk(text: string): ExtractedPart[] {
    this.#held += text
    return this.#judged(this.#run(false))
  }

  end(): ExtractedPart[] {
    const parts = this.#judged(this.#run(true))
    return this.#completion === null ? parts : [...parts, ...this.#completion.end()]
  }

  #judged(parts: ExtractedPart[]): ExtractedPart[] {
    return this.#completion === null ? parts : this.#completion.judge(parts)
  }

  #run(last: boolean): ExtractedPart[] {
    const parts: ExtractedPart[] = []
    let more = true
    while (more) more = this.#block === null ? this.#text(parts, last) : this.#program(parts, last)
    if (last) this.#flush(parts)
    return parts
  }

  #program(parts: ExtractedPart[], last: boolean): boolean {
    const block = this.#block
    if (block === null) return true
    const { held, rest } = block.read(this.#held, last)
    for (const part of held) parts.push(part)
    if (rest === null) {
      this.#places.advance(this.#held)
      this.#held = ''
      return false
    }
    this.#block = null
    this.#isBehind = true
    this.#places.advance(this.#held.slice(0, this.#held.length - rest.length))
    this.#held = rest
    return rest !== ''
  }

  /** Reads up to the next program; false if more input is needed. */
  #text(parts: ExtractedPart[], last: boolean): boolean {
    if (this.#until !== null) {
      const at = this.#held.toLowerCase().indexOf(this.#until)
      const keep = last || at !== -1 ? 0 : this.#until.length
      const end = at === -1 ? Math.max(0, this.#held.length - keep) : at + this.#until.length
      this.#give(end, parts)
      if (at === -1) return false
      this.#until = null
    }
    opening.lastIndex = 0
    const found = opening.exec(this.#held)
    if (found === null) {
      const partial = last ? -1 : this.#held.search(begun)
      this.#give(partial === -1 ? this.#held.length : partial, parts)
      return false
    }
    const [tag, json, name, first = '', thought] = found
    const isJson =
      name !== undefined &&
      '[{"\'`~\uff3b\uff5b'.includes(first) &&
      !this.#isFenced(found.index + tag.length)
    if (name === undefined || isJson) {
      const until = thought ?? json ?? name ?? ''
      this.#give(found.index + tag.length, parts)
      this.#until = `</${until.toLowerCase()}>`
      return true
    }
    this.#give(found.index, parts)
    this.#flush(parts)
    this.#places.advance(tag)
    this.#held = this.#held.slice(tag.length)
    const repairs = tag.startsWith('<a2ui') ? [] : ['tag']
    const start = this.#places.place
    const { isSdk, source } = this.#language
    const given = { start, repairs, isSdk, source: source(this.#options.catalogs, true) }
    this.#block = new ExpressBlock(this.#options, given)
    return true
  }

  /** True if a program stands in a fence here. */
  #isFenced(at: number): boolean {
    return /^\s*`{3,}(?!\s*(?:json|js))[\w-]*\s*\n\s*[^[{\s]/i.test(this.#held.slice(at, at + 400))
  }

  /** Gives text to the reader of what is no program. */
  #give(length: number, parts: ExtractedPart[]): void {
    if (length === 0) return
    const {
      surfaceId: _,
      complete: __,
      ...reading
    } = this.#options as FormatParserOptions & ExtractMessagesOptions
    const start = this.#places.place
    this.#outside ??= { extractor: createMessageExtractor({ ...reading, tag: 'a2ui-json' }), start }
    const given = this.#held.slice(0, length)
    this.#held = this.#held.slice(length)
    this.#places.advance(given)
    // Space behind a program belongs to it.
    const taken = this.#isBehind ? given.trimStart() : given
    if (taken !== '') this.#isBehind = false
    const { extractor, start: from } = this.#outside
    for (const part of extractor.push(taken)) parts.push(moved(part, from))
  }

  #flush(parts: ExtractedPart[]): void {
    const outside = this.#outside
    if (outside === null) return
    this.#outside = null
    for (const part of outside.extractor.end()) {
      if (part.kind !== 'text' || part.text.trim() !== '') parts.push(moved(part, outside.start))
    }
  }
}

/** A part of a text that begins at a place. */
function moved(part: ExtractedPart, start: Place): ExtractedPart {
  if (part.kind === 'message') return { ...part, repairs: [...part.repairs, 'other format'] }
  if (part.kind !== 'error' || part.line === undefined) return part
  const { line, column = 1, offset = 0 } = part
  return {
    ...part,
    line: line + start.line - 1,
    column: line === 1 ? column + start.column - 1 : column,
    offset: offset + start.offset,
  }
}
