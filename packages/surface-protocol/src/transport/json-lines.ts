import { SurfaceError, type SurfaceErrorInit } from '../diagnostics/errors.ts'
import { resolveLimits, type SurfaceLimits } from '../diagnostics/limits.ts'
import type { ClientMessage } from '../message/v08/client-message.ts'
import { formatMessage } from '../message/format-message.ts'
import type { ServerMessage } from '../message/v08/messages.ts'
import { createLineSplitter, type TakeLine } from './line-splitter.ts'
import { exceedsDepth } from '@x/wire'

/** A line of a stream: its value or its problem. */
export type JsonLine =
  | { line: number; offset: number; value: unknown; error?: undefined }
  | { line: number; offset: number; error: SurfaceError; value?: undefined }

/** Options of a line reader. */
export interface JsonLinesOptions {
  /** Only `lineBytes` and `jsonDepth` apply. */
  readonly limits?: Partial<SurfaceLimits>
}

/** Parses chunks of a stream to lines. */
export interface JsonLinesParser {
  push(chunk: Uint8Array | string): JsonLine[]
  /** Returns the last line if it has no terminator. */
  end(): JsonLine[]
}

/**
 * Creates a JSON Lines parser. Chunks may be split anywhere, even inside a character; an invalid line does
 * not affect others. Never throws on invalid input.
 */
export function createJsonLinesParser(options: JsonLinesOptions = {}): JsonLinesParser {
  const { lineBytes, jsonDepth } = resolveLimits(options.limits)
  const longLine = tooMuch('lineBytes', `A line may have ${lineBytes} bytes.`)
  const deepLine = tooMuch('jsonDepth', `A message may be nested ${jsonDepth} levels deep.`)
  let lines: JsonLine[] = []
  const taker =
    (partial: boolean): TakeLine =>
    (line, offset, text) => {
      if (typeof text !== 'string') {
        const { problem } = text
        lines.push(failure(line, offset, problem === 'too-long' ? longLine : notUtf8))
      } else if (exceedsDepth(text, jsonDepth)) {
        lines.push(failure(line, offset, deepLine))
      } else if (!isBlank(text)) lines.push(parseLine(line, offset, { text, partial }))
    }
  const splitter = createLineSplitter(lineBytes, taker(false))
  const taken = (): JsonLine[] => {
    const result = lines
    lines = []
    return result
  }
  return {
    push(chunk) {
      splitter.push(chunk)
      return taken()
    },
    end() {
      splitter.end(taker(true))
      return taken()
    },
  }
}

/** A transform stream from bytes or text to parsed lines. */
export function createJsonLinesDecoder(
  options: JsonLinesOptions = {},
): TransformStream<Uint8Array | string, JsonLine> {
  const parser = createJsonLinesParser(options)
  return new TransformStream({
    transform(chunk, controller) {
      for (const line of parser.push(chunk)) controller.enqueue(line)
    },
    flush(controller) {
      for (const line of parser.end()) controller.enqueue(line)
    },
  })
}

/** A transform stream from messages to lines of UTF-8, each with a line feed. */
export function createJsonLinesEncoder(): TransformStream<
  ServerMessage | ClientMessage,
  Uint8Array
> {
  const encoder = new TextEncoder()
  return new TransformStream({
    transform(message, controller) {
      controller.enqueue(encoder.encode(`${formatMessage(message)}\n`))
    },
  })
}

/** A source of bytes or text. */
export type JsonLinesSource = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array | string>

/** Iterates over the lines of a source; leaving the iteration cancels the source. */
export async function* readJsonLines(
  source: JsonLinesSource,
  options: JsonLinesOptions = {},
): AsyncGenerator<JsonLine, void, undefined> {
  const parser = createJsonLinesParser(options)
  for await (const chunk of source as AsyncIterable<Uint8Array | string>) yield* parser.push(chunk)
  yield* parser.end()
}

/**
 * The lines of a chunk live until it is processed. As literals they would look long-lived to V8, which
 * would allocate them, and what they reference, where only a full collection frees them.
 */
class ParsedLine {
  readonly line: number
  readonly offset: number
  readonly value: unknown

  constructor(line: number, offset: number, value: unknown) {
    this.line = line
    this.offset = offset
    this.value = value
  }
}

function parseLine(
  line: number,
  offset: number,
  { text, partial }: { text: string; partial: boolean },
): JsonLine {
  try {
    return new ParsedLine(line, offset, JSON.parse(text))
  } catch (cause) {
    return failure(line, offset, { ...(partial ? truncated : malformed), cause })
  }
}

const notUtf8 = { code: 'invalid_utf8', detail: 'The line is not valid UTF-8.' } as const
const malformed = { code: 'malformed_json', detail: 'The line is not valid JSON.' } as const
const truncated = {
  code: 'truncated_line',
  detail: 'The stream ended within a line.',
} as const

function tooMuch(limit: 'lineBytes' | 'jsonDepth', detail: string): SurfaceErrorInit {
  return { code: 'limit_exceeded', detail, limit }
}

function failure(line: number, offset: number, init: SurfaceErrorInit): JsonLine {
  return { line, offset, error: new SurfaceError({ ...init, line }) }
}

function isBlank(text: string): boolean {
  const first = text.charCodeAt(0)
  return Number.isNaN(first) || ((first === 0x20 || first === 0x09) && /^[ \t]*$/.test(text))
}
