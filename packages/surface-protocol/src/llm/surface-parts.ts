import type { Catalog } from '../catalog/catalog.ts'
import { standardCatalogV08 } from '../catalog/standard.ts'
import { basicCatalogV09 } from '../catalog/v09/basic-catalog.ts'
import { formatA2aExtension, negotiateA2aExtension } from '../catalog/negotiate-catalog.ts'
import { readVersion, versionNumber, type Version } from '../data/version.ts'
import { resolveLimits } from '../diagnostics/limits.ts'
import { answerOf, type GivenAnswer } from '../forms/answer-of.ts'
import { isPlainObject, type JsonObject } from '../json.ts'
import { fromAgUi } from '../interop/ag-ui.ts'
import { toDataPart } from '../interop/data-part.ts'
import { detectVersion } from '../interop/detect-version.ts'
import { createMessageExtractor, type ExtractMessagesOptions } from './extract-messages.ts'
import type { ExtractedPart } from './extracted-part.ts'
import { describeFinding } from './model-hints.ts'
import { errorsOf } from './validate-parts.ts'

/** Options of `createSurfaceParts`. */
export interface SurfacePartsOptions extends Pick<
  ExtractMessagesOptions,
  'tag' | 'limits' | 'catalogAliases' | 'unsafeUrls' | 'urlSchemes'
> {
  /** Version of the messages. Default: 0.8 or 0.9.1, as each message says. */
  readonly version?: Version
  /** Messages are validated against these. Default: the standard catalogs. */
  readonly catalogs?: readonly Catalog[]
}

/** A piece of an answer that may show surfaces. */
export type SurfacePiece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'message'; readonly surfaceId: string; readonly message: object }
  /** A message that is wrong. */
  | { readonly kind: 'error'; readonly error: Error }

/** Tells the surfaces of answers from their text, for what carries them to a front end or an agent. */
export interface SurfaceParts {
  /** A reader of one text, which may come in pieces cut anywhere. */
  reader(): { push(text: string): SurfacePiece[]; end(): SurfacePiece[] }
  /** The messages of an object with `a2ui_operations`, or of its JSON text; null for anything else. */
  operations(value: unknown): SurfacePiece[] | null
  /** The answer that an action on the surface of a question gives; null for another action. */
  answerOf(action: unknown): GivenAnswer | null
  /** The entry of an A2A card. */
  readonly extension: {
    readonly uri: string
    readonly required: boolean
    readonly params: JsonObject
  }
  /** The address of the extension that a value of `A2A-Extensions` asks for; null if it does not. */
  negotiate(requested: string | null): string | null
  /** A2A data parts for messages. */
  dataParts(messages: readonly object[]): { readonly data: unknown; readonly mediaType: string }[]
}

const STANDARD: Readonly<Record<string, readonly Catalog[]>> = {
  '0.8': [standardCatalogV08],
  '0.9': [basicCatalogV09],
}

/** @throws TypeError for a wrong version or limit */
export function createSurfaceParts(options: SurfacePartsOptions = {}): SurfaceParts {
  const { catalogs, version, tag, catalogAliases, unsafeUrls = 'refuse', urlSchemes } = options
  const limits = resolveLimits(options.limits)
  const given = version === undefined ? undefined : readVersion(version)
  const versions: readonly Version[] = given === undefined ? ['0.9.1', '0.8'] : [given]
  const [main = '0.9.1'] = versions
  const shown = catalogs ?? STANDARD[familyName(main)] ?? []

  const piece = (message: unknown): SurfacePiece => {
    const detected = detectVersion(message)
    const own = given ?? (detected === '0.8' ? '0.8' : '0.9.1')
    const errors = errorsOf(message, {
      version: own,
      catalogs: catalogs ?? STANDARD[familyName(own)] ?? [],
      limits,
      unsafeUrls,
      ...(catalogAliases === undefined ? {} : { catalogAliases }),
      ...(urlSchemes === undefined ? {} : { urlSchemes }),
    })
    const [first] = errors
    const surfaceId = surfaceOf(message)
    if (first === undefined && surfaceId !== undefined && isPlainObject(message))
      return { kind: 'message', surfaceId, message }
    const problem =
      first === undefined ? 'A message has no surface.' : describeFinding(first, message)
    return { kind: 'error', error: new Error(`A surface message is wrong: ${problem}`) }
  }
  const told = (parts: readonly ExtractedPart[]): SurfacePiece[] =>
    parts.map((part): SurfacePiece => {
      if (part.kind === 'text') return part
      if (part.kind === 'message') return piece(part.message)
      return { kind: 'error', error: new Error(`A surface message is wrong: ${part.message}`) }
    })

  return {
    reader() {
      const extractor = createMessageExtractor({
        limits,
        version: main,
        truncation: 'refuse',
        bare: false,
        unsafeUrls: 'allow',
        ...(tag === undefined ? {} : { tag }),
      })
      return { push: (text) => told(extractor.push(text)), end: () => told(extractor.end()) }
    },
    operations: (value) => fromAgUi(readable(value, limits.lineBytes))?.map(piece) ?? null,
    answerOf: (action) => answerOf({ userAction: action }),
    extension: formatA2aExtension({
      version: main,
      catalogs: shown,
    }) as unknown as SurfaceParts['extension'],
    negotiate: (requested) => negotiateA2aExtension({ requested, versions })?.uri ?? null,
    dataParts(messages) {
      const isOld = messages.some((message) => detectVersion(message) === '0.8')
      const lists = isOld ? messages : [messages]
      return lists.map((list) => {
        const { data, mediaType } = toDataPart(list, { version: isOld ? '0.8' : main, a2a: '1.0' })
        return { data, mediaType: typeof mediaType === 'string' ? mediaType : '' }
      })
    },
  }
}

/** Only what holds operations itself: an object, or its JSON text of a bounded length. */
function readable(value: unknown, longest: number): unknown {
  if (typeof value === 'string') return value.length <= longest ? value : null
  return isPlainObject(value) && 'a2ui_operations' in value
    ? { a2ui_operations: value['a2ui_operations'] }
    : null
}

function familyName(version: Version): string {
  const number = versionNumber(version)
  return number.startsWith('0.9') ? '0.9' : number
}

function surfaceOf(message: unknown): string | undefined {
  for (const payload of isPlainObject(message) ? Object.values(message) : [])
    if (isPlainObject(payload) && typeof payload['surfaceId'] === 'string')
      return payload['surfaceId']
  return undefined
}
