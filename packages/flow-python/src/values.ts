import { isObject, encodeBase64 } from '@x/wire'
import type { FileReference } from '@x/flow-engine'
import { isVariableValue } from '@x/flow-engine/internal'
import { isChatModel, isEmbedder, isTool } from '@x/flow-engine/models'
import type { Tool } from '@x/flow-engine'
import { createData, isData } from '@x/flow-engine'
import { createDataFrame, isDataFrame } from '@x/flow-engine'
import { isMessage } from '@x/flow-engine'
import { readText } from '@x/flow-engine/internal'
import { messageToFields } from '@x/flow-engine/internal'
import { readMessage } from '@x/flow-engine/internal'

/** A file placed in the interpreter's file system. */
export interface PlacedFile {
  readonly path: string
  /** Content as base64. */
  readonly content: string
}

const FILES = '/tmp/files/'
const DEEPEST = 500

/**
 * Encodes values for Python: JSON with type tags, files listed separately, host objects replaced by handles.
 */
export class OutgoingValues {
  readonly files: PlacedFile[] = []
  /** Models, embedders and tools that Python refers to by number. */
  readonly handles: unknown[] = []

  /** @throws Error when a file cannot be read */
  async encode(value: unknown): Promise<unknown> {
    if (value === null || value === undefined) return null
    if (typeof value === 'bigint') return { $: 'int', text: value.toString() }
    if (typeof value === 'function' || typeof value === 'symbol') return null
    if (typeof value !== 'object') return value
    if (isMessage(value)) return this.#message(value)
    if (isData(value)) {
      const data = await this.encode(value.data)
      return { $: 'data', data, text_key: value.textKey, default_value: value.defaultValue }
    }
    if (isDataFrame(value)) {
      const rows = await Promise.all(value.rows.map((row) => this.encode(row)))
      return { $: 'frame', columns: [...value.columns], rows }
    }
    if (isVariableValue(value)) return value.origin === 'environment' ? null : value.value
    if (value instanceof Date) return value.toISOString()
    if (value instanceof Uint8Array) return encodeBase64(value)
    if (Array.isArray(value)) return Promise.all(value.map((item) => this.encode(item)))
    if (isFile(value)) return this.#file(value)
    const kind = kindOfHandle(value)
    if (kind !== undefined) return this.#handle(kind, value)
    return this.#object(value)
  }

  async #message(message: Parameters<typeof messageToFields>[0]): Promise<unknown> {
    const { timestamp, ...fields } = messageToFields(message)
    const text = typeof message.text === 'string' ? message.text : await readText(message.text)
    const inner = await this.#object({ ...fields, text, timestamp }, false)
    return { $: 'message', fields: inner }
  }

  async #object(value: object, mark = true): Promise<unknown> {
    const items: [string, unknown][] = []
    for (const [key, item] of Object.entries(value)) items.push([key, await this.encode(item)])
    if (mark && items.some(([key]) => key === '$')) return { $: 'dict', items }
    return Object.fromEntries(items)
  }

  async #file(file: FileReference): Promise<string> {
    const name = file.name.replaceAll(/[/\\\0]/g, '_')
    const taken = this.files.some(({ path }) => path === FILES + name)
    const path = taken ? `${FILES}${this.files.length}/${name}` : FILES + name
    this.files.push({ path, content: encodeBase64(await file.read()) })
    return path
  }

  #handle(kind: string, value: object): unknown {
    const id = this.handles.push(value) - 1
    const { name, description, parameters } = value as Partial<Record<keyof Tool, unknown>>
    const facts = {
      name: textOrNull(name),
      description: textOrNull(description),
      ...(isObject(parameters) ? { parameters } : {}),
    }
    return { $: 'handle', id, kind, ...facts }
  }
}

/**
 * Decodes a Python value to a value for an edge.
 * @param handles host objects by their number
 * @throws TypeError for a value that is nested too deeply
 */
export function decodePythonValue(value: unknown, handles: readonly unknown[], depth = 0): unknown {
  if (depth > DEEPEST) throw new TypeError('The value is nested too deeply')
  const inner = (item: unknown): unknown => decodePythonValue(item, handles, depth + 1)
  if (Array.isArray(value)) return value.map(inner)
  if (!isObject(value)) return value
  const { $: kind, ...rest } = value
  if (kind === 'message') return readMessage(entriesOf(rest['fields'], inner))
  if (kind === 'data') {
    return createData(entriesOf(rest['data'], inner), {
      textKey: typeof rest['text_key'] === 'string' ? rest['text_key'] : 'text',
      defaultValue: typeof rest['default_value'] === 'string' ? rest['default_value'] : '',
    })
  }
  if (kind === 'frame') {
    const { columns, rows } = rest
    const names = Array.isArray(columns) ? columns.map(String) : []
    const list = Array.isArray(rows) ? rows.map((row) => entriesOf(row, inner)) : []
    return createDataFrame(list, names)
  }
  if (kind === 'handle') return handles[Number(rest['id'])] ?? null
  if (kind === 'dict' && Array.isArray(rest['items'])) {
    const items = rest['items'].filter(Array.isArray) as [string, unknown][]
    return Object.fromEntries(items.map(([key, item]) => [key, inner(item)]))
  }
  return entriesOf(value, inner)
}

function entriesOf(value: unknown, inner: (item: unknown) => unknown): Record<string, unknown> {
  if (!isObject(value)) return {}
  if (value['$'] === 'dict') return inner(value) as Record<string, unknown>
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inner(item)]))
}

function isFile(value: object): value is FileReference {
  const { path, name, read } = value as Partial<FileReference>
  return typeof path === 'string' && typeof name === 'string' && typeof read === 'function'
}

function kindOfHandle(value: object): 'model' | 'embeddings' | 'tool' | undefined {
  if (isTool(value)) return 'tool'
  if (isEmbedder(value)) return 'embeddings'
  return isChatModel(value) ? 'model' : undefined
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
