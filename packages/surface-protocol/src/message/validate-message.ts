import { catalogCore } from '../catalog/catalog.ts'
import { errorFrom } from '../diagnostics/errors.ts'
import { defined, isPlainObject, type JsonObject } from '../json.ts'
import { resolveLimits } from '../diagnostics/limits.ts'
import { checkBatch, collectBatch } from '../graph/component-batch.ts'
import { toInstance } from '../message/v08/to-instance.ts'
import { dataToEntries } from './v08/entries.ts'
import { Graph } from '../graph/graph.ts'
import { parseJson } from './v08/client-message.ts'
import { dataModelUpdate, surfaceUpdate, type ServerMessage } from './v08/messages.ts'
import { readVersion, type Protocol } from '../data/version.ts'
import { messagePartsOf } from './protocol-parts.ts'
import type { ServerMessageV09 } from './v09/messages-v09.ts'
import { resolveUrls, unsafeUrlsIn } from './unsafe-urls.ts'
import { validateMessageV09 } from './v09/validate-message-v09.ts'
import { readMessage, type MessageDraft } from './v08/read-message.ts'
import type { ValidateMessageOptions } from './validate-options.ts'
import type { ValidationResult } from './validation-result.ts'
import { Report } from '../diagnostics/report.ts'

export type { ValidateMessageOptions } from './validate-options.ts'

/** Validates a single message without knowledge of earlier ones. */
export function validateMessage(
  value: unknown,
  options: ValidateMessageOptions & { readonly version: '0.9' | '0.9.1' },
): ValidationResult<ServerMessageV09>
export function validateMessage(
  value: unknown,
  options: ValidateMessageOptions & { readonly version: Protocol },
): ValidationResult<JsonObject>
export function validateMessage(
  value: unknown,
  options?: ValidateMessageOptions,
): ValidationResult<ServerMessage>
export function validateMessage(
  value: unknown,
  options: ValidateMessageOptions = {},
): ValidationResult<ServerMessage | ServerMessageV09 | JsonObject> {
  const urls = unsafeUrlsIn(value, resolveUrls(options))
  const { message, diagnostics } = judged(value, options)
  const isRefused = urls.some(({ severity }) => severity === 'error')
  return { message: isRefused ? null : message, diagnostics: [...diagnostics, ...urls] }
}

function judged(
  value: unknown,
  options: ValidateMessageOptions,
): ValidationResult<ServerMessage | ServerMessageV09 | JsonObject> {
  const version = readVersion(options.version)
  if (typeof version !== 'string') return messagePartsOf(version).validateMessage(value, options)
  if (version !== '0.8') return validateMessageV09(value, options)
  const { mode = 'strict', catalog } = options
  const core = catalog === undefined ? null : catalogCore(catalog)
  const report = new Report(mode, resolveLimits(options.limits))
  const draft = readMessage(value, report, (_, type, { properties }) => {
    core?.checkComponent(type, properties, report)
    return core
  })
  if (draft?.kind === 'surfaceUpdate') {
    checkBatch(new Graph(), collectBatch(draft.instances, report), report)
  } else if (draft?.kind === 'beginRendering' && core !== null) {
    report.path.push('beginRendering', 'styles')
    core.checkStyles(draft.styles ?? {}, report)
    report.path.length = 0
  }
  const message = draft === null || report.errors > 0 ? null : toMessage(draft)
  return { message, diagnostics: report.finish() }
}

/**
 * Parses and validates a message.
 * @throws SurfaceError with the first error's code and all diagnostics
 */
export function parseMessage(
  text: string,
  options: ValidateMessageOptions & { readonly version: '0.9' | '0.9.1' },
): ServerMessageV09
export function parseMessage(
  text: string,
  options: ValidateMessageOptions & { readonly version: Protocol },
): JsonObject
export function parseMessage(text: string, options?: ValidateMessageOptions): ServerMessage
export function parseMessage(
  text: string,
  options: ValidateMessageOptions = {},
): ServerMessage | ServerMessageV09 | JsonObject {
  const { message, diagnostics } = validateMessage(parseJson(text), options)
  if (message === null) throw errorFrom(diagnostics)
  return message
}

/**
 * Parses a message, a list of messages or `{"messages": [...]}`; each is validated individually.
 * @throws SurfaceError `malformed_json` if the text is not JSON
 */
export function parseMessages(
  text: string,
  options: ValidateMessageOptions = {},
): ValidationResult<JsonObject>[] {
  return listOf(parseJson(text)).map(
    (value) => validateMessage(value, options) as ValidationResult<JsonObject>,
  )
}

/** The messages of a list or wrapper; anything else is a single message. */
function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  const isWrapper = isPlainObject(value) && Object.keys(value).length === 1
  return isWrapper && Array.isArray(value.messages) ? (value.messages as unknown[]) : [value]
}

function toMessage(draft: MessageDraft): ServerMessage {
  const { surfaceId } = draft
  switch (draft.kind) {
    case 'beginRendering': {
      const { root, catalogId, styles } = draft
      const optional = { catalogId: catalogId ?? undefined, styles: styles ?? undefined }
      return { beginRendering: { surfaceId, root, ...defined(optional) } }
    }
    case 'surfaceUpdate':
      return surfaceUpdate(surfaceId, draft.instances.map(toInstance))
    case 'dataModelUpdate':
      return dataModelUpdate(surfaceId, dataToEntries(draft.contents), draft.path ?? undefined)
    default:
      return { deleteSurface: { surfaceId } }
  }
}
