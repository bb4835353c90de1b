const LF = 0x0a
const CR = 0x0d

/** A line that could not be decoded. */
export type LineProblem = { readonly problem: 'too-long' | 'not-utf8' }

const tooLong: LineProblem = { problem: 'too-long' }
const notUtf8: LineProblem = { problem: 'not-utf8' }

/**
 * Receives a line without its terminator: its number from 1 (blank lines count), the byte offset of its
 * start, and its text.
 */
export type TakeLine = (line: number, offset: number, text: string | LineProblem) => void

/** Splits a byte stream into lines at LF; a preceding CR is removed. */
export interface LineSplitter {
  push(chunk: Uint8Array | string): void
  /** Ends the stream; `takeLast` receives a last line without terminator. */
  end(takeLast: TakeLine): void
}

/**
 * A splitter that never buffers more than a line and a chunk. A line over `maximum` bytes is reported once,
 * as soon as it is too long, and skipped.
 */
export function createLineSplitter(maximum: number, take: TakeLine): LineSplitter {
  const toBytes = createTextJoiner()
  let held = NOTHING
  let heldLength = 0
  let skipping = false
  let skippedLength = 0
  let line = 1
  /** Offset of the next unprocessed byte. */
  let offset = 0
  let atStart = true

  const read = (bytes: Uint8Array, terminated: boolean): string | LineProblem => {
    const end = terminated && bytes.at(-1) === CR ? bytes.length - 1 : bytes.length
    if (end > maximum) return tooLong
    const start = atStart && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
    return decode(bytes.subarray(start, Math.max(start, end))) ?? notUtf8
  }

  /** Ends the current line with the given bytes, up to its LF. */
  const endLine = (bytes: Uint8Array): void => {
    if (heldLength > 0) append(bytes)
    const whole = heldLength > 0 ? held.subarray(0, heldLength) : bytes
    if (!skipping) take(line, offset, read(whole, true))
    offset += skippedLength + whole.length + 1
    line += 1
    held = NOTHING
    heldLength = 0
    skippedLength = 0
    skipping = false
    atStart = false
  }

  /** Appends to the buffer, which grows, so that the size of chunks does not matter. */
  const append = (bytes: Uint8Array): void => {
    const length = heldLength + bytes.length
    if (length > held.length) {
      const larger = new Uint8Array(Math.max(length, Math.min(held.length * 2, maximum + 1)))
      larger.set(held.subarray(0, heldLength))
      held = larger
    }
    held.set(bytes, heldLength)
    heldLength = length
  }

  const hold = (bytes: Uint8Array): void => {
    if (skipping) {
      skippedLength += bytes.length
      return
    }
    append(bytes)
    // One extra byte may be the terminator's CR.
    if (heldLength <= (bytes.at(-1) === CR ? maximum + 1 : maximum)) return
    take(line, offset, tooLong)
    skipping = true
    skippedLength += heldLength
    held = NOTHING
    heldLength = 0
  }

  /** Splits a block of complete lines separated by LF. */
  const split = (block: Uint8Array): void => {
    const text = block.length > maximum ? null : decode(block)
    // If there are as many characters as bytes, every character is one byte and positions agree.
    if (text === null || text.length !== block.length) {
      for (let from = 0; from <= block.length;) {
        const found = block.indexOf(LF, from)
        const to = found === -1 ? block.length : found
        endLine(block.subarray(from, to))
        from = to + 1
      }
      return
    }
    for (let from = 0; from <= text.length;) {
      const found = text.indexOf('\n', from)
      const to = found === -1 ? text.length : found
      const end = to > from && text.charCodeAt(to - 1) === CR ? to - 1 : to
      take(line, offset + from, text.slice(from, end))
      line += 1
      from = to + 1
    }
    offset += block.length + 1
  }

  const push = (chunk: Uint8Array): void => {
    let start = 0
    const first = chunk.indexOf(LF)
    if (first !== -1 && (heldLength > 0 || skipping || atStart)) {
      endLine(chunk.subarray(0, first))
      start = first + 1
    }
    const last = chunk.lastIndexOf(LF)
    if (last >= start) {
      split(chunk.subarray(start, last))
      start = last + 1
    }
    if (start < chunk.length) hold(start === 0 ? chunk : chunk.subarray(start))
  }

  return {
    push: (chunk) => push(toBytes(chunk)),
    end(takeLast) {
      push(toBytes(null))
      if (!skipping && heldLength > 0) {
        takeLast(line, offset, read(held.subarray(0, heldLength), false))
      }
      held = NOTHING
      heldLength = 0
    },
  }
}

const NOTHING = new Uint8Array(0)

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decode(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes)
  } catch {
    return null
  }
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array {
  const whole = new Uint8Array(first.length + second.length)
  whole.set(first)
  whole.set(second, first.length)
  return whole
}

/**
 * Converts chunks of text to bytes. A lone surrogate at the end of a chunk waits for its other half, also
 * across empty chunks; null ends the text.
 */
export function createTextJoiner(): (chunk: Uint8Array | string | null) => Uint8Array {
  const encoder = new TextEncoder()
  let waiting = ''
  return (chunk) => {
    if (typeof chunk !== 'string') {
      const before = waiting
      waiting = ''
      if (before === '') return chunk ?? new Uint8Array(0)
      const bytes = encoder.encode(before)
      return chunk === null ? bytes : concat(bytes, chunk)
    }
    const text = waiting + chunk
    const half = /[\ud800-\udbff]$/.test(text)
    waiting = half ? text.slice(-1) : ''
    return encoder.encode(half ? text.slice(0, -1) : text)
  }
}
