import { isPlainObject, setOwn } from '@x/wire'
import { isTool, type Tool } from '../../models/chat-model.ts'
import { dataText } from '../values/convert.ts'
import { isData, type Data } from '../values/data.ts'
import { isDataFrame } from '../values/data-frame.ts'
import { formatValue, type JsonValue } from '../values/format-value.ts'
import { isMessage, isStream, type Message } from '../values/message.ts'
import type { LogJson, OutputJson, VertexDataJson } from './run-event.ts'
import type { LogEntry } from './vertex-logs.ts'

/** The parts of a finished build that go on the wire. */
export interface BuildView {
  readonly id: string
  /** `data.type`, or the class in the id. True for input and output components. */
  readonly showsResults: boolean
  readonly isChat: boolean
  /** All offered outputs, in order. */
  readonly offered: readonly string[]
  readonly outputs: Readonly<Record<string, unknown>>
  readonly logs: ReadonlyMap<string, readonly LogEntry[]>
  readonly hasStatus: boolean | 'text'
  /** `Error building Component ...`, or undefined on success. */
  readonly failure: string | undefined
  readonly durationMs: number
  readonly usedFrozenResult: boolean
}

export type VertexParts = Pick<VertexDataJson, 'results' | 'outputs' | 'logs' | 'artifacts'>

/**
 * The data of a built vertex as its event shows them, without truncation.
 * @param items see `formatValue`
 */
export function vertexParts(build: BuildView, items = Number.POSITIVE_INFINITY): VertexParts {
  const json: ToJson = (value) => formatValue(value, items)
  if (build.failure !== undefined) return failedParts(build, build.failure)
  const ran = build.offered.filter((name) => Object.hasOwn(build.outputs, name))
  const outputs = record(build.offered, (name) =>
    Object.hasOwn(build.outputs, name)
      ? outputJson(build.outputs[name], { hasStatus: build.hasStatus, json })
      : { message: '', type: 'unknown' },
  )
  return {
    results: build.showsResults ? record(ran, (name) => json(build.outputs[name])) : {},
    outputs,
    logs: record(ran, (name) => (build.logs.get(name) ?? []).map((entry) => logJson(entry, json))),
    artifacts: artifactsOf(build, ran, json),
  }
}

function failedParts(build: BuildView, errorMessage: string): VertexParts {
  const [first] = build.offered
  const failure: OutputJson = { message: { errorMessage, stackTrace: '' }, type: 'error' }
  const outputs = first === undefined ? {} : record([first], () => failure)
  return { results: {}, outputs, logs: {}, artifacts: {} }
}

type ToJson = (value: unknown) => JsonValue

interface OutputView {
  readonly hasStatus: boolean | 'text'
  readonly json: ToJson
}

function outputJson(value: unknown, { hasStatus, json }: OutputView): OutputJson {
  if (isMessage(value)) {
    return { message: formatText(value), type: hasStatus ? 'text' : 'message' }
  }
  if (typeof value === 'string') return { message: value, type: 'text' }
  if (isData(value)) {
    return { message: json(value.data), type: hasStatus ? 'object' : 'data' }
  }
  const { raw, type } = plainJson(value, json)
  return { message: raw, type }
}

function plainJson(value: unknown, json: ToJson): { raw: JsonValue; type: string } {
  if (isDataFrame(value)) return { raw: json(value), type: 'array' }
  if (Array.isArray(value) && value.length > 0 && value.every(isTool)) {
    return { raw: value.map(toolJson), type: 'array' }
  }
  if (Array.isArray(value)) {
    return value.some(isHandle)
      ? { raw: '', type: 'unknown' }
      : { raw: listJson(value, json), type: 'array' }
  }
  if (typeof value === 'string') return { raw: value, type: 'text' }
  if (isStream(value)) return { raw: json(value), type: 'stream' }
  if (typeof value === 'object' && value !== null && !isHandle(value)) {
    return { raw: json(value), type: 'object' }
  }
  if (typeof value === 'object' || typeof value === 'function') return { raw: '', type: 'unknown' }
  return value === undefined ? { raw: '', type: 'unknown' } : { raw: json(value), type: 'object' }
}

