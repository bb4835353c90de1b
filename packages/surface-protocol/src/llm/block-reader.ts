import { append } from '@x/wire'
import { detectVersion } from '../interop/detect-version.ts'
import { isPlainObject } from '../json.ts'
import {
  bareGap,
  between,
  commentBegun,
  encodedAhead,
  encodingAt,
  type Encoding,
} from './block-patterns.ts'
import type { BlockReader, BlockReaderOptions, BlockResult, Step } from './block-reader-options.ts'
import { ArrivingComponents } from './arriving-components.ts'
import { BlockText, MAX_CLOSE } from './block-text.ts'
import { CommentSkipper } from './comment-skipper.ts'
import type { ExtractedPart } from './extracted-part.ts'
import { faultPart, noMessagePart, tooLongPart, type MessageFault } from './fault-part.ts'
import { LOOK_AHEAD, matchAt, messageAhead, messageKey, messagesAhead } from './json-tokens.ts'
import { PlainScanner } from './plain-scanner.ts'
import { readSurely } from './repair-json.ts'
import type { Place } from './text-place.ts'
import { unwrapMessages } from './unwrap-messages.ts'
import { truncated } from './validate-parts.ts'

/** Creates a reader for a block behind its opening. */
export function createBlockReader(options: BlockReaderOptions, start: Place): BlockReader {
  return new Reader(options, start)
}

class Reader implements BlockReader {
  readonly #options: BlockReaderOptions
  readonly #text: BlockText
  readonly #plain = new PlainScanner()
  readonly #comments: CommentSkipper
  /** How far the text was looked at. */
  #at = 0
  /** Where the message begins; -1 between messages. */
  #start = -1
  /** The message is not plain JSON: it is read again when the text has this length. */
  #again = -1
  #found = false
  #skipping = false
  /** Characters read behind quotation marks that may be text; bounded by what was read in all. */
  #spent = 0
  /** Up to here the text is not plain JSON; what begins before is read with repairs. */
  #vain = -1
  /** The components of a message that arrives. */
  #arriving: ArrivingComponents | null = null
  /** A message was too long: only the beginning of another is looked for. */
  #isLost = false

  constructor(options: BlockReaderOptions, start: Place) {
    this.#options = options
    const { close, maximum } = options
    this.#text = new BlockText(start, close === 'bare' ? null : close)
    this.#comments = new CommentSkipper(maximum)
  }

