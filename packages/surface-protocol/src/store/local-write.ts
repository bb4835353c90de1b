import { copyData } from '../data/copy-json.ts'
import { checkPath } from '../data/check-path.ts'
import type { Report } from '../diagnostics/report.ts'
import { formatPointer } from '../json.ts'
import type { DataValue } from '../data/data-value.ts'
import { reportPlacing } from './report-placing.ts'
import { openChange, settle } from './change.ts'
import type { Processed, StoreState } from './state.ts'

/** A write not caused by a message: a client's input, or a test. */
export interface LocalWrite {
  readonly surfaceId: string
  readonly path: string
  readonly value: unknown
}

/** Applies a local write, with the same limits as a message. */
export function processLocalWrite(state: StoreState, write: LocalWrite, report: Report): Processed {
  report.surfaceId = write.surfaceId
  const surface = state.surfaces.get(write.surfaceId)
  if (surface === undefined) {
    report.add('surface_not_found', 'There is no such surface.')
    return 'refused'
  }
  const path = typeof write.path === 'string' ? checkPath(write.path, report) : null
  if (typeof write.path !== 'string') report.add('invalid_type', 'A path is a string.')
  const value = copyData(write.value, report)
  if (path === null || report.errors > 0) return 'refused'
  if (depthOf(value) > report.limits.dataDepth) report.exceeds('dataDepth')
  if (path.segments.length === 0 && !(value instanceof Map)) {
    report.add('invalid_type', 'The whole data model is an object.')
  }
  if (report.errors > 0) return 'refused'
  const { segments } = path
  const change = openChange(state, write.surfaceId, report)
  if (segments.length === 0 && value instanceof Map) surface.data.replace(value)
  else if (state.settings.dialect.family !== '0.8') {
    reportPlacing(surface.data.place(segments, value, report.limits.arrayIndex), report, [])
  } else if (!surface.data.set(segments, value)) {
    report.add('invalid_path', 'The path leads beyond the end of an array.')
  }
  change.dataPaths = [formatPointer(segments)]
  return settle(state, change, { status: surface.status, report })
}

/** Nesting depth of a value. */
export function depthOf(value: DataValue): number {
  if (typeof value !== 'object' || value === null) return 0
  let deepest = 0
  for (const item of value.values()) deepest = Math.max(deepest, 1 + depthOf(item))
  return deepest
}
