import { quote } from '../../diagnostics/errors.ts'
import { isPlainObject, ownValue, type JsonObject } from '../../json.ts'
import type { DataMap } from '../../data/data-value.ts'
import type { Definition } from '../../graph/definition.ts'
import { checkPath } from '../../data/check-path.ts'
import { copyObject } from '../../data/copy-json.ts'
import { readEntries } from './read-entries.ts'
import { readInstance } from './read-instance.ts'
import { readId, readKind, readMember, refuseOthers } from '../read-member.ts'
import type { Report } from '../../diagnostics/report.ts'
import { findLaterVersion } from './version.ts'
import type { ComponentCheck } from './component-check.ts'

/** A copied message without anything unknown to 0.8. */
export type MessageDraft =
  | {
      readonly kind: 'beginRendering'
      readonly surfaceId: string
      readonly root: string
      readonly catalogId: string | null
      /** Null if there are none. */
      readonly styles: JsonObject | null
    }
  | {
      readonly kind: 'surfaceUpdate'
      readonly surfaceId: string
      readonly instances: readonly Definition[]
    }
  | {
      readonly kind: 'dataModelUpdate'
      readonly surfaceId: string
      /** As sent; null if there is none. */
      readonly path: string | null
      readonly segments: readonly string[]
      readonly contents: DataMap
    }
  | { readonly kind: 'deleteSurface'; readonly surfaceId: string }

type Payload = Record<string, unknown>
type Kind = MessageDraft['kind']

/**
 * Reads a message. The draft may only be used if the report has no errors; null without a
 * readable payload.
 */
export function readMessage(
  value: unknown,
  report: Report,
  check: ComponentCheck,
): MessageDraft | null {
  report.message = value
  const kind = readEnvelope(value, report)
  if (kind === null || !isPlainObject(value)) return null
  const payload = value[kind]
  let draft: MessageDraft | null = null
  report.path.push(kind)
  if (isPlainObject(payload)) draft = readPayload(kind, payload, { report, check })
  else report.must('invalid_type', 'an object')
  report.path.pop()
  return draft
}

/** The members of each payload. */
export const MEMBERS: Readonly<Record<Kind, readonly string[]>> = {
  surfaceUpdate: ['surfaceId', 'components'],
  dataModelUpdate: ['surfaceId', 'path', 'contents'],
  beginRendering: ['surfaceId', 'root', 'catalogId', 'styles'],
  deleteSurface: ['surfaceId'],
}
const KINDS = Object.keys(MEMBERS) as Kind[]

/** The message key of an envelope; null after reporting that there is not exactly one. */
function readEnvelope(value: unknown, report: Report): Kind | null {
  if (!isPlainObject(value)) return readKind(value, KINDS, report)
  const keys = Object.keys(value)
  const only = keys.length === 1 ? KINDS.find((kind) => kind === keys[0]) : undefined
  if (only !== undefined && value[only] !== undefined) return only
  const foreign = findLaterVersion(value)
  if (foreign !== null) {
    report.add('unsupported_version', `This is a message of version ${quote(foreign.version)}.`, {
      at: [foreign.key],
    })
    return null
  }
  const kind = readKind(value, KINDS, report)
  if (kind === null) return null
  refuseOthers(value, typeof value.version === 'string' ? [kind, 'version'] : [kind], report)
  return kind
}

/** Placeholder for an invalid id, so that the rest can still be validated. */
const NO_ID = ''

interface Context {
  readonly report: Report
  readonly check: ComponentCheck
}

function readPayload(kind: Kind, payload: Payload, context: Context): MessageDraft | null {
  const { report } = context
  const id = readId(payload, 'surfaceId', report)
  if (id !== null) report.surfaceId = id
  const surfaceId = id ?? NO_ID
  refuseOthers(payload, MEMBERS[kind], report)
  switch (kind) {
    case 'surfaceUpdate':
      return readSurfaceUpdate(payload, surfaceId, context)
    case 'dataModelUpdate':
      return readDataModelUpdate(payload, surfaceId, report)
    case 'beginRendering':
      return readBeginRendering(payload, surfaceId, report)
    default:
      return { kind, surfaceId }
  }
}

function readSurfaceUpdate(
  payload: Payload,
  surfaceId: string,
  { report, check }: Context,
): MessageDraft | null {
  const components = readMember(payload, 'components', report)
  if (components === undefined) return null
  report.path.push('components')
  const instances = readComponents(components, surfaceId, { report, check })
  report.path.pop()
  return instances === null ? null : { kind: 'surfaceUpdate', surfaceId, instances }
}

function readComponents(
  components: unknown,
  surfaceId: string,
  { report, check }: Context,
): Definition[] | null {
  if (!Array.isArray(components)) {
    report.must('invalid_type', 'an array')
    return null
  }
  if (components.length === 0) {
    report.must('invalid_value', 'at least one component', {
      severity: report.mode === 'tolerant' ? 'warning' : 'error',
    })
  }
  if (components.length > report.limits.componentsPerMessage) {
    report.exceeds('componentsPerMessage')
    return null
  }
  const instances: Definition[] = []
  for (let index = 0; index < components.length; index += 1) {
    report.path.push(index)
    const instance = readInstance(components[index], surfaceId, { report, check })
    report.path.pop()
    report.componentId = undefined
    if (instance === null) continue
    instance.position = index
    instances.push(instance)
  }
  return instances
}

function readDataModelUpdate(
  payload: Payload,
  surfaceId: string,
  report: Report,
): MessageDraft | null {
  const path = ownValue(payload, 'path')
  const segments = path === undefined ? [] : readSegments(path, report)
  const contents = readMember(payload, 'contents', report)
  if (contents === undefined) return null
  report.path.push('contents')
  const map = readEntries(contents, report, 0)
  report.path.pop()
  if (segments === null) return null
  return {
    kind: 'dataModelUpdate',
    surfaceId,
    path: typeof path === 'string' ? path : null,
    segments,
    contents: map,
  }
}

function readSegments(path: unknown, report: Report): readonly string[] | null {
  report.path.push('path')
  let segments: readonly string[] | null = null
  if (typeof path === 'string') segments = checkPath(path, report)?.segments ?? null
  else report.must('invalid_type', 'a string')
  report.path.pop()
  return segments
}

function readBeginRendering(
  payload: Payload,
  surfaceId: string,
  report: Report,
): MessageDraft | null {
  const root = readId(payload, 'root', report)
  const isNamed = ownValue(payload, 'catalogId') !== undefined
  const catalogId = isNamed ? readId(payload, 'catalogId', report) : null
  const sent = ownValue(payload, 'styles')
  let styles: JsonObject | null = null
  report.path.push('styles')
  if (isPlainObject(sent)) styles = copyObject(sent, report)
  else if (sent !== undefined) report.must('invalid_type', 'an object')
  report.path.pop()
  return { kind: 'beginRendering', surfaceId, root: root ?? NO_ID, catalogId, styles }
}
