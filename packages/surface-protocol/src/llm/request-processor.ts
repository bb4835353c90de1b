import type { Catalog } from '../catalog/catalog.ts'
import { readVersion, type Version } from '../data/version.ts'
import type { AnySurfaceStore } from '../store/store.ts'
import { directJson } from './direct-json.ts'
import { joinTexts } from './extract-messages.ts'
import type { ExtractedPart } from './extracted-part.ts'
import type { ExtractMessagesOptions } from './extract-options.ts'
import type { FormatParserOptions, InferenceFormat, ResponseParser } from './inference-format.ts'
import type { FormatPromptOptions } from './prompt.ts'

/** Options of a request processor. */
export interface RequestProcessorOptions extends Omit<FormatPromptOptions, 'version' | 'catalogs'> {
  readonly version: Version
  /** Catalogs that the model may use. */
  readonly catalogs: readonly Catalog[]
  /** Alternative ids of the catalogs. */
  readonly catalogAliases?: Readonly<Record<string, string>>
  /** How the model writes. Default: directJson(). */
  readonly format?: InferenceFormat
  /** Id of a surface that an answer does not name. Default: main. */
  readonly surfaceId?: string
  /** The surfaces that exist already; messages of a right answer are applied to it. */
  readonly store?: AnySurfaceStore
  readonly limits?: ExtractMessagesOptions['limits']
}

/** What one request to a model needs: the prompt, and parsers of the answers. */
export interface RequestProcessor {
  readonly version: Version
  readonly activeCatalogs: readonly Catalog[]
  readonly promptSnippet: string
  /** Name of the tag around messages. */
  readonly tag: string
  readonly store: AnySurfaceStore | null
  /**
   * A parser of one answer. `complete`: the whole answer is judged at its end; `progressive`: components are
   * handed out while their message arrives; default false.
   */
  createParser(options?: {
    readonly complete?: boolean
    readonly progressive?: boolean
  }): ResponseParser
  parseResponse(text: string): ExtractedPart[]
}

/**
 * Creates the processor of a request to a model.
 * @throws TypeError if the format does not have the version; SurfaceError for an invalid example
 */
export function createRequestProcessor(options: RequestProcessorOptions): RequestProcessor {
  const { catalogs, store = null, catalogAliases, limits, surfaceId } = options
  const { format = directJson(), ...ofPrompt } = options
  const tag = options.tag ?? format.tag
  const version = readVersion(options.version)
  const reading = (given: { complete?: boolean; progressive?: boolean }): FormatParserOptions => ({
    version,
    catalogs,
    tag,
    complete: given.complete === true,
    progressive: given.progressive === true,
    ...(catalogAliases === undefined ? {} : { catalogAliases }),
    ...(limits === undefined ? {} : { limits }),
    ...(surfaceId === undefined ? {} : { surfaceId }),
    ...(store === null ? {} : { surfaces: store.surfaceIds() }),
  })
  return {
    version,
    activeCatalogs: [...catalogs],
    promptSnippet: format.generatePrompt(ofPrompt),
    tag,
    store,
    createParser: (given = {}) => format.createParser(reading(given)),
    parseResponse(text) {
      const parser = format.createParser(reading({}))
      return joinTexts([...parser.parseChunk(text), ...parser.end()])
    },
  }
}
