const LF = 0x0a
const CR = 0x0d

/** One line without its terminator. */
export interface RawLine {
  /** From 1; blank lines count. */
  readonly line: number
  /** Of its first byte in the stream. */
  readonly offset: number
  readonly text: string
  readonly problem: 'too-long' | 'not-utf8' | null
  /** Whether the stream ended before its terminator. */
  readonly partial: boolean
}

/** Cuts a byte stream into lines at LF; a CR before it goes too (SP-47). */
export interface LineSplitter {
  push(chunk: Uint8Array | string): RawLine[]
  end(): RawLine[]
}

/**
 * A splitter that never holds more than a line and a chunk. A line of more than `maximum` bytes is
 * told of once, at the moment it gets too long, and skipped (SP-49).
 */
export function createLineSplitter(maximum: number): LineSplitter {
  const toBytes = createTextJoiner()
  let held: Uint8Array[] = []
  let heldLength = 0
  let skipping = false
  let line = 1
  /** Offset of the next byte that was not made into a line. */
  let offset = 0
  let atStart = true

  const make = (bytes: Uint8Array, partial: boolean, out: RawLine[]): void => {
    if (bytes.length > maximum && !isJustTerminated(bytes, maximum)) {
      out.push({ line, offset, text: '', problem: 'too-long', partial })
      return
    }
    out.push(decodeLine(bytes, { line, offset, partial, dropMark: atStart }))
  }

  /** Ends the current line with the bytes given, which reach up to its LF. */
  const endLine = (bytes: Uint8Array, out: RawLine[]): void => {
    const whole = held.length === 0 ? bytes : concat([...held, bytes], heldLength + bytes.length)
    if (!skipping) make(whole, false, out)
    offset += skippedLength + whole.length + 1
    line += 1
    held = []
    heldLength = 0
    skippedLength = 0
    skipping = false
    atStart = false
  }

  let skippedLength = 0
  const hold = (bytes: Uint8Array, out: RawLine[]): void => {
    if (skipping) {
      skippedLength += bytes.length
      return
    }
    held.push(bytes.slice())
    heldLength += bytes.length
    // One byte more may be the CR of the terminator.
    if (heldLength <= maximum + 1) return
    out.push({ line, offset, text: '', problem: 'too-long', partial: false })
    skipping = true
    skippedLength += heldLength
    held = []
    heldLength = 0
  }

  const pushBytes = (chunk: Uint8Array): RawLine[] => {
    const out: RawLine[] = []
    let start = 0
    const first = chunk.indexOf(LF)
    if (first !== -1 && (held.length > 0 || skipping || atStart)) {
      endLine(chunk.subarray(0, first), out)
      start = first + 1
    }
    const last = chunk.lastIndexOf(LF)
    if (last >= start) {
      const block = chunk.subarray(start, last)
      const counted = splitBlock(block, { line, offset, maximum }, out)
      line += counted
      offset += block.length + 1
      start = last + 1
    }
    if (start < chunk.length) hold(start === 0 ? chunk : chunk.subarray(start), out)
    return out
  }

  return {
    push: (chunk) => pushBytes(toBytes(chunk)),
    end() {
      const out = pushBytes(toBytes(null))
      if (!skipping && heldLength > 0) make(concat(held, heldLength), true, out)
      held = []
      heldLength = 0
      return out
    },
  }
}

/** A line may have one byte more than allowed when that is the CR of its terminator. */
function isJustTerminated(bytes: Uint8Array, maximum: number): boolean {
  return bytes.length === maximum + 1 && bytes[maximum] === CR
}

interface Start {
  readonly line: number
  readonly offset: number
  readonly maximum: number
}

/**
 * Splits complete lines that are joined by LF.
 * @returns their number
 */
function splitBlock(block: Uint8Array, start: Start, out: RawLine[]): number {
  const text = block.length > start.maximum ? null : decode(block)
  // Each character is one byte when there are as many of them: positions in both are the same.
  if (text === null || text.length !== block.length) return splitBytes(block, start, out)
  let from = 0
  let count = 0
  while (from <= text.length) {
    const found = text.indexOf('\n', from)
    const to = found === -1 ? text.length : found
    const end = to > from && text.charCodeAt(to - 1) === CR ? to - 1 : to
    out.push({
      line: start.line + count,
      offset: start.offset + from,
      text: text.slice(from, end),
      problem: null,
      partial: false,
    })
    count += 1
    from = to + 1
  }
  return count
}

function splitBytes(block: Uint8Array, { line, offset, maximum }: Start, out: RawLine[]): number {
  let from = 0
  let count = 0
  while (from <= block.length) {
    const found = block.indexOf(LF, from)
    const to = found === -1 ? block.length : found
    const bytes = block.subarray(from, to)
    const place = { line: line + count, offset: offset + from, partial: false }
    if (bytes.length > maximum && !isJustTerminated(bytes, maximum)) {
      out.push({ ...place, text: '', problem: 'too-long' })
    } else out.push(decodeLine(bytes, { ...place, dropMark: false }))
    count += 1
    from = to + 1
  }
  return count
}

interface LinePlace {
  readonly line: number
  readonly offset: number
  readonly partial: boolean
  readonly dropMark: boolean
}

function decodeLine(bytes: Uint8Array, { line, offset, partial, dropMark }: LinePlace): RawLine {
  const mark = dropMark && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
  const end = !partial && bytes.at(-1) === CR ? bytes.length - 1 : bytes.length
  const text = decode(bytes.subarray(mark, Math.max(mark, end)))
  const place = { line, offset, partial }
  if (text === null) return { ...place, text: '', problem: 'not-utf8' }
  return { ...place, text, problem: null }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decode(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes)
  } catch {
    return null
  }
}

function concat(parts: readonly Uint8Array[], length: number): Uint8Array {
  const [first] = parts
  if (parts.length === 1 && first !== undefined) return first
  const whole = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/**
 * Turns pieces of text into bytes. Half of a surrogate pair at the end of a piece waits for the
 * other half, also across empty pieces; null ends the text.
 */
function createTextJoiner(): (chunk: Uint8Array | string | null) => Uint8Array {
  const encoder = new TextEncoder()
  let waiting = ''
  return (chunk) => {
    if (typeof chunk !== 'string') {
      const before = waiting
      waiting = ''
      if (before === '') return chunk ?? new Uint8Array(0)
      const bytes = encoder.encode(before)
      return chunk === null ? bytes : concat([bytes, chunk], bytes.length + chunk.length)
    }
    const text = waiting + chunk
    const half = /[\ud800-\udbff]$/.test(text)
    waiting = half ? text.slice(-1) : ''
    return encoder.encode(half ? text.slice(0, -1) : text)
  }
}
