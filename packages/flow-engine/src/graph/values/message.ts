import { createSystemRuntime } from '@x/wire'
import { branded, hasBrand } from './brand.ts'

/** A chat message on an edge; `data` contains additional keys. */
export interface Message {
  readonly kind: 'message'
  /** A stream while the model responds. */
  readonly text: string | AsyncIterable<string>
  readonly sender: string | null
  readonly senderName: string | null
  readonly sessionId: string
  readonly contextId: string
  readonly files: readonly unknown[]
  /** Present once the message has been sent. */
  readonly id?: string
  readonly flowId: string | null
  readonly timestamp: Date
  readonly error: boolean
  readonly edit: boolean
  readonly category: string
  /** Wire names; `defaultMessageProperties` overridden by the given values. */
  readonly properties: MessageProperties
  readonly contentBlocks: readonly object[]
  readonly duration: number | null
  readonly data: Readonly<Record<string, unknown>>
}

/** Wire names, passed through unchanged. */
export interface MessageProperties {
  readonly text_color: string | null
  readonly background_color: string | null
  readonly edited: boolean
  readonly source: MessageSource
  readonly icon: string | null
  readonly allow_markdown: boolean
  readonly positive_feedback: boolean | null
  readonly state: 'complete' | 'partial'
  readonly targets: readonly unknown[]
}

export interface MessageSource {
  readonly id: string | null
  readonly display_name: string | null
  readonly source: string | null
}

/** All optional. `files` may be a single value; falsy ones are ignored. */
export interface MessageInit {
  readonly text?: string | AsyncIterable<string> | null
  readonly sender?: string | null
  readonly senderName?: string | null
  readonly sessionId?: string | null
  readonly contextId?: string | null
  readonly files?: unknown
  readonly id?: string | undefined
  readonly flowId?: string | null
  readonly timestamp?: Date | undefined
  readonly error?: boolean
  readonly edit?: boolean
  readonly category?: string
  readonly properties?: object
  readonly contentBlocks?: readonly object[]
  readonly duration?: number | null
  readonly data?: Readonly<Record<string, unknown>>
}

const clock = createSystemRuntime()

/** Creates a message with its defaults. Default time: now. */
export function createMessage(init: string | AsyncIterable<string> | MessageInit): Message {
  const given: MessageInit = typeof init === 'string' || isStream(init) ? { text: init } : init
  return completed(given, messageProperties(given.properties))
}

/** A copy with the given fields replaced. */
export function changeMessage(message: Message, change: MessageInit): Message {
  const properties =
    change.properties === undefined ? message.properties : messageProperties(change.properties)
  return completed({ id: undefined, ...message, ...change }, properties)
}

function completed(given: MessageInit, properties: MessageProperties): Message {
  const message: { -readonly [Key in keyof Message]: Message[Key] } = {
    kind: 'message',
    text: given.text ?? '',
    sender: given.sender ?? null,
    senderName: given.senderName ?? null,
    sessionId: given.sessionId ?? '',
    contextId: given.contextId ?? '',
    files: readFiles(given.files),
    flowId: given.flowId ?? null,
    timestamp: given.timestamp ?? clock.now(),
    error: given.error ?? false,
    edit: given.edit ?? false,
    category: given.category ?? 'message',
    properties,
    contentBlocks: given.contentBlocks ?? [],
    duration: given.duration ?? null,
    data: given.data ?? {},
  }
  if (given.id !== undefined) message.id = given.id
  return branded(message)
}

export function isMessage(value: unknown): value is Message {
  return hasBrand(value, 'message')
}

export function isStream(value: unknown): value is AsyncIterable<string> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

/** The full text of a message; reads its stream if it has one. */
export async function readText(text: string | AsyncIterable<string>): Promise<string> {
  if (typeof text === 'string') return text
  let whole = ''
  for await (const chunk of text) whole += chunk
  return whole
}

function messageProperties(given: object | undefined): MessageProperties {
  return {
    text_color: null,
    background_color: null,
    edited: false,
    icon: null,
    allow_markdown: false,
    positive_feedback: null,
    state: 'complete',
    targets: [],
    ...given,
    source: {
      id: null,
      display_name: null,
      source: null,
      ...(given !== undefined && 'source' in given && typeof given.source === 'object'
        ? given.source
        : {}),
    },
  }
}

/** Falsy becomes [], a single value an array; entries `{path}` are reduced to the path. */
function readFiles(files: unknown): unknown[] {
  if (!files) return []
  const list: readonly unknown[] = Array.isArray(files) ? files : [files]
  return list.map((file) =>
    typeof file === 'object' && file !== null && 'path' in file && !('url' in file)
      ? file.path
      : file,
  )
}
