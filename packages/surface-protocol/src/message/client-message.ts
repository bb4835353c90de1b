import type { SurfaceDiagnostic } from '../errors.ts'
import { errorFrom, quote, SurfaceError } from '../errors.ts'
import { isPlainObject, ownValue, type JsonObject } from '../json.ts'
import { copyObject } from './copy-json.ts'
import { Report } from './report.ts'
import type { ValidationResult } from './validate-message.ts'

/** What a user did with a component (SP-62). */
export type UserAction = {
  name: string
  surfaceId: string
  sourceComponentId: string
  /** RFC 3339 date-time with zone. */
  timestamp: string
  context: JsonObject
}

/** A message from the client to the server. */
export type ClientMessage = { userAction: UserAction } | { error: JsonObject }

const KEYS = ['userAction', 'error'] as const

/** Checks a message of a client (SP-62). Further members of a `userAction` are kept. */
export function validateClientMessage(value: unknown): ValidationResult<ClientMessage> {
  const report = new Report()
  const message = readClientMessage(value, report)
  const diagnostics = report.finish()
  return { message: report.errors > 0 ? null : message, diagnostics }
}

/**
 * Reads a message of a client from JSON text.
 * @throws SurfaceError with the first error's code and all diagnostics
 */
export function parseClientMessage(text: string): ClientMessage {
  const { message, diagnostics } = validateClientMessage(parseJson(text))
  if (message === null) throw errorFrom(diagnostics)
  return message
}

/** The value of a JSON text. @throws SurfaceError `malformed_json` */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new SurfaceError({ code: 'malformed_json', detail: 'The text is no JSON.', cause })
  }
}

/** The error message that tells a peer or a model what was wrong (SP-61). */
export function formatClientError(diagnostic: SurfaceDiagnostic): { error: JsonObject } {
  const { code, message, surfaceId, path, componentId } = diagnostic
  return {
    error: {
      code,
      message,
      ...(surfaceId === undefined ? {} : { surfaceId }),
      path,
      ...(componentId === undefined ? {} : { componentId }),
    },
  }
}

function readClientMessage(value: unknown, report: Report): ClientMessage | null {
  const malformed = (): null => {
    report.add('malformed_message', 'A client message holds exactly one of userAction and error.')
    return null
  }
  if (!isPlainObject(value)) return malformed()
  const present = Object.keys(value).filter((key) => value[key] !== undefined)
  const known = KEYS.filter((key) => present.includes(key))
  const [kind] = known
  if (known.length !== 1 || kind === undefined) return malformed()
  for (const key of present) {
    if (key !== kind) {
      report.add('unknown_key', `A client message has no key ${quote(key)}.`, { at: [key] })
    }
  }
  const payload = value[kind]
  report.path.push(kind)
  if (!isPlainObject(payload)) {
    report.add('invalid_type', `The payload of ${kind} is an object.`)
    return null
  }
  const copy = copyObject(payload, report)
  if (kind === 'error') return { error: copy }
  const fields = readFields(payload, report)
  const context = ownValue(copy, 'context')
  if (fields === null || !isPlainObject(context)) return null
  return { userAction: { ...copy, ...fields, context: context as JsonObject } }
}

type ActionFields = Omit<UserAction, 'context'>

function readFields(payload: Record<string, unknown>, report: Report): ActionFields | null {
  const name = readString(payload, 'name', report)
  const surfaceId = readString(payload, 'surfaceId', report)
  if (surfaceId !== null) report.surfaceId = surfaceId
  const sourceComponentId = readString(payload, 'sourceComponentId', report)
  const timestamp = readString(payload, 'timestamp', report)
  if (timestamp !== null && parseTimestamp(timestamp) === null) {
    report.add('invalid_value', 'A timestamp is an RFC 3339 date-time with a zone.', {
      at: ['timestamp'],
    })
  }
  const context = ownValue(payload, 'context')
  if (context === undefined) {
    report.add('missing_field', 'The field context is required.', { at: ['context'] })
  } else if (!isPlainObject(context)) {
    report.add('invalid_type', 'The field context is an object.', { at: ['context'] })
  }
  if (name === null || surfaceId === null || sourceComponentId === null || timestamp === null) {
    return null
  }
  return { name, surfaceId, sourceComponentId, timestamp }
}

function readString(payload: Record<string, unknown>, name: string, report: Report): string | null {
  const value = ownValue(payload, name)
  if (value === undefined) {
    report.add('missing_field', `The field ${name} is required.`, { at: [name] })
  } else if (typeof value !== 'string') {
    report.add('invalid_type', `The field ${name} is a string.`, { at: [name] })
  } else if (value === '') {
    report.add('invalid_value', `The field ${name} may not be empty.`, { at: [name] })
  } else return value
  return null
}

const DATE_TIME =
  /^\d{4}-(\d\d)-(\d\d)[Tt ]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

/** Milliseconds of an RFC 3339 date-time; null for any other text. */
export function parseTimestamp(text: string): number | null {
  const match = DATE_TIME.exec(text)
  if (match === null) return null
  const [, month, day] = match
  const days = new Date(Date.UTC(Number(text.slice(0, 4)), Number(month), 0)).getUTCDate()
  if (Number(month) < 1 || Number(month) > 12 || Number(day) < 1 || Number(day) > days) return null
  // A leap second is no time that Date knows; it counts as the second before.
  const known = text
    .toUpperCase()
    .replace(' ', 'T')
    .replace(/:60(?=[.Z+-])/, ':59')
  const time = Date.parse(known)
  return Number.isNaN(time) ? null : time
}
