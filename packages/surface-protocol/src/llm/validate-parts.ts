import type { Catalog } from '../catalog/catalog.ts'
import type { Version } from '../data/version.ts'
import type { SurfaceDiagnostic } from '../diagnostics/errors.ts'
import type { SurfaceLimits } from '../diagnostics/limits.ts'
import { isPlainObject, type JsonObject, type JsonValue } from '../json.ts'
import { resolveUrls, unsafeUrlsIn, type UrlOptions } from '../message/unsafe-urls.ts'
import { validateMessage } from '../message/validate-message.ts'
import type { ExtractedPart } from './extracted-part.ts'
import { describeFinding, withHints } from './model-hints.ts'
import type { Place } from './text-place.ts'

/** Options for validating a model's messages. */
export interface MessageValidation extends UrlOptions {
  readonly version: Version
  /** Undefined: messages are not validated. */
  readonly catalogs: readonly Catalog[] | undefined
  readonly catalogAliases?: Readonly<Record<string, string>> | undefined
  readonly limits: Readonly<SurfaceLimits>
}

/** The errors of a message; if none of several catalogs accepts it, those of the first. */
export function errorsOf(value: unknown, validation: MessageValidation): SurfaceDiagnostic[] {
  const { version, catalogs, catalogAliases = {} } = validation
  const check = (options: object): SurfaceDiagnostic[] =>
    validateMessage(value, { version, unsafeUrls: 'allow', ...options } as {
      version: '0.9.1'
    }).diagnostics.filter(({ severity }) => severity === 'error')
  const urls = urlErrorsOf(value, validation)
  if (version !== '0.8') {
    const errors = check(catalogs === undefined ? {} : { catalogs, catalogAliases })
    return withHints([...errors, ...urls], value)
  }
  const results = (catalogs ?? []).map((catalog) => check({ catalog }))
  const errors = results.find((found) => found.length === 0) ?? results[0] ?? check({})
  return [...errors, ...urls]
}

function urlErrorsOf(value: unknown, options: UrlOptions): SurfaceDiagnostic[] {
  const { unsafeUrls = 'refuse' } = options
  return unsafeUrls === 'refuse' ? unsafeUrlsIn(value, resolveUrls(options, 'refuse')) : []
}

/** The part for a complete message, which begins at a place. */
export function validatedPart(
  part: ExtractedPart,
  validation: MessageValidation,
  place: Place,
): ExtractedPart {
  if (part.kind !== 'message') return part.kind === 'error' ? { ...place, ...part } : part
  const { message, truncated: cut } = part
  if (cut !== undefined) return part
  const diagnostics =
    validation.catalogs === undefined
      ? urlErrorsOf(message, validation)
      : errorsOf(message, validation)
  const [first] = diagnostics
  if (first === undefined) return part
  const raw = JSON.stringify(message).slice(0, validation.limits.lineBytes)
  const sentence = describeFinding(first, message)
  return { kind: 'error', code: first.code, message: sentence, raw, ...place, diagnostics }
}

/** The part for a truncated message that was closed. */
export function healed(
  found: {
    readonly value: JsonValue
    readonly repairs: ReadonlySet<string>
    readonly cut: { readonly path: string; readonly from: number } | null
  },
  raw: string,
  validation: MessageValidation,
): ExtractedPart {
  const { value, repairs, cut } = found
  const message = isPlainObject(value) ? usable(value, validation) : null
  if (message === null) return truncated(raw)
  const { path, from } = cut ?? { path: '', from: raw.length }
  const { components } = message
  const others = [...repairs].filter((repair) => repair !== 'missing bracket')
  return {
    kind: 'message',
    message: message.value,
    repairs: ['truncated', ...others],
    truncated: {
      path,
      dropped: raw.slice(from),
      ...(components.length === 0 ? {} : { components }),
    },
  }
}

/** The part for a truncated message that is not used. */
export function truncated(raw: string): ExtractedPart {
  const message = 'The text ended inside a message.'
  return { kind: 'error', code: 'truncated_block', message, raw }
}

/** The healed message without components that are now invalid; null if nothing is left. */
function usable(
  value: JsonObject,
  validation: MessageValidation,
): { value: JsonObject; components: string[] } | null {
  const keys = Object.keys(value).filter((key) => key !== 'version')
  if (keys.length === 0) return null
  if (validation.catalogs === undefined) return { value, components: [] }
  const errors = errorsOf(value, validation)
  if (errors.length === 0) return { value, components: [] }
  const removed = new Set<number>()
  for (const { path } of errors) {
    const at = /^\/\w+\/components\/(\d+)(?:\/|$)/.exec(path)?.[1]
    if (at === undefined) return null
    removed.add(Number(at))
  }
  const [kind = ''] = keys
  const payload = value[kind]
  const list = isPlainObject(payload) ? payload.components : undefined
  if (!isPlainObject(payload) || !Array.isArray(list)) return null
  const components = list.filter((_, at) => !removed.has(at))
  const { components: _, ...others } = payload
  const rest = components.length === 0 ? others : { ...others, components }
  const kept: JsonObject = { ...value, [kind]: rest }
  if (errorsOf(kept, validation).length > 0) return null
  const names = [...removed].map((at) => {
    const one = list[at]
    return isPlainObject(one) && typeof one.id === 'string' ? one.id : String(at)
  })
  return { value: kept, components: names }
}
