import type { Catalog } from '../catalog/catalog.ts'
import type { Version } from '../data/version.ts'
import type { SurfaceLimits } from '../diagnostics/limits.ts'
import type { JsonObject } from '../json.ts'
import type { TextBlock } from './blocks.ts'
import type { UrlOptions } from '../message/unsafe-urls.ts'
import type { ExtractMessagesOptions } from './extract-options.ts'
import type { ExtractedPart } from './extracted-part.ts'
import type { FormatPromptOptions } from './prompt.ts'

/** What a text of a format is compiled with. */
export interface CompileOptions extends UrlOptions {
  readonly version: Version
  readonly catalogs: readonly Catalog[]
  /** Alternative ids of the catalogs. */
  readonly catalogAliases?: Readonly<Record<string, string>>
  /** Id of a surface that the text does not name. Default: main. */
  readonly surfaceId?: string
  readonly limits?: Partial<SurfaceLimits>
}

/** What messages are written with. */
export interface DecompileOptions {
  readonly version: Version
  readonly catalogs: readonly Catalog[]
  /** Called with the JSON Pointer into the list of messages of each part that cannot be written. */
  readonly onLoss?: (path: string) => void
}

/** What an answer is read with. */
export interface FormatParserOptions extends ExtractMessagesOptions {
  readonly version: Version
  readonly catalogs: readonly Catalog[]
  /** Id of a surface that the text does not name. Default: main. */
  readonly surfaceId?: string
}

/** Reads an answer that arrives in pieces. */
export interface ResponseParser {
  parseChunk(text: string): ExtractedPart[]
  end(): ExtractedPart[]
}

/** A way in which models write messages. */
export interface InferenceFormat {
  readonly name: string
  /** The form of the format. */
  readonly version: string
  /** Name of the tag around messages. */
  readonly tag: string
  /** The system prompt. @throws SurfaceError for an invalid example, or without catalogs */
  generatePrompt(options: FormatPromptOptions): string
  /** The messages of a block. @throws SurfaceError with all problems as `diagnostics` */
  compile(text: string, options: CompileOptions): JsonObject[]
  /** The text of a block that compiles to messages of equal effect. */
  decompile(messages: readonly object[], options: DecompileOptions): string
  /** The text of blocks and what stands between them. */
  wrap(parts: readonly TextBlock[]): string
  unwrap(text: string): TextBlock[]
  createParser(options: FormatParserOptions): ResponseParser
}
