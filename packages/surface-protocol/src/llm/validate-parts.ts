import type { Catalog } from '../catalog/catalog.ts'
import type { Version } from '../data/version.ts'
import { errorFrom, type SurfaceDiagnostic } from '../diagnostics/errors.ts'
import type { SurfaceLimits } from '../diagnostics/limits.ts'
import { isPlainObject, type JsonObject } from '../json.ts'
import { validateMessage } from '../message/validate-message.ts'
import type { ExtractedPart } from './extracted-part.ts'
import { healJson } from './heal-json.ts'

/** Options for validating a model's messages. */
export interface MessageValidation {
  readonly version: Version
  /** Undefined: messages are not validated. */
  readonly catalogs: readonly Catalog[] | undefined
  readonly limits: Readonly<SurfaceLimits>
}

/** The errors of a message; if none of several catalogs accepts it, those of the first. */
export function errorsOf(
  value: unknown,
  { version, catalogs }: MessageValidation,
): SurfaceDiagnostic[] {
  const check = (options: object): SurfaceDiagnostic[] =>
    validateMessage(value, { version, ...options } as { version: '0.9.1' }).diagnostics.filter(
      ({ severity }) => severity === 'error',
    )
  if (version !== '0.8') return check(catalogs === undefined ? {} : { catalogs })
  const results = (catalogs ?? []).map((catalog) => check({ catalog }))
  return results.find((errors) => errors.length === 0) ?? results[0] ?? check({})
}

/** The part for a complete message. */
export function validatedPart(part: ExtractedPart, validation: MessageValidation): ExtractedPart {
  if (part.kind !== 'message' || validation.catalogs === undefined) return part
  const diagnostics = errorsOf(part.message, validation)
  if (diagnostics.length === 0) return part
  return refusal(diagnostics, JSON.stringify(part.message))
}

function refusal(diagnostics: SurfaceDiagnostic[], raw: string): ExtractedPart {
  const { code, detail: message } = errorFrom(diagnostics)
  return { kind: 'error', code, message, raw, diagnostics }
}

/** The part for a truncated message (SN-65). */
export function healed(raw: string, validation: MessageValidation): ExtractedPart {
  const found = healJson(raw, validation.limits.jsonDepth)
  const message = found === null ? null : usable(found.value, validation)
  if (found === null || message === null) return truncated(raw)
  const { path, dropped } = found
  const { components } = message
  return {
    kind: 'message',
    message: message.value,
    repairs: ['truncated'],
    truncated: { path, dropped, ...(components.length === 0 ? {} : { components }) },
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
