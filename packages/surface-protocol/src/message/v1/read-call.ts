import { copyJson } from '../../data/copy-json.ts'
import type { Report } from '../../diagnostics/report.ts'
import { isPlainObject } from '../../json.ts'
import { readId, readMember, readText, refuseOthers, FATAL } from '../read-member.ts'

type Payload = Record<string, unknown>

/** Validates `functionCallId` and `callFunction` of a call. */
export function readCall(
  payload: Payload,
  report: Report,
  { catalogIsRequired }: { catalogIsRequired: boolean },
): void {
  readId(payload, 'functionCallId', report)
  const call = readMember(payload, 'callFunction', report)
  if (call === undefined) return
  report.path.push('callFunction')
  if (isPlainObject(call)) {
    readText(call, '@call', report)
    if (catalogIsRequired || call.catalogId !== undefined) readText(call, 'catalogId', report)
    if (call.args !== undefined && !isPlainObject(call.args)) {
      report.must('invalid_type', 'an object', { at: ['args'] })
    }
    refuseOthers(call, ['@call', 'catalogId', 'args'], report, FATAL)
    copyJson(call, report)
  } else report.must('invalid_type', 'an object')
  report.path.pop()
}

/** Validates a call's response: its id with either a value or an error. */
export function readFunctionResponse(payload: Payload, report: Report): void {
  readId(payload, 'functionCallId', report)
  refuseOthers(payload, ['functionCallId', 'value', 'error'], report, FATAL)
  const { value, error } = payload
  if ((value === undefined) === (error === undefined)) {
    report.must('not_exactly_one', 'an answer with either value or error')
    return
  }
  report.path.push(value === undefined ? 'error' : 'value')
  copyJson(value ?? error ?? null, report)
  if (value === undefined) {
    if (isPlainObject(error)) {
      readText(error, 'code', report)
      readText(error, 'message', report)
      refuseOthers(error, ['code', 'message'], report, FATAL)
    } else report.must('invalid_type', 'an object')
  }
  report.path.pop()
}
