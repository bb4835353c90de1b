import type { JsonValue } from '../json.ts'
import type { StringResult } from './json-string.ts'

/** How JSON is to be read. */
export interface JsonReading {
  readonly from?: number
  /** Nothing follows the text. */
  readonly final: boolean
  /** The text was cut off at its end: what is half written is dropped. */
  readonly cut?: boolean
  /** Maximum nesting. Default: none. */
  readonly depth?: number
  /** The beginning of another message ends this one. */
  readonly isMessage?: boolean
  /** Characters to read behind a quotation mark that may be text. */
  readonly inner?: number
  /** Position of a quotation mark that is text in any case. */
  readonly not?: number
}

/** What was read. */
export type JsonResult =
  | { readonly kind: 'more' }
  | {
      readonly kind: 'value'
      readonly value: JsonValue
      readonly end: number
      readonly repairs: Set<string>
      readonly cut: { readonly path: string; readonly from: number } | null
      /** Strings with quotation marks that were taken as text. */
      readonly inner: readonly StringResult[]
    }
  | {
      readonly kind: 'error'
      readonly at: number
      readonly expected: string
      readonly isTooDeep: boolean
      /** Where reading can go on. */
      readonly end: number
    }
