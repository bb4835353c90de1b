import type { SurfaceDiagnostic } from '../../diagnostics/errors.ts'
import { errorFrom, SurfaceError } from '../../diagnostics/errors.ts'
import { defined, isPlainObject, type JsonObject } from '../../json.ts'
import { copyObject } from '../../data/copy-json.ts'
import { readKind, readMember, readPayload, readText, refuseOthers } from '../read-member.ts'
import { Report } from '../../diagnostics/report.ts'
import type { ValidationResult } from '../validation-result.ts'

/** A user's action on a component. */
export type UserAction = {
  name: string
  surfaceId: string
  sourceComponentId: string
  /** RFC 3339 date-time with zone. */
  timestamp: string
  context: JsonObject
}

/** A message from the client to the server, version 0.8. */
export type ClientMessage = { userAction: UserAction } | { error: JsonObject }

export const KEYS = ['userAction', 'error'] as const

/** Validates a client message. Additional members of `userAction` are kept. */
export function validateClientMessageV08(value: unknown): ValidationResult<ClientMessage> {
  const report = new Report()
  const message = readClientMessage(value, report)
  const diagnostics = report.finish()
  return { message: report.errors > 0 ? null : message, diagnostics }
}

/**
 * Parses and validates a client message.
 * @throws SurfaceError with the first error's code and all diagnostics
 */
export function parseClientMessage(text: string): ClientMessage {
  const { message, diagnostics } = validateClientMessageV08(parseJson(text))
  if (message === null) throw errorFrom(diagnostics)
  return message
}

/** Parses JSON. @throws SurfaceError `malformed_json` */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new SurfaceError({ code: 'malformed_json', detail: 'The text is not valid JSON.', cause })
  }
}

/** The error message that tells a peer or a model what was wrong. */
export function formatClientError(diagnostic: SurfaceDiagnostic): { error: JsonObject } {
  const { code, message, surfaceId, path, componentId } = diagnostic
  return { error: defined({ code, message, surfaceId, path, componentId }) }
}

function readClientMessage(value: unknown, report: Report): ClientMessage | null {
  report.message = value
  const kind = readKind(value, KEYS, report)
  if (kind === null || !isPlainObject(value)) return null
  refuseOthers(value, [kind], report)
  const payload = readPayload(value, kind, report)
  if (payload === null) return null
  const copy = copyObject(payload, report)
  if (kind === 'error') return { error: copy }
  checkActionFields(payload, report, copy)
  // Missing fields were reported above.
  return { userAction: copy as UserAction }
}

/**
 * Validates the members common to actions of all versions.
 * @param copy gets a timestamp that is a number, in milliseconds since 1970, as RFC 3339 in UTC
 */
export function checkActionFields(
  payload: Record<string, unknown>,
  report: Report,
  copy: JsonObject,
): void {
  readText(payload, 'name', report)
  const surfaceId = readText(payload, 'surfaceId', report)
  if (surfaceId !== null) report.surfaceId = surfaceId
  readText(payload, 'sourceComponentId', report)
  const number = payload.timestamp
  const timestamp =
    typeof number === 'number' ? textOfTime(number) : readText(payload, 'timestamp', report)
  // A number that is not finite was reported when it was copied.
  const isReported = typeof number === 'number' && !Number.isFinite(number)
  if (timestamp !== null && parseTimestamp(timestamp) === null && !isReported) {
    report.must('invalid_value', 'an RFC 3339 date-time with a zone', { at: ['timestamp'] })
  } else if (timestamp !== null && typeof number === 'number') copy.timestamp = timestamp
  const context = readMember(payload, 'context', report)
  if (context !== undefined && !isPlainObject(context)) {
    report.must('invalid_type', 'an object', { at: ['context'] })
  }
}

/** RFC 3339 in UTC for milliseconds since 1970; `""` for a number that is no time. */
function textOfTime(milliseconds: number): string {
  const date = new Date(milliseconds)
  return Number.isNaN(date.getTime()) ? '' : date.toISOString()
}

const DATE_TIME =
  /^\d{4}-(\d\d)-(\d\d)[Tt ]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

/** Parses an RFC 3339 date-time to milliseconds; null for other strings. */
export function parseTimestamp(text: string): number | null {
  const match = DATE_TIME.exec(text)
  if (match === null) return null
  const [, month, day] = match
  const days = new Date(Date.UTC(Number(text.slice(0, 4)), Number(month), 0)).getUTCDate()
  if (Number(day) > days) return null
  // Date cannot represent leap seconds; they count as the preceding second.
  const known = text
    .toUpperCase()
    .replace(' ', 'T')
    .replace(/:60(?=[.Z+-])/, ':59')
  const time = Date.parse(known)
  return Number.isNaN(time) ? null : time
}
