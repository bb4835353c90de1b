import { isObject, own, ownObject, ownText, textsIn, type PlainObject } from '@x/wire'
import { FlowError } from '../../errors.ts'

/** The output end of an edge. */
export interface SourceHandle {
  readonly dataType: string
  readonly id: string
  /** Absent in flows older than 1.0, which mean the source's first output. */
  readonly name?: string
  readonly output_types: readonly string[]
}

/** The field end of an edge. */
export interface TargetHandle {
  readonly fieldName: string
  readonly id: string
  /** If null or absent, the field's `type` decides. */
  readonly inputTypes?: readonly string[] | null
  readonly type: string
  /** For an edge into a group: the inner field. */
  readonly proxy?: { readonly id: string; readonly field: string }
}

export type Handle = SourceHandle | TargetHandle

/**
 * Parses a handle string: JSON with `"` written as `œ`, or the format of flows older than 1.0.
 * @throws FlowError `malformed_handle`
 */
export function parseHandle(text: string): Handle {
  const handle = text.trimStart().startsWith('{') ? readJson(text) : readOldForm(text)
  if (handle === undefined) {
    throw new FlowError('malformed_handle', `Malformed handle: ${text.slice(0, 200)}`)
  }
  return handle
}

/** Serialises a handle as the editor does: keys in alphabetical order, no whitespace, `"` written as `œ`. */
export function formatHandle(handle: Handle): string {
  return formatValue(handle).replaceAll('"', 'œ')
}

export function isSourceHandle(handle: Handle): handle is SourceHandle {
  return !('fieldName' in handle)
}

/** Reads a handle from an edge's `data`; undefined if the value is not a handle. */
export function readHandle(value: unknown): Handle | undefined {
  if (!isObject(value)) return undefined
  const fieldName = ownText(value, 'fieldName')
  return fieldName === undefined ? readSource(value) : readTarget(value, fieldName)
}

function readSource(value: PlainObject): SourceHandle | undefined {
  const name = ownText(value, 'name')
  const dataType = ownText(value, 'dataType') ?? ''
  const id = ownText(value, 'id') ?? ''
  if (name !== undefined)
    return { ...value, dataType, id, name, output_types: textsIn(own(value, 'output_types')) }
  // The last versions before 1.0 name the types only.
  const types = own(value, 'baseClasses')
  return Array.isArray(types) ? { dataType, id, output_types: textsIn(types) } : undefined
}

function readTarget(value: PlainObject, fieldName: string): TargetHandle {
  const inputTypes = own(value, 'inputTypes')
  const proxy = ownObject(value, 'proxy')
  const id = ownText(value, 'id') ?? ''
  const type = ownText(value, 'type') ?? ''
  if (Array.isArray(inputTypes) && !Object.hasOwn(value, 'proxy')) {
    return { ...value, fieldName, id, inputTypes: textsIn(inputTypes), type }
  }
  const inner = { id: ownText(proxy ?? {}, 'id'), field: ownText(proxy ?? {}, 'field') }
  const { proxy: _, inputTypes: __, ...rest } = value
  return {
    ...rest,
    fieldName,
    id,
    ...(inputTypes === undefined ? {} : { inputTypes: listOrNull(inputTypes) }),
    type,
    ...(inner.id === undefined || inner.field === undefined
      ? {}
      : { proxy: { id: inner.id, field: inner.field } }),
  }
}

function listOrNull(value: unknown): readonly string[] | null {
  return Array.isArray(value) ? textsIn(value) : null
}

function readJson(text: string): Handle | undefined {
  try {
    return readHandle(JSON.parse(text.replaceAll('œ', '"')))
  } catch {
    return undefined
  }
}

/**
 * `type|node id|types...` for a source, `type|field|node id` for a target; distinguished by the format of the
 * node id.
 */
function readOldForm(text: string): Handle | undefined {
  const parts = text.split('|')
  const [type = '', second = '', third = ''] = parts
  if (parts.length < 2 || text.includes('œ') || text.includes('"')) return undefined
  const endsInNode = parts.length === 3 && third.includes('-') && !second.includes('-')
  if (endsInNode) return { fieldName: second, id: third, type }
  return { dataType: type, id: second, output_types: parts.slice(2) }
}

function formatValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatValue).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value) ?? 'null'
  const entries = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${formatValue(value[key])}`)
  return `{${entries.join(',')}}`
}
