import { copyMap, copyObject } from '../../data/copy-json.ts'
import type { DataMap } from '../../data/data-value.ts'
import type { Report } from '../../diagnostics/report.ts'
import { noIds, type ComponentEnvelope, type Definition } from '../../graph/definition.ts'
import { isPlainObject, ownValue, type JsonObject } from '../../json.ts'
import { readComponents, readData, type MessageDraftV09 } from '../v09/read-message-v09.ts'
import { readDraft, type EnvelopeRules } from '../read-envelope.ts'
import { readId, refuseOthers, FATAL } from '../read-member.ts'
import { readCall, readFunctionResponse } from './read-call.ts'
import { readMetadata } from './read-metadata.ts'

/** A copied message of version 1.0 without anything unknown to that version. */
export type MessageDraftV1 =
  | {
      readonly kind: 'createSurface'
      readonly surfaceId: string
      /** Null if there is none. */
      readonly catalogId: string | null
      readonly sendDataModel: boolean
      readonly components: readonly Definition[]
      readonly dataModel: DataMap
      readonly metadata: JsonObject | null
      /** Size of the metadata. */
      readonly metadataSize: number
    }
  | Exclude<MessageDraftV09, { kind: 'createSurface' }>
  /** A function call or its response, which does not change a surface. */
  | { readonly kind: 'callRendererFunction' | 'agentFunctionResponse'; readonly surfaceId: '' }

type Kind = MessageDraftV1['kind']
type Payload = Record<string, unknown>

export const MEMBERS: Readonly<Record<Kind, readonly string[]>> = {
  createSurface: ['surfaceId', 'catalogId', 'sendDataModel', 'components', 'dataModel', 'metadata'],
  updateComponents: ['surfaceId', 'components'],
  updateDataModel: ['surfaceId', 'path', 'value'],
  deleteSurface: ['surfaceId'],
  callRendererFunction: ['functionCallId', 'callFunction', 'surfaceId'],
  agentFunctionResponse: ['functionCallId', 'value', 'error'],
}
const KINDS = Object.keys(MEMBERS) as Kind[]

/** The envelope of version 1.0. */
export const envelopeV1: EnvelopeRules = {
  versions: ['v1.0'],
  foreign: ['beginRendering', 'surfaceUpdate', 'dataModelUpdate', 'callFunction', 'userAction'],
}

/**
 * Reads a message of version 1.0. The draft may only be used if the report has no
 * errors.
 */
export function readMessageV1(value: unknown, report: Report): MessageDraftV1 | null {
  return readDraft(value, { kinds: KINDS, rules: envelopeV1, report }, readPayload)
}

function readPayload(kind: Kind, payload: Payload, report: Report): MessageDraftV1 | null {
  refuseOthers(payload, MEMBERS[kind], report, FATAL)
  if (kind === 'callRendererFunction') {
    readCall(payload, report, { catalogIsRequired: true })
    if (payload.surfaceId !== undefined) readId(payload, 'surfaceId', report)
    return { kind, surfaceId: '' }
  }
  if (kind === 'agentFunctionResponse') {
    readFunctionResponse(payload, report)
    return { kind, surfaceId: '' }
  }
  const surfaceId = readId(payload, 'surfaceId', report)
  if (surfaceId !== null) report.surfaceId = surfaceId
  const id = surfaceId ?? ''
  switch (kind) {
    case 'createSurface':
      return readCreate(payload, id, report)
    case 'updateComponents': {
      const components = readComponents(payload, report, readComponentV1)
      return components === null ? null : { kind, surfaceId: id, components }
    }
    case 'updateDataModel':
      if (ownValue(payload, 'value') === undefined) report.missing('missing_field', 'value')
      return readData(payload, id, { report, nullRemoves: true })
    default:
      return { kind, surfaceId: id }
  }
}

function readCreate(payload: Payload, surfaceId: string, report: Report): MessageDraftV1 {
  const named = payload.catalogId !== undefined
  const catalogId = named ? readId(payload, 'catalogId', report) : null
  const { sendDataModel = false, components, dataModel: sent = {} } = payload
  if (typeof sendDataModel !== 'boolean') {
    report.must('invalid_type', 'a boolean', { at: ['sendDataModel'] })
  }
  const list = components === undefined ? [] : readComponents(payload, report, readComponentV1)
  report.path.push('dataModel')
  const dataModel = isPlainObject(sent) ? copyMap(sent, report) : new Map()
  if (!isPlainObject(sent)) report.must('invalid_type', 'an object')
  report.path.pop()
  const before = report.size
  const metadata = readMetadata(payload, report)
  return {
    kind: 'createSurface',
    surfaceId,
    catalogId,
    sendDataModel: sendDataModel === true,
    components: list ?? [],
    dataModel,
    metadata,
    metadataSize: report.size - before,
  }
}

/** Members of a component that are not properties. */
const ENVELOPE: ReadonlySet<string> = new Set(['id', 'component', 'catalogId', 'metadata'])

/** Size of `{id, component}` without the two values. */
const FRAME = 'idcomponent'.length + 3 * 8

function readComponentV1(value: unknown, position: number, report: Report): Definition | null {
  if (!isPlainObject(value)) {
    report.must('invalid_type', 'an object')
    return null
  }
  const id = readId(value, 'id', report)
  if (id !== null) report.componentId = id
  const type = readId(value, 'component', report)
  const start = report.size
  const envelope = readComponentEnvelope(value, report)
  if (type === 'Surface') {
    report.add('invalid_value', 'The type "Surface" is reserved.', { at: ['component'] })
  }
  if (id === null || type === null) return null
  const copy = copyObject(value, report, ENVELOPE)
  return {
    id,
    position,
    type,
    properties: copy,
    envelope,
    weight: undefined,
    size: report.size - start + id.length + type.length + FRAME,
    initialises: false,
    core: null,
    edges: noIds,
    templates: noIds,
    plan: null,
  }
}

function readComponentEnvelope(value: Payload, report: Report): ComponentEnvelope | null {
  if (value.catalogId === undefined && value.metadata === undefined) return null
  const catalogId = value.catalogId === undefined ? null : readId(value, 'catalogId', report)
  report.size += catalogId === null ? 0 : catalogId.length + 8
  const metadata = readMetadata(value, report)
  return {
    ...(catalogId === null ? {} : { catalogId }),
    ...(metadata === null ? {} : { metadata }),
  }
}