  read(piece: string, last: boolean): BlockResult {
    this.#text.add(piece)
    const parts: ExtractedPart[] = []
    for (;;) {
      const step = this.#start === -1 ? this.#between(last, parts) : this.#within(last, parts)
      if (step === 'on') continue
      if (step === 'wait') {
        this.#arrive(parts)
        this.#trim()
        return { parts, rest: null, asText: null }
      }
      if (step.end === null) {
        const isText = !this.#found && !this.#skipping && parts.length === 0
        const asText = isText ? this.#options.opening + this.#text.kept : null
        return { parts, rest: asText === null ? '' : null, asText }
      }
      if (step.isText === true) return this.#giveBack(step.end, parts)
      if (!this.#found && !this.#skipping) this.#empty(step.from, parts)
      return {
        parts,
        rest: this.#text.kept.slice(step.end),
        place: this.#text.placeAt(step.end),
        asText: null,
      }
    }
  }

  /** Drops what was read, unless the block may still be text. */
  #trim(): void {
    if (!this.#found && !this.#skipping) return
    const from = this.#start === -1 ? this.#at : this.#start
    this.#text.dropBefore(from)
    this.#plain.moveBack(from)
    this.#at -= from
    if (this.#again !== -1) this.#again -= from
    this.#vain = Math.max(-1, this.#vain - from)
    if (this.#start !== -1) this.#start = 0
  }

  /** Looks for the next message or the end of the block. */
  #between(last: boolean, parts: ExtractedPart[]): Step {
    const text = this.#text.kept
    const { close } = this.#options
    if (close === 'bare') return this.#bare(last)
    between.lastIndex = this.#at
    const found = between.exec(text)
    if (found === null) {
      this.#at = text.length
      return last ? { from: this.#at, end: null } : 'wait'
    }
    const at = found.index
    this.#at = at
    const [char] = found
    if (!last && text.length - at < MAX_CLOSE && !'{\uff5b'.includes(char)) {
      if (text.indexOf('>', at) === -1 || char !== '<') return 'wait'
    }
    if (char === '<') {
      const closing = close === null ? null : matchAt(close, text, at)
      if (closing !== null) return { from: at, end: at + closing.length }
    }
    if ('</#'.includes(char)) {
      const behind = this.#comments.skip(text, at, last)
      this.#at = behind ?? at
      return behind === null ? 'wait' : 'on'
    }
    if (char === '&') {
      this.#at += 1
      return 'on'
    }
    if ('{\uff5b'.includes(char)) {
      if (!last && text.length - at < MAX_CLOSE) {
        const ahead = matchAt(/[{\uff5b]\s*["\w$'`}{]/y, text, at)
        if (ahead === null) return 'wait'
      }
      if (this.#isLost) {
        if (!last && text.length - at < 2 * LOOK_AHEAD && this.#text.closing(at) === null)
          return 'wait'
        if (matchAt(messageAhead, text, at) === null) {
          this.#at += 1
          return 'on'
        }
        this.#isLost = false
      }
      const encoding = encodingAt(text, at)
      if (encoding) return this.#encoded(encoding, last, parts)
      this.#begin(at)
      return 'on'
    }
    if (matchAt(encodedAhead, text, at) === null) this.#at += 1
    else {
      this.#begin(at)
      this.#again = 0
    }
    return 'on'
  }

  /** Between bare messages only brackets and commas may stand. */
  #bare(last: boolean): Step {
    const text = this.#text.kept
    const gap = matchAt(bareGap, text, this.#at) ?? ''
    const next = this.#at + gap.length
    const isComment = matchAt(commentBegun, text, next) !== null && text.length - next < 500
    if ((next === text.length || isComment) && !last) return 'wait'
    if (matchAt(messagesAhead, text, next) !== null) {
      this.#at = next
      this.#begin(next)
      return 'on'
    }
    const mayBegin = '{\uff5b'.includes(text.charAt(next)) && text.length - next < 200
    if (next < text.length && mayBegin && !last) return 'wait'
    const closing = matchAt(/\s*\][\s\];]*/y, text, this.#at) ?? ''
    return { from: this.#at, end: this.#at + closing.length }
  }

  /** A block whose quotation marks are entities or escaped is decoded as a whole. */
  #encoded({ decode, repair }: Encoding, last: boolean, parts: ExtractedPart[]): Step {
    const text = this.#text.kept
    const { maximum, opening } = this.#options
    const end = this.#text.closing(this.#at)
    if (end === null && !last) {
      if (text.length - this.#at > maximum) this.#tooLong(parts)
      return 'wait'
    }
    const place = this.#text.placeAt(this.#at)
    const decoded = decode(text.slice(this.#at, end?.index))
    const inner = createBlockReader({ ...this.#options, close: null, opening }, place)
    for (const part of inner.read(decoded, true).parts) {
      if (part.kind === 'message') part.repairs.push(repair)
      parts.push(part)
    }
    this.#found = true
    this.#at = end?.index ?? text.length
    return end === null
      ? { from: text.length, end: null }
      : { from: end.index, end: end.index + end.length }
  }

  /** Reads on in a message: quickly while it is plain JSON. */
  #within(last: boolean, parts: ExtractedPart[]): Step {
    if (this.#again === -1) {
      const step = this.#start < this.#vain ? null : this.#scan(parts)
      if (step !== null) return step
      if (this.#again === -1 && this.#start >= this.#vain) {
        if (this.#text.kept.length - this.#start > this.#options.maximum)
          return this.#tooLong(parts)
        if (!last) return 'wait'
        this.#vain = this.#text.kept.length
      }
      this.#again = 0
    }
    return this.#readAgain(last, parts)
  }

  /** Looks for the end of a message in plain JSON; null if it was not read. */
  #scan(parts: ExtractedPart[]): Step | null {
    const found = this.#plain.scan(this.#text.kept)
    if (found === null) return null
    if (found.kind === 'other') {
      this.#again = 0
      this.#vain = found.at
      return null
    }
    const { value, raw, end } = found
    if (raw.length > this.#options.maximum) return this.#tooLong(parts)
    return this.#take({ value, repairs: [], raw }, end, parts)
  }

  /** Reads a message as models write it. */
  #readAgain(last: boolean, parts: ExtractedPart[]): Step {
    const text = this.#text.kept
    const { maximum, depth, refuseCuts, heal } = this.#options
    const tag = this.#text.closing(this.#start)
    if (!last && tag === null && text.length < this.#again) return 'wait'
    const isOver = tag !== null || last
    const held = isOver ? 0 : Math.min(MAX_CLOSE, text.length - this.#start)
    const content = text.slice(this.#start, (tag?.index ?? text.length) - held)
    const begun = this.#text.placeAt(this.#start)
    const inner = Math.max(0, Math.min(10_000, 20_000 + 8 * begun.offset - this.#spent))
    const isCut = last && tag === null && heal !== null
    const isString = !'{\uff5b'.includes(content.charAt(0))
    const reading = { final: isOver, cut: isCut, depth, isMessage: !isString, inner }
    const found = readSurely(content, reading)
    if (found.kind === 'more' || (!isOver && found.end === content.length)) {
      if (content.length > maximum + 2 * LOOK_AHEAD) return this.#tooLong(parts)
      this.#again = this.#start + Math.ceil((text.length - this.#start) * 1.5) + 1
      return 'wait'
    }
    const end = this.#start + found.end
    const raw = content.slice(0, found.end)
    if (raw.length > maximum) return this.#tooLong(parts)
    if (found.kind === 'error') {
      this.#spent += inner
      if (!isCut || !refuseCuts) return this.#fault(content, { ...found, raw }, parts, end)
      this.#report(truncated(raw), end, parts)
      return 'on'
    }
    if (found.inner.length > 0) this.#spent += inner
    const hasEnded = isCut && found.end === content.length && found.repairs.has('missing bracket')
    if (isCut && heal !== null && hasEnded) {
      this.#report(refuseCuts ? truncated(raw) : heal(found, raw), end, parts)
      return 'on'
    }
    return this.#take({ value: found.value, repairs: [...found.repairs], raw }, end, parts)
  }

  /** Hands out what has closed of a message. */
  #arrive(parts: ExtractedPart[]): void {
    const arriving = this.#arriving
    if (arriving === null || this.#start === -1) return
    const place = this.#text.placeAt(this.#start)
    append(parts, arriving.parts(this.#text.kept.slice(this.#start), this.#options, place))
  }

  #report(given: ExtractedPart, end: number, parts: ExtractedPart[]): void {
    const part = this.#options.validate(given, this.#text.placeAt(this.#start))
    if (this.#arriving === null) parts.push(part)
    else append(parts, this.#arriving.rest(part))
    this.#leave(end)
  }

  #fault(text: string, found: MessageFault, parts: ExtractedPart[], end: number): Step {
    if (this.#options.close === 'bare' && !messageKey.test(found.raw)) {
      return { from: end, end, isText: true }
    }
    parts.push(faultPart(text, found, this.#text.placeAt(this.#start + found.at)))
    this.#leave(end)
    return 'on'
  }

  /** What stood bare and is no message is text. */
  #giveBack(end: number, parts: ExtractedPart[]): BlockResult {
    const from = this.#found ? this.#start : end
    const asText = this.#found ? null : this.#text.kept.slice(0, end)
    return { parts, rest: this.#text.kept.slice(from), place: this.#text.placeAt(from), asText }
  }

  #take(
    { value, repairs, raw }: { value: unknown; repairs: string[]; raw: string },
    end: number,
    parts: ExtractedPart[],
  ): Step {
    const { version, close, validate } = this.#options
    const place = this.#text.placeAt(this.#start)
    const found = unwrapMessages(value, { repairs, version })
    const isMessage = found.every(({ message }) => isPlainObject(message) && detectVersion(message))
    if (close === 'bare' && !isMessage) return { from: end, end, isText: true }
    const isString = typeof value === 'string'
    for (const { message, repairs: made } of found) {
      if (isString && typeof message === 'string') {
        parts.push(noMessagePart(raw, place))
      } else {
        const part = validate({ kind: 'message', message, repairs: made }, place)
        if (this.#arriving === null) parts.push(part)
        else append(parts, this.#arriving.rest(part))
      }
    }
    this.#leave(end)
    return 'on'
  }

  #begin(at: number): void {
    this.#start = at
    this.#plain.begin(at)
    this.#arriving = this.#options.progressive === true ? new ArrivingComponents() : null
  }

  #leave(end: number): void {
    this.#found = true
    this.#at = Math.max(end, this.#start + 1)
    this.#start = -1
    this.#again = -1
  }

  #tooLong(parts: ExtractedPart[]): 'on' {
    const { maximum } = this.#options
    const from = this.#start === -1 ? this.#at : this.#start
    const raw = this.#text.kept.slice(from, from + 200)
    parts.push(tooLongPart(maximum, raw, this.#text.placeAt(from)))
    this.#skipping = true
    this.#start = from
    this.#leave(Math.min(this.#text.kept.length, from + maximum))
    this.#isLost = true
    return 'on'
  }

  /** A closed block without an object. */
  #empty(until: number, parts: ExtractedPart[]): void {
    const raw = this.#text.kept.slice(0, until)
    if (raw.trim() === '' || /^\s*\[[\s,]*\]\s*$/.test(raw)) return
    parts.push(noMessagePart(raw, this.#text.placeAt(0)))
  }
}
