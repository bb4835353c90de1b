import type { CatalogCore } from '../catalog/catalog.ts'
import { quote } from '../errors.ts'
import { isPlainObject, type JsonObject } from '../json.ts'
import type { DataMap } from '../store/data-value.ts'
import type { Definition } from '../store/definition.ts'
import { checkPath } from './check-path.ts'
import { copyObject } from './copy-json.ts'
import { readEntries } from './read-entries.ts'
import { readInstance } from './read-instance.ts'
import type { Report } from './report.ts'
import { detectVersion } from './version.ts'

/** A message that was read: copied, and free of what 0.8 does not know. */
export type MessageDraft =
  | {
      readonly kind: 'beginRendering'
      readonly surfaceId: string
      readonly root: string
      readonly catalogId: string | null
      /** Null when there are none. */
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
      /** As it was sent; null when there is none. */
      readonly path: string | null
      readonly segments: readonly string[]
      readonly contents: DataMap
    }
  | { readonly kind: 'deleteSurface'; readonly surfaceId: string }

/**
 * Checks one component at the current place of the report and names the catalog that is in force
 * for it; null when there is none.
 */
export type ComponentCheck = (
  surfaceId: string | null,
  type: string,
  component: { readonly properties: Record<string, unknown>; readonly report: Report },
) => CatalogCore | null

type Payload = Record<string, unknown>
type Kind = MessageDraft['kind']

/**
 * Reads a message (SP-5 to SP-11a). The draft is only to be used when the report counts no error;
 * null when the message has no readable payload.
 */
export function readMessage(
  value: unknown,
  report: Report,
  check: ComponentCheck,
): MessageDraft | null {
  if (!isPlainObject(value)) {
    report.add('malformed_message', 'A message is a JSON object.')
    return null
  }
  const kind = readEnvelope(value, report)
  if (kind === null) return null
  const payload = value[kind]
  let draft: MessageDraft | null = null
  report.path.push(kind)
  if (isPlainObject(payload)) draft = readPayload(kind, payload, { report, check })
  else report.add('invalid_type', `The payload of ${kind} is an object.`)
  report.path.pop()
  return draft
}

function isKind(key: string): key is Kind {
  return (
    key === 'surfaceUpdate' ||
    key === 'dataModelUpdate' ||
    key === 'beginRendering' ||
    key === 'deleteSurface'
  )
}

/** The one message key of an envelope; null after a report when there is none (SP-5 to SP-7). */
function readEnvelope(value: Payload, report: Report): Kind | null {
  const keys = Object.keys(value)
  const [only] = keys
  if (keys.length === 1 && only !== undefined && isKind(only) && value[only] !== undefined) {
    return only
  }
  const foreign = detectVersion(value)
  if (foreign !== null) {
    report.add('unsupported_version', `This is a message of version ${quote(foreign.version)}.`, {
      at: [foreign.key],
    })
    return null
  }
  const kinds = keys.filter((key) => value[key] !== undefined && isKind(key))
  const [kind] = kinds
  if (kinds.length !== 1 || kind === undefined || !isKind(kind)) {
    report.add('malformed_message', 'A message holds exactly one of the four message keys.')
    return null
  }
  for (const key of keys) {
    if (key === kind || value[key] === undefined) continue
    if (key === 'version' && typeof value.version === 'string') continue
    report.add('unknown_key', `A message has no key ${quote(key)}.`, { at: [key] })
  }
  return kind
}

interface Context {
  readonly report: Report
  readonly check: ComponentCheck
}

function readPayload(kind: Kind, payload: Payload, context: Context): MessageDraft | null {
  const { report } = context
  const surfaceId = readId(payload, 'surfaceId', report)
  if (surfaceId !== null) report.surfaceId = surfaceId
  switch (kind) {
    case 'surfaceUpdate':
      return readSurfaceUpdate(payload, surfaceId, context)
    case 'dataModelUpdate':
      return readDataModelUpdate(payload, surfaceId, report)
    case 'beginRendering':
      return readBeginRendering(payload, surfaceId, report)
    default:
      refuseOthers(payload, [], report)
      return surfaceId === null ? null : { kind, surfaceId }
  }
}

function readSurfaceUpdate(
  payload: Payload,
  surfaceId: string | null,
  { report, check }: Context,
): MessageDraft | null {
  refuseOthers(payload, ['components'], report)
  const components = memberOf(payload, 'components', report)
  if (components === undefined) return null
  report.path.push('components')
  const instances = readComponents(components, surfaceId, { report, check })
  report.path.pop()
  if (surfaceId === null || instances === null) return null
  return { kind: 'surfaceUpdate', surfaceId, instances }
}

function readComponents(
  components: unknown,
  surfaceId: string | null,
  { report, check }: Context,
): Definition[] | null {
  if (!Array.isArray(components)) {
    report.add('invalid_type', 'Components are an array.')
    return null
  }
  if (components.length === 0) {
    const tolerant = report.mode === 'tolerant'
    report.add('invalid_value', 'At least one component is expected.', {
      severity: tolerant ? 'warning' : 'error',
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
  surfaceId: string | null,
  report: Report,
): MessageDraft | null {
  refuseOthers(payload, ['path', 'contents'], report)
  const path = isAbsent(payload, 'path') ? null : payload.path
  const segments = path === null ? [] : readSegments(path, report)
  const contents = memberOf(payload, 'contents', report)
  if (contents === undefined) return null
  report.path.push('contents')
  const map = readEntries(contents, report, 0)
  report.path.pop()
  if (surfaceId === null || segments === null) return null
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
  else report.add('invalid_type', 'A path is a string.')
  report.path.pop()
  return segments
}

function readBeginRendering(
  payload: Payload,
  surfaceId: string | null,
  report: Report,
): MessageDraft | null {
  refuseOthers(payload, ['root', 'catalogId', 'styles'], report)
  const root = readId(payload, 'root', report)
  const catalogId = isAbsent(payload, 'catalogId') ? null : readId(payload, 'catalogId', report)
  let styles: JsonObject | null = null
  if (!isAbsent(payload, 'styles')) {
    report.path.push('styles')
    if (isPlainObject(payload.styles)) styles = copyObject(payload.styles, report)
    else report.add('invalid_type', 'Styles are an object.')
    report.path.pop()
  }
  if (surfaceId === null || root === null) return null
  return { kind: 'beginRendering', surfaceId, root, catalogId, styles }
}

/** A required string that is neither empty nor too long. */
function readId(payload: Payload, name: string, report: Report): string | null {
  const value = memberOf(payload, name, report)
  if (value === undefined) return null
  if (typeof value !== 'string') {
    report.add('invalid_type', `The field ${name} is a string.`, { at: [name] })
  } else if (value === '') {
    report.add('invalid_value', `The field ${name} may not be empty.`, { at: [name] })
  } else if (value.length > report.limits.idLength) report.exceeds('idLength', { at: [name] })
  else return value
  return null
}

function memberOf(payload: Payload, name: string, report: Report): unknown {
  const value = Object.hasOwn(payload, name) ? payload[name] : undefined
  if (value === undefined) {
    report.add('missing_field', `The field ${name} is required.`, { at: [name] })
  }
  return value
}

function isAbsent(payload: Payload, name: string): boolean {
  return !Object.hasOwn(payload, name) || payload[name] === undefined
}

function refuseOthers(payload: Payload, known: readonly string[], report: Report): void {
  for (const key of Object.keys(payload)) {
    if (key === 'surfaceId' || known.includes(key) || payload[key] === undefined) continue
    report.add('unknown_key', `The payload has no field ${quote(key)}.`, { at: [key] })
  }
}
