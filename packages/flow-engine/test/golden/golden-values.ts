import type { Embedder, Tool } from '../../src/models/chat-model.ts'
import type { Component } from '../../src/components/define/component.ts'
import type { ComponentServices } from '../../src/components/define/services.ts'
import { createData, isData } from '../../src/graph/values/data.ts'
import { cellOf, createDataFrame, isDataFrame } from '../../src/graph/values/data-frame.ts'
import { isMessage, type Message } from '../../src/graph/values/message.ts'
import { readMessage } from '../../src/graph/values/read-message.ts'
import { testComponent } from '../../src/testing/test-component.ts'

export interface DecodeOptions {
  readonly dir: string
  readonly components: ReadonlyMap<string, Component>
  readonly services: ComponentServices
  addMcpServer(server: Record<string, unknown>): unknown
}

/** A recorded value as the component gets it. */
export async function decode(value: unknown, options: DecodeOptions): Promise<unknown> {
  if (typeof value === 'string') return value.replaceAll('{dir}', options.dir)
  if (Array.isArray(value)) {
    const items = await Promise.all(value.map((item) => decode(item, options)))
    return items.flatMap((item, index) =>
      (value[index] as { $type?: string } | null)?.$type === 'Tools' ? (item as unknown[]) : [item],
    )
  }
  if (typeof value !== 'object' || value === null) return value
  const entry = value as Record<string, unknown>
  return typeof entry.$type === 'string'
    ? decodeTyped(entry, options)
    : decodeObject(entry, options)
}

async function decodeObject(
  entry: Record<string, unknown>,
  options: DecodeOptions,
): Promise<Record<string, unknown>> {
  const pairs = Object.entries(entry).map(
    async ([key, item]) => [key, await decode(item, options)] as const,
  )
  return Object.fromEntries(await Promise.all(pairs))
}

async function decodeTyped(
  { $type, ...entry }: Record<string, unknown>,
  options: DecodeOptions,
): Promise<unknown> {
  const made = async (output: string) => {
    const component = options.components.get(String(entry.component))
    if (component === undefined) throw new Error(`No component ${String(entry.component)}`)
    const inputs = (await decode(entry.inputs ?? {}, options)) as Record<string, unknown>
    return (await testComponent(component, { inputs, output, services: options.services })).value
  }
  switch ($type) {
    case 'Message': {
      const { extra, ...fields } = entry
      return readMessage({ ...fields, ...(extra as object | undefined) })
    }
    case 'Data':
      return createData((await decode(entry.data, options)) as Record<string, unknown>, {
        ...(typeof entry.text_key === 'string' ? { textKey: entry.text_key } : {}),
        ...(typeof entry.default_value === 'string' ? { defaultValue: entry.default_value } : {}),
      })
    case 'DataFrame':
      return createDataFrame(
        (await decode(entry.rows, options)) as Record<string, unknown>[],
        entry.columns as string[] | undefined,
      )
    case 'File':
      return `${options.dir}/${String(entry.name)}`
    case 'McpServer':
      return options.addMcpServer(entry)
    case 'Infinity':
      return Number(entry.sign) * Infinity
    case 'Bytes':
      return new TextEncoder().encode(String(entry.utf8))
    case 'LanguageModel':
      return made('model_output')
    case 'Embeddings':
      return entry.vectors === undefined
        ? made('embeddings')
        : tableEmbedder(entry.vectors as Record<string, number[]>)
    case 'Tools':
      return made('component_as_tool')
    default:
      throw new Error(`Unknown value ${String($type)}`)
  }
}

function tableEmbedder(vectors: Record<string, number[]>): Embedder {
  return { embed: async (texts) => texts.map((text) => vectors[text] ?? vectors['*'] ?? []) }
}

/** A value in the recorded form: fields with default values, times, ids and durations left out. */
export function encode(value: unknown): unknown {
  if (value === undefined) return null
  if (typeof value === 'number' && !Number.isFinite(value)) {
    return { $type: 'Infinity', sign: Math.sign(value) }
  }
  if (typeof value !== 'object' || value === null) return value
  if (isMessage(value)) return encodeMessage(value)
  if (isData(value)) {
    return {
      $type: 'Data',
      data: encodeObject(value.data),
      ...(value.textKey === 'text' ? {} : { text_key: value.textKey }),
      ...(value.defaultValue === '' ? {} : { default_value: value.defaultValue }),
    }
  }
  if (isDataFrame(value)) {
    const { columns, rows } = value
    const cells = rows.map((row) =>
      Object.fromEntries(columns.map((name) => [name, encode(cellOf(row, name))])),
    )
    return { $type: 'DataFrame', columns: [...columns], rows: cells }
  }
  if (Array.isArray(value)) return value.map(encode)
  if (value instanceof Uint8Array) {
    return { $type: 'Bytes', utf8: new TextDecoder().decode(value) }
  }
  return 'parameters' in value && 'call' in value
    ? encodeTool(value as Tool)
    : encodeObject(value as Record<string, unknown>)
}

function encodeObject(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, encode(item)]))
}

function encodeTool(tool: Tool): object {
  const { properties = {}, required = [] } = tool.parameters as {
    properties?: Record<string, Record<string, unknown>>
    required?: string[]
  }
  const args = Object.entries(properties).map(([name, schema]) => {
    const { title: _title, description: _description, ...rest } = schema
    return [name, rest]
  })
  return {
    $type: 'Tool',
    name: tool.name,
    tags: tool.tags,
    args: Object.fromEntries(args),
    required,
  }
}

const DEFAULT_PROPERTIES: Record<string, unknown> = {
  text_color: null,
  background_color: null,
  edited: false,
  icon: null,
  allow_markdown: false,
  positive_feedback: null,
  state: 'complete',
}

function encodeMessage(message: Message): object {
  const properties = Object.entries(message.properties).filter(
    ([key, item]) => key !== 'source' && key !== 'targets' && DEFAULT_PROPERTIES[key] !== item,
  )
  const { id: _id, ...extra } = message.data
  return {
    $type: 'Message',
    text: message.text,
    ...given('sender', message.sender, null),
    ...given('sender_name', message.senderName, null),
    ...given('session_id', message.sessionId, ''),
    ...given('context_id', message.contextId, ''),
    ...(message.files.length === 0 ? {} : { files: message.files }),
    ...given('error', message.error, false),
    ...given('edit', message.edit, false),
    ...given('category', message.category, 'message'),
    ...(properties.length === 0 ? {} : { properties: Object.fromEntries(properties) }),
    ...(message.contentBlocks.length === 0
      ? {}
      : { content_blocks: message.contentBlocks.map(withoutDurations) }),
    ...(Object.keys(extra).length === 0 ? {} : { extra: encodeObject(extra) }),
  }
}

function given(key: string, value: unknown, usual: unknown): object {
  return value === usual || (value === null && usual === '') ? {} : { [key]: value }
}

function withoutDurations(block: object): object {
  return JSON.parse(
    JSON.stringify(block, (key, value: unknown) => (key === 'duration' ? undefined : value)),
  ) as object
}
