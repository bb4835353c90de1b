import { copyObject } from '../../data/copy-json.ts'
import { Report } from '../../diagnostics/report.ts'
import { isPlainObject } from '../../json.ts'
import { readEnvelope } from '../read-envelope.ts'
import { readPayload, readText, refuseOthers, FATAL } from '../read-member.ts'
import { checkActionFields } from '../v08/client-message.ts'
import type { ValidationResult } from '../validation-result.ts'
import type { ClientMessageV09 } from './messages-v09.ts'
import { envelopeV09 } from './read-message-v09.ts'

export const KINDS = ['action', 'error'] as const

/** Validates a client message of version 0.9.1. */
export function validateClientMessageV09(value: unknown): ValidationResult<ClientMessageV09> {
  const report = new Report()
  report.message = value
  const message = readClientMessage(value, report)
  const diagnostics = report.finish()
  return { message: report.errors > 0 ? null : message, diagnostics }
}

function readClientMessage(value: unknown, report: Report): ClientMessageV09 | null {
  const kind = readEnvelope(value, { kinds: KINDS, rules: envelopeV09, report })
  if (kind === null || !isPlainObject(value)) return null
  const payload = readPayload(value, kind, report)
  if (payload === null) return null
  const copy = copyObject(payload, report)
  if (kind === 'error') checkError(payload, report)
  else {
    checkActionFields(payload, report, copy)
    refuseOthers(payload, ACTION, report, FATAL)
  }
  report.path.pop()
  return { version: value.version, [kind]: copy } as unknown as ClientMessageV09
}

const ACTION = ['name', 'surfaceId', 'sourceComponentId', 'timestamp', 'context']
const VALIDATION = ['code', 'surfaceId', 'path', 'message']

function checkError(payload: Record<string, unknown>, report: Report): void {
  const code = readText(payload, 'code', report)
  readText(payload, 'surfaceId', report)
  readText(payload, 'message', report)
  if (code !== 'VALIDATION_FAILED') return
  if (typeof payload.path !== 'string') {
    if (payload.path === undefined) report.missing('missing_field', 'path')
    else report.must('invalid_type', 'a string', { at: ['path'] })
  }
  refuseOthers(payload, VALIDATION, report, FATAL)
}