function toolJson({ name, description, tags = [name] }: Tool): JsonValue {
  return { name, description, tags: [...tags] }
}

/** An array of Data becomes an array of their objects. */
function listJson(items: readonly unknown[], json: ToJson): JsonValue {
  return json(items.map((item) => (isData(item) ? item.data : item)))
}

/** True for models, tools, stores and other live objects. */
function isHandle(value: unknown): boolean {
  if (typeof value === 'function') return true
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  if (isMessage(value) || isData(value) || isDataFrame(value)) return false
  return (
    hasMethods(value) ||
    Object.keys(value).some((key) => {
      const property = Object.getOwnPropertyDescriptor(value, key)
      return typeof property?.value === 'function'
    })
  )
}

/** Unreadable text counts as empty. */
function shownText(data: Data): string {
  try {
    return dataText(data)
  } catch {
    return ''
  }
}

/** True for instances of classes other than the built-in ones. */
function hasMethods(value: object): boolean {
  if (isPlainObject(value)) return false
  const prototype = Object.getPrototypeOf(value) as object
  if (Object.prototype.toString.call(prototype) !== '[object Object]' || value instanceof Error) {
    return false
  }
  const { constructor: _, ...members } = Object.getOwnPropertyDescriptors(prototype)
  return Object.values(members).some((member) => typeof member.value === 'function')
}

function artifactsOf(
  build: BuildView,
  ran: readonly string[],
  json: ToJson,
): Record<string, unknown> {
  const [first] = ran
  const message = first === undefined ? undefined : build.outputs[first]
  if (build.isChat && isMessage(message)) return chatArtifact(message)
  return record(ran, (name) => {
    const value = build.outputs[name]
    if (isMessage(value)) return { repr: formatText(value), raw: formatText(value), type: 'text' }
    if (isData(value)) {
      const type = build.hasStatus === 'text' ? 'text' : 'object'
      return { repr: shownText(value), raw: json(value.data), type }
    }
    const { raw, type } = plainJson(value, json)
    return { repr: typeof raw === 'string' ? raw : '', raw, type }
  })
}

function chatArtifact(message: Message): Record<string, unknown> {
  const text = formatText(message)
  return {
    message: message.sender === 'Machine' ? normalizeLineBreaks(text) : text,
    sender: message.sender,
    sender_name: message.senderName,
    files: message.files.map(fileJson),
    type: 'object',
  }
}

/** Doubles line breaks; pairs of them stay. */
export function normalizeLineBreaks(text: string): string {
  return text.replaceAll(/\n{1,2}/g, '\n\n')
}

export function fileJson(file: unknown): { path: string; name: string; type: string } {
  const given: unknown =
    typeof file === 'object' && file !== null ? Reflect.get(file, 'path') : file
  const path = typeof given === 'string' ? given : ''
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  return { path, name, type: dot < 0 ? '' : name.slice(dot + 1) }
}

export function formatText(message: Message): string {
  return typeof message.text === 'string' ? message.text : ''
}

export function logJson(entry: LogEntry, json: ToJson = formatValue): LogJson {
  const { message, type } = outputJson(entry.value, { hasStatus: true, json })
  return { name: entry.name, message, type }
}

/** `12 ms`, `1.23 seconds`, `2 minutes, 3.4 seconds`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  const seconds = ms / 1000
  if (seconds < 60) return secondsText(seconds)
  const minutes = Math.floor(seconds / 60)
  const rest = seconds - minutes * 60
  return `${minutes} ${minutes === 1 ? 'minute' : 'minutes'}, ${secondsText(rest)}`
}

function secondsText(seconds: number): string {
  const rounded = Math.round(seconds * 100) / 100
  return `${rounded} ${rounded === 1 ? 'second' : 'seconds'}`
}

/** Builds an object safely: names may be `__proto__`. */
export function record<T>(names: readonly string[], make: (name: string) => T): Record<string, T> {
  const fields: Record<string, T> = {}
  for (const name of names) setOwn(fields, name, make(name))
  return fields
}
