import { readBody } from '@x/wire'
import type { SurfaceDiagnostic } from '../diagnostics/errors.ts'
import type { Version } from '../data/version.ts'
import { validateClientMessage } from '../message/validate-client-message.ts'
import type { AnyClientMessage } from '../message/any-message.ts'
import { isPlainObject } from '../json.ts'
import type { ValidationResult } from '../message/validation-result.ts'
import { createJsonLinesParser } from './json-lines.ts'
import { exceedsDepth } from '@x/wire'
import { defaultLimits } from '../diagnostics/limits.ts'

/** The messages of a body, or the reason it is rejected as a whole. */
export type ReceivedMessages =
  | { readonly kind: 'messages'; readonly messages: readonly AnyClientMessage[] }
  | {
      readonly kind: 'refused'
      readonly status: number
      readonly code: string
      readonly message: string
      readonly diagnostics?: readonly SurfaceDiagnostic[]
    }

/**
 * Reads a body of JSON (one message or a list) or JSON Lines and validates all messages before any is used.
 * @throws BodyTooLargeError beyond `maximum` bytes
 */
export async function readClientMessages(
  request: Request,
  maximum: number,
  versions: readonly Version[] = [],
): Promise<ReceivedMessages> {
  const type = mediaType(request.headers.get('content-type'))
  if (type === null) {
    const message = 'Send application/json or application/jsonl.'
    return { kind: 'refused', status: 415, code: 'unsupported_media_type', message }
  }
  const bytes = await readBody(request, maximum)
  const values = type === 'json' ? readJson(bytes) : readLines(bytes, maximum)
  if (!Array.isArray(values)) return values
  return checkAll(values, versions)
}

type Refused = Extract<ReceivedMessages, { kind: 'refused' }>

function mediaType(header: string | null): 'json' | 'lines' | null {
  const type = header?.split(';')[0]?.trim().toLowerCase()
  if (type === 'application/jsonl' || type === 'application/x-ndjson') return 'lines'
  if (type === 'application/json' || type === 'application/json+a2ui') return 'json'
  return type === 'application/a2ui+json' ? 'json' : null
}

function readJson(bytes: Uint8Array): unknown[] | Refused {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    if (exceedsDepth(text, defaultLimits.jsonDepth)) return tooDeep()
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : [value]
  } catch {
    return {
      kind: 'refused',
      status: 400,
      code: 'malformed_json',
      message: 'The body is not JSON.',
    }
  }
}

function readLines(bytes: Uint8Array, maximum: number): unknown[] | Refused {
  const parser = createJsonLinesParser({ limits: { lineBytes: Math.max(1, maximum) } })
  const values: unknown[] = []
  for (const { error, value } of [...parser.push(bytes), ...parser.end()]) {
    if (error !== undefined) {
      const { status, code, detail } = error
      return { kind: 'refused', status, code, message: detail }
    }
    values.push(value)
  }
  return values
}

function tooDeep(): Refused {
  const message = `A message may be nested ${defaultLimits.jsonDepth} levels deep.`
  return { kind: 'refused', status: 413, code: 'limit_exceeded', message }
}

/** Each message is validated by the version it names. */
function checkAll(values: readonly unknown[], versions: readonly Version[]): ReceivedMessages {
  const protocols = versions.filter((version) => typeof version !== 'string')
  const messages: AnyClientMessage[] = []
  const diagnostics: SurfaceDiagnostic[] = []
  values.forEach((value, index) => {
    const isLater = isPlainObject(value) && (value.version !== undefined || 'action' in value)
    const version =
      protocols.find((one) => isLater && value.version === `v${one.version}`) ??
      (isLater ? '0.9.1' : '0.8')
    const checked = validateClientMessage(value, {
      version,
    }) as ValidationResult<AnyClientMessage>
    if (checked.message !== null) messages.push(checked.message)
    if (diagnostics.length >= 100) return
    for (const diagnostic of checked.diagnostics) diagnostics.push({ ...diagnostic, index })
  })
  const [first] = diagnostics
  if (first === undefined) return { kind: 'messages', messages }
  const { code, message } = first
  return { kind: 'refused', status: 422, code, message, diagnostics }
}
