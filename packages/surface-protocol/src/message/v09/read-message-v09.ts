import { checkPath } from '../../data/check-path.ts'
import { copyData, copyObject } from '../../data/copy-json.ts'
import { quote } from '../../diagnostics/errors.ts'
import type { DataValue } from '../../data/data-value.ts'
import type { Report } from '../../diagnostics/report.ts'
import { noIds, type Definition } from '../../graph/definition.ts'
import { isPlainObject, ownValue, type JsonObject } from '../../json.ts'
import { readDraft, type EnvelopeRules } from '../read-envelope.ts'
import { readId, refuseOthers, FATAL } from '../read-member.ts'

/** A copied message of version 0.9.1 without anything unknown to that version. */
export type MessageDraftV09 =
  | {
      readonly kind: 'createSurface'
      readonly surfaceId: string
      readonly catalogId: string
      /** Null if there is none. */
      readonly theme: JsonObject | null
      readonly themeSize: number
      readonly sendDataModel: boolean
    }
  | {
      readonly kind: 'updateComponents'
      readonly surfaceId: string
      /** Not validated against a catalog yet. */
      readonly components: readonly Definition[]
    }
  | {
      readonly kind: 'updateDataModel'
      readonly surfaceId: string
      readonly segments: readonly string[]
      /** As sent; null if there is none. */
      readonly path: string | null
      /** Undefined: the value is removed. */
      readonly value: DataValue | undefined
    }
  | { readonly kind: 'deleteSurface'; readonly surfaceId: string }

type Kind = MessageDraftV09['kind']
type Payload = Record<string, unknown>

export const MEMBERS: Readonly<Record<Kind, readonly string[]>> = {
  createSurface: ['surfaceId', 'catalogId', 'theme', 'sendDataModel'],
  updateComponents: ['surfaceId', 'components'],
  updateDataModel: ['surfaceId', 'path', 'value'],
  deleteSurface: ['surfaceId'],
}
const KINDS = Object.keys(MEMBERS) as Kind[]

/** The envelope of version 0.9.1. */
export const envelopeV09: EnvelopeRules = {
  versions: ['v0.9', 'v0.9.1'],
  foreign: [
    'beginRendering',
    'surfaceUpdate',
    'dataModelUpdate',
    'callRendererFunction',
    'agentFunctionResponse',
    'callFunction',
  ],
}

/**
 * Reads a message of version 0.9.1. The draft may only be used if the report has
 * no errors.
 */
export function readMessageV09(value: unknown, report: Report): MessageDraftV09 | null {
  return readDraft(value, { kinds: KINDS, rules: envelopeV09, report }, readPayload)
}

function readPayload(kind: Kind, payload: Payload, report: Report): MessageDraftV09 | null {
  const surfaceId = readId(payload, 'surfaceId', report)
  if (surfaceId !== null) report.surfaceId = surfaceId
  refuseOthers(payload, MEMBERS[kind], report, FATAL)
  const id = surfaceId ?? ''
  switch (kind) {
    case 'createSurface':
      return readCreate(payload, id, report)
    case 'updateComponents':
      return readUpdate(payload, id, report)
    case 'updateDataModel':
      return readData(payload, id, { report })
    default:
      return { kind, surfaceId: id }
  }
}

function readCreate(payload: Payload, surfaceId: string, report: Report): MessageDraftV09 {
  const catalogId = readId(payload, 'catalogId', report) ?? ''
  const { theme: sent, sendDataModel = false } = payload
  if (typeof sendDataModel !== 'boolean') {
    report.must('invalid_type', 'a boolean', { at: ['sendDataModel'] })
  }
  const before = report.size
  let theme: JsonObject | null = null
  report.path.push('theme')
  if (isPlainObject(sent)) theme = copyObject(sent, report)
  else if (sent !== undefined) report.must('invalid_type', 'an object')
  report.path.pop()
  return {
    kind: 'createSurface',
    surfaceId,
    catalogId,
    theme,
    themeSize: report.size - before,
    sendDataModel: sendDataModel === true,
  }
}

