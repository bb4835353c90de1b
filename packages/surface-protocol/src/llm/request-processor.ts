import type { Catalog } from '../catalog/catalog.ts'
import { readVersion, type Version } from '../data/version.ts'
import type { AnySurfaceStore } from '../store/store.ts'
import { createMessageExtractor, extractMessages } from './extract-messages.ts'
import type { ExtractedPart } from './extracted-part.ts'
import type { ExtractMessagesOptions } from './extract-options.ts'
import { formatPrompt, type FormatPromptOptions } from './prompt.ts'

/** Options of a request processor. */
export interface RequestProcessorOptions extends Omit<FormatPromptOptions, 'version' | 'catalogs'> {
  readonly version: Version
  /** Catalogs that the model may use. */
  readonly catalogs: readonly Catalog[]
  /** Alternative ids of the catalogs. */
  readonly catalogAliases?: Readonly<Record<string, string>>
  /** The surfaces that exist already; messages of a right answer are applied to it. */
  readonly store?: AnySurfaceStore
  readonly limits?: ExtractMessagesOptions['limits']
}

/** Reads an answer that arrives in pieces. */
export interface ResponseParser {
  parseChunk(text: string): ExtractedPart[]
  end(): ExtractedPart[]
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

/** Creates the processor of a request to a model that answers with messages as JSON. */
export function createRequestProcessor(options: RequestProcessorOptions): RequestProcessor {
  const { catalogs, store = null, tag = 'a2ui-json', catalogAliases, limits } = options
  const version = readVersion(options.version)
  const reading = (complete: boolean): ExtractMessagesOptions => ({
    version,
    catalogs,
    tag,
    complete,
    ...(catalogAliases === undefined ? {} : { catalogAliases }),
    ...(limits === undefined ? {} : { limits }),
    ...(store === null ? {} : { surfaces: store.surfaceIds() }),
  })
  return {
    version,
    activeCatalogs: [...catalogs],
    promptSnippet: formatPrompt(options),
    tag,
    store,
    createParser({ complete = false, progressive = false } = {}) {
      const extractor = createMessageExtractor({ ...reading(complete), progressive })
      return { parseChunk: (text) => extractor.push(text), end: () => extractor.end() }
    },
    parseResponse: (text) => extractMessages(text, reading(false)),
  }
}
