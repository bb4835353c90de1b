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
