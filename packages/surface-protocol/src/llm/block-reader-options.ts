import type { Version } from '../data/version.ts'
import type { ExtractedPart } from './extracted-part.ts'
import type { JsonResult } from './json-reading.ts'
import type { Place } from './text-place.ts'

/** Callbacks and limits of a reader. */
export interface BlockReaderOptions {
  /** What ends the block; null: the end of the text. `bare`: anything that is neither message nor bracket. */
  readonly close: RegExp | 'bare' | null
  /** The text that opened the block. */
  readonly opening: string
  readonly version: Version
  /** Maximum characters of a message. */
  readonly maximum: number
  /** Maximum nesting of a message. */
  readonly depth: number
  readonly validate: (part: ExtractedPart, place: Place) => ExtractedPart
  /** Handling of a message truncated at the end of the text; null: it is repaired like any other. */
  readonly heal:
    | ((found: Extract<JsonResult, { kind: 'value' }>, raw: string) => ExtractedPart)
    | null
  readonly refuseCuts: boolean
  /** Components are handed out while their message arrives. */
  readonly progressive?: boolean
}

/** The result of reading a chunk of a block. */
export interface BlockResult {
  readonly parts: ExtractedPart[]
  /** Text behind the block; null while it continues. */
  readonly rest: string | null
  /** Where the rest begins. */
  readonly place?: Place
  /** The whole block, if it holds no JSON and was never closed. */
  readonly asText: string | null
}

/** Reads the content of a block; each message is returned as soon as it is complete. */
export interface BlockReader {
  read(piece: string, last: boolean): BlockResult
}

/** What to do next: read on, wait for text, or stop; `isText`: what was read is text. */
export type Step =
  | 'on'
  | 'wait'
  | { readonly from: number; readonly end: number | null; readonly isText?: boolean }
