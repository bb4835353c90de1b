import { copyObject } from '../../data/copy-json.ts'
import { Report } from '../../diagnostics/report.ts'
import { isPlainObject, type JsonObject } from '../../json.ts'
import { readEnvelope } from '../read-envelope.ts'
import { readId, readMember, readPayload, readText, refuseOthers, FATAL } from '../read-member.ts'
import { checkActionFields } from '../v08/client-message.ts'
import type { ValidationResult } from '../validation-result.ts'
import { readCall, readFunctionResponse } from './read-call.ts'
import { envelopeV1 } from './read-message-v1.ts'
import { readMetadata } from './read-metadata.ts'

export const KINDS = ['action', 'error', 'callAgentFunction', 'rendererFunctionResponse'] as const

/** Validates a client message of version 1.0 (SN section 2.3). Never throws. */
export function validateRendererMessage(value: unknown): ValidationResult<JsonObject> {
  const report = new Report()
  report.message = value
  const message = readClientMessage(value, report)
  const diagnostics = report.finish()
  return { message: report.errors > 0 ? null : message, diagnostics }
}

function readClientMessage(value: unknown, report: Report): JsonObject | null {
  const kind = readEnvelope(value, { kinds: KINDS, rules: envelopeV1, report })
  if (kind === null || !isPlainObject(value)) return null
  const payload = readPayload(value, kind, report)
  if (payload === null) return null
  const copy = copyObject(payload, report)
  if (kind === 'action') checkAction(payload, report, copy)
  else if (kind === 'error') checkError(payload, report)
  else if (kind === 'rendererFunctionResponse') readFunctionResponse(payload, report)
  else {
    readId(payload, 'surfaceId', report)
    readCall(payload, report, { catalogIsRequired: false })
    refuseOthers(payload, ['surfaceId', 'functionCallId', 'callFunction'], report, FATAL)
  }
  report.path.pop()
  return { version: 'v1.0', [kind]: copy }
}

const ACTION = [
  'name',
  'surfaceId',
  'sourceComponentId',
  'timestamp',
  'context',
  'userMessage',
  'metadata',
]

function checkAction(payload: Record<string, unknown>, report: Report, copy: JsonObject): void {
  checkActionFields(payload, report, copy)
  refuseOthers(payload, ACTION, report, FATAL)
  if (payload.userMessage !== undefined && typeof payload.userMessage !== 'string') {
    report.must('invalid_type', 'a string', { at: ['userMessage'] })
  }
  readMetadata(payload, report)
}

const VALIDATION_CODES: ReadonlySet<unknown> = new Set([
  'VALIDATION_FAILED',
  'UNALLOWED_PARENT',
  'UNALLOWED_CHILD',
])

function checkError(payload: Record<string, unknown>, report: Report): void {
  readText(payload, 'code', report)
  readText(payload, 'message', report)
  if (VALIDATION_CODES.has(payload.code)) {
    readText(payload, 'surfaceId', report)
    const path = readMember(payload, 'path', report)
    if (path !== undefined && typeof path !== 'string') {
      report.must('invalid_type', 'a string', { at: ['path'] })
    }
    refuseOthers(payload, ['code', 'surfaceId', 'path', 'message'], report, FATAL)
    return
  }
  const named = ['surfaceId', 'functionCallId'].filter((name) => payload[name] !== undefined)
  const [first] = named
  if (named.length !== 1 || first === undefined) {
    report.must('not_exactly_one', 'an error with either surfaceId or functionCallId')
  } else readId(payload, first, report)
}
