import { isObject } from '@x/wire'
import { FlowError } from '../../errors.ts'
import { own, ownObject, ownText, texts, type PlainObject } from './plain-object.ts'

/** The end of an edge at an output (FE-5). */
export interface SourceHandle {
  readonly dataType: string
  readonly id: string
  /** Absent in handles of flows older than 1.0: the source's first output. */
  readonly name?: string
  readonly output_types: readonly string[]
}

/** The end of an edge at a field. */
export interface TargetHandle {
  readonly fieldName: string
  readonly id: string
  /** null or absent: the field's `type` decides (FE-6). */
  readonly inputTypes?: readonly string[] | null
  readonly type: string
  /** The inner field of an edge into a group (FE-7). */
  readonly proxy?: { readonly id: string; readonly field: string }
}

export type Handle = SourceHandle | TargetHandle

/**
 * Reads a handle string: JSON with every `"` written `œ`, or the form of flows older than 1.0.
 * @throws FlowError malformed_handle
 */
export function parseHandle(text: string): Handle {
  const handle = text.trimStart().startsWith('{') ? readJson(text) : readOldForm(text)
  if (handle === undefined) {
    throw new FlowError('malformed_handle', `Malformed handle: ${text.slice(0, 200)}`)
  }
  return handle
}

/** The editor's own text of a handle: keys in alphabetical order, no blanks, `"` written `œ`. */
export function formatHandle(handle: Handle): string {
  return formatValue(handle).replaceAll('"', 'œ')
}

export function isSourceHandle(handle: Handle): handle is SourceHandle {
  return !('fieldName' in handle)
}

/** A handle from the object in an edge's `data`; undefined if it is not a handle. */
export function readHandle(value: unknown): Handle | undefined {
  if (!isObject(value)) return undefined
  const fieldName = ownText(value, 'fieldName')
  return fieldName === undefined ? readSource(value) : readTarget(value, fieldName)
}

function readSource(value: PlainObject): SourceHandle | undefined {
  const name = ownText(value, 'name')
  if (name === undefined) return undefined
  return {
    ...value,
    dataType: ownText(value, 'dataType') ?? '',
    id: ownText(value, 'id') ?? '',
    name,
    output_types: texts(own(value, 'output_types')),
  }
}

function readTarget(value: PlainObject, fieldName: string): TargetHandle {
  const inputTypes = own(value, 'inputTypes')
  const proxy = ownObject(value, 'proxy')
  const id = ownText(value, 'id') ?? ''
  const type = ownText(value, 'type') ?? ''
  if (Array.isArray(inputTypes) && !Object.hasOwn(value, 'proxy')) {
    return { ...value, fieldName, id, inputTypes: texts(inputTypes), type }
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
  return Array.isArray(value) ? texts(value) : null
}

function readJson(text: string): Handle | undefined {
  try {
    return readHandle(JSON.parse(text.replaceAll('œ', '"')))
  } catch {
    return undefined
  }
}

/** `type|node id|types...` at a source, `type|field|node id` at a target; told apart by the node id's form. */
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
