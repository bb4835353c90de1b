import { isObject, isPlainObject, setOwn, decodeBase64, encodeBase64 } from '@x/wire'
import { decide } from '../schedule/decision.ts'
import type { OutputValues } from '../schedule/scope.ts'
import { createData, isData } from '../values/data.ts'
import { createDataFrame, isDataFrame } from '../values/data-frame.ts'
import { createMessage, isMessage, type MessageInit } from '../values/message.ts'
import type { LogEntry } from '../events/vertex-logs.ts'
import { FlowError, type FlowErrorCode } from '../../errors.ts'
import type { TaskResult } from '../vertex/task-build.ts'

/** Stored before a component that must not run twice starts, with its pass. */
export function startMark(pass: number | undefined): string {
  return JSON.stringify({ started: true, pass })
}

/** True for the mark of a vertex that has started. */
export function isStartMark(state: string): boolean {
  return state.startsWith('{"started":true')
}

/**
 * Replaces the start mark while a component waits for an answer; the component is then run again.
 */
export const SUSPENDED_MARK = '{"rests":true}'

/** True for states that are marks rather than results. */
export function isMark(state: string): boolean {
  return state === SUSPENDED_MARK || isStartMark(state)
}

class NotJsonError extends Error {}

/** Serialises an object; undefined if it contains a non-serialisable value (a model, a tool). */
export function encodeJson(make: () => object): string | undefined {
  try {
    return JSON.stringify(make())
  } catch (error) {
    if (error instanceof NotJsonError) return undefined
    throw error
  }
}

/**
 * Serialises a finished build; undefined if a value is not serialisable, so the vertex is built again.
 * @param pass of the outermost enclosing loop
 */
export function encodeTask(result: TaskResult, pass: number | undefined): string | undefined {
  return encodeJson(() => {
    const { outputs, branches, logs, hasStatus, bytes, usedFrozenResult } = result
    return {
      outputs: Object.entries(outputs).map(([name, value]) => [name, encodeValue(value)]),
      branches,
      logs: [...logs].map(([name, entries]) => [name, encodeValue(entries)]),
      hasStatus,
      bytes,
      usedFrozenResult,
      pass,
    }
  })
}

/**
 * Serialises a failed build, which stays failed.
 * @param reason masked
 */
export function encodeFailure(
  { code, reason }: { readonly code: FlowErrorCode; readonly reason: string },
  pass: number | undefined,
): string {
  return JSON.stringify({ failed: { code, reason }, pass })
}

/** A `TaskResult` as JSON, with encoded values. */
interface StoredTask extends Omit<TaskResult, 'outputs' | 'logs' | 'decision'> {
  readonly outputs: readonly (readonly [string, unknown])[]
  readonly logs: readonly (readonly [string, unknown])[]
}

/**
 * The stored state of a vertex for the pass it is about to be built in: its result, its failure, or that it
 * was running in this pass or a later one.
 */
export function readCheckpoint(
  state: string | undefined,
  pass: number | undefined,
): TaskResult | FlowError | 'started' | undefined {
  const stored: unknown = state === undefined ? undefined : JSON.parse(state)
  if (!isObject(stored)) return undefined
  if (stored['started'] === true) {
    return Number(stored['pass'] ?? 0) >= (pass ?? 0) ? 'started' : undefined
  }
  const { failed } = stored
  if (isObject(failed) && stored['pass'] === pass)
    return new FlowError(failed['code'] as FlowErrorCode, String(failed['reason']))
  if (!Array.isArray(stored['outputs']) || stored['pass'] !== pass) return undefined
  return decodeTask(stored as unknown as StoredTask)
}

function decodeTask(stored: StoredTask): TaskResult {
  const outputs = Object.create(null) as OutputValues
  for (const [name, value] of stored.outputs) outputs[name] = decodeValue(value)
  const logs = stored.logs.map(
    ([name, entries]) => [name, decodeValue(entries) as LogEntry[]] as const,
  )
  const { branches, hasStatus, bytes, usedFrozenResult } = stored
  const decision = decide(branches, undefined)
  return { outputs, branches, decision, logs: new Map(logs), hasStatus, bytes, usedFrozenResult }
}

const KIND = '$value'
const MAX_DEPTH = 200

/** @throws NotJsonError, which `encodeJson` catches */
export function encodeValue(value: unknown, depth = 0): unknown {
  if (value === undefined || value === null) return null
  if (typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') {
    return Number.isFinite(value) ? value : { [KIND]: 'number', text: String(value) }
  }
  if (typeof value === 'bigint') return { [KIND]: 'bigint', text: value.toString() }
  if (typeof value !== 'object' || depth > MAX_DEPTH) throw new NotJsonError()
  return encodeObject(value, depth + 1)
}

function encodeObject(value: object, depth: number): unknown {
  if (value instanceof Date) return { [KIND]: 'date', time: value.getTime() }
  if (value instanceof Uint8Array) return { [KIND]: 'bytes', base64: encodeBase64(value) }
  if (isMessage(value)) {
    const { kind: _, timestamp, ...fields } = value
    return { [KIND]: 'message', fields: encodeEntries(fields, depth), time: timestamp.getTime() }
  }
  if (isData(value)) {
    const { data, textKey, defaultValue } = value
    return { [KIND]: 'data', data: encodeEntries(data, depth), textKey, defaultValue }
  }
  if (isDataFrame(value)) {
    const rows = value.rows.map((row) => encodeEntries(row, depth))
    return { [KIND]: 'dataframe', rows, columns: value.columns }
  }
  if (Array.isArray(value)) return value.map((item) => encodeValue(item, depth))
  if (!isPlainObject(value)) throw new NotJsonError()
  return { [KIND]: 'object', entries: encodeEntries(value, depth) }
}

function encodeEntries(value: object, depth: number): unknown[] {
  return Object.entries(value).map(([key, item]) => [key, encodeValue(item, depth)])
}

export function decodeValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(decodeValue)
  if (!isObject(value)) return value
  switch (value[KIND]) {
    case 'number':
      return Number(value.text)
    case 'bigint':
      return BigInt(String(value.text))
    case 'date':
      return new Date(Number(value.time))
    case 'bytes':
      // Checkpoints of older versions store an array of numbers.
      return Array.isArray(value.bytes)
        ? Uint8Array.from(value.bytes as number[])
        : decodeBase64(String(value.base64))
    case 'message': {
      const fields = decodeEntries(value.fields) as MessageInit
      return createMessage({ ...fields, timestamp: new Date(Number(value.time)) })
    }
    case 'data': {
      const { textKey, defaultValue } = value as { textKey: string; defaultValue: string }
      return createData(decodeEntries(value.data), { textKey, defaultValue })
    }
    case 'dataframe': {
      const rows = (value.rows as unknown[]).map(decodeEntries)
      return createDataFrame(rows, value.columns as string[])
    }
    default:
      return decodeEntries(value.entries)
  }
}

function decodeEntries(entries: unknown): Record<string, unknown> {
  const object: Record<string, unknown> = {}
  for (const [key, item] of entries as [string, unknown][]) setOwn(object, key, decodeValue(item))
  return object
}
