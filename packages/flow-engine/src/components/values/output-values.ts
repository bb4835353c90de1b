import { isObject } from '@x/wire'
import { toData, toDataFrame } from '../../graph/values/convert.ts'
import { createData, isData } from '../../graph/values/data.ts'
import { createDataFrame, isDataFrame } from '../../graph/values/data-frame.ts'
import { createMessage, isMessage, isStream } from '../../graph/values/message.ts'
import type { OutputKind } from '../define/output.ts'

/**
 * Converts the result of `run` to the value type of its output: strings become Messages, objects
 * Data, lists of rows DataFrames, and undefined null. Other values are unchanged.
 */
export function toOutputValue(kind: OutputKind, value: unknown): unknown {
  if (value === undefined || value === null) return null
  if (kind === 'message' && (typeof value === 'string' || isStream(value))) {
    return createMessage(value)
  }
  if (kind === 'data' && isPlain(value)) return createData(value)
  if (kind === 'dataFrame' && Array.isArray(value)) return toFrame(value)
  if (kind === 'list' && Array.isArray(value)) {
    return value.map((item: unknown) => (isPlain(item) ? toData(item) : item))
  }
  return value
}

function toFrame(rows: readonly unknown[]): unknown {
  if (rows.every(isPlain)) return createDataFrame(rows)
  return rows.every((row) => isData(row) || isMessage(row)) ? toDataFrame(rows) : rows
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !isData(value) && !isMessage(value) && !isDataFrame(value)
}