function readUpdate(payload: Payload, surfaceId: string, report: Report): MessageDraftV09 | null {
  const components = readComponents(payload, report, readComponent)
  return components === null ? null : { kind: 'updateComponents', surfaceId, components }
}

/** Reads a component at the current position of the report. */
type ReadComponent = (value: unknown, position: number, report: Report) => Definition | null

/** The `components` of a payload; null after reporting a problem. */
export function readComponents(
  payload: Payload,
  report: Report,
  read: ReadComponent,
): Definition[] | null {
  const list = ownValue(payload, 'components')
  if (list === undefined) {
    report.missing('missing_field', 'components')
    return null
  }
  report.path.push('components')
  const components = Array.isArray(list) ? readList(list, report, read) : null
  if (!Array.isArray(list)) report.must('invalid_type', 'an array')
  report.path.pop()
  return components
}

function readList(
  list: readonly unknown[],
  report: Report,
  read: ReadComponent,
): Definition[] | null {
  if (list.length === 0) {
    report.must('invalid_value', 'at least one component')
  }
  if (list.length > report.limits.componentsPerMessage) {
    report.exceeds('componentsPerMessage')
    return null
  }
  const components: Definition[] = []
  for (let index = 0; index < list.length; index += 1) {
    report.path.push(index)
    const component = read(list[index], index, report)
    report.path.pop()
    report.componentId = undefined
    if (component !== null) components.push(component)
  }
  return components
}

/** Members of a component that are not properties. */
const ENVELOPE: ReadonlySet<string> = new Set(['id', 'component'])

/** Size of `{id, component}` without the two values. */
const FRAME = 'idcomponent'.length + 3 * 8

function readComponent(value: unknown, position: number, report: Report): Definition | null {
  if (!isPlainObject(value)) {
    report.must('invalid_type', 'an object')
    return null
  }
  const id = readId(value, 'id', report)
  if (id !== null) report.componentId = id
  const type = readId(value, 'component', report)
  if (id === null || type === null) return null
  const start = report.size
  const copy = copyObject(value, report, ENVELOPE)
  return {
    id,
    position,
    type,
    properties: copy,
    envelope: null,
    weight: undefined,
    size: report.size - start + id.length + type.length + FRAME,
    initialises: false,
    core: null,
    edges: noIds,
    templates: noIds,
    plan: null,
  }
}

/** The payload of `updateDataModel`. */
export function readData(
  payload: Payload,
  surfaceId: string,
  { report, nullRemoves = false }: { report: Report; nullRemoves?: boolean },
): Extract<MessageDraftV09, { kind: 'updateDataModel' }> | null {
  const path = ownValue(payload, 'path')
  const segments = path === undefined ? [] : readSegments(path, report)
  const sent = ownValue(payload, 'value')
  report.path.push('value')
  const value = sent === undefined ? undefined : copyData(sent, report)
  const removes = value === undefined || (value === null && nullRemoves)
  if (segments?.length === 0 && !removes && !(value instanceof Map)) {
    report.must('invalid_value', 'an object, as the whole data model is one')
  }
  report.path.pop()
  if (segments === null) return null
  return {
    kind: 'updateDataModel',
    surfaceId,
    segments,
    path: typeof path === 'string' ? path : null,
    value,
  }
}

function readSegments(path: unknown, report: Report): readonly string[] | null {
  report.path.push('path')
  let segments: readonly string[] | null = null
  if (typeof path !== 'string') report.must('invalid_type', 'a string')
  else if (path !== '' && !path.startsWith('/')) {
    report.add('invalid_path', `The path ${quote(path)} does not begin with "/".`)
  } else segments = checkPath(path, report)?.segments ?? null
  report.path.pop()
  return segments
}
