import type { Message } from './message.ts'

/** A message in the `add_message` event, with wire names. */
export interface MessageJson {
  id?: string
  flow_id: string | null
  timestamp: string
  sender: string | null
  sender_name: string | null
  session_id: string
  context_id: string | null
  text: string
  files: unknown[]
  error: boolean
  edit: boolean
  properties: object
  category: string
  content_blocks: readonly object[]
  duration: number | null
}

/** The fields of a message with wire names, plus its additional keys. A stream becomes "". */
export function messageToFields(message: Message): Record<string, unknown> {
  const json: object = messageToJson(message)
  return Object.keys(message.data).length === 0 ? { ...json } : { ...message.data, ...json }
}

/** The key order is visible in strings made from a message: that of the stored row, else that of creation. */
export function messageToJson(message: Message): MessageJson {
  return message.id === undefined ? freshJson(message) : storedJson(message, message.id)
}

function storedJson(message: Message, id: string): MessageJson {
  return {
    timestamp: formatTimestamp(message.timestamp),
    sender: message.sender,
    sender_name: message.senderName,
    session_id: message.sessionId,
    context_id: message.contextId,
    text: plainText(message),
    files: [...message.files],
    error: message.error,
    edit: message.edit,
    properties: message.properties,
    category: message.category,
    content_blocks: message.contentBlocks,
    id,
    flow_id: message.flowId,
    duration: message.duration,
  }
}

function freshJson(message: Message): MessageJson {
  const { sender, senderName } = message
  return {
    text: plainText(message),
    ...(sender === null ? {} : { sender }),
    ...(senderName === null ? {} : { sender_name: senderName }),
    files: [...message.files],
    sender,
    sender_name: senderName,
    session_id: message.sessionId,
    context_id: message.contextId,
    timestamp: formatTimestamp(message.timestamp),
    flow_id: message.flowId,
    error: message.error,
    edit: message.edit,
    properties: message.properties,
    category: message.category,
    content_blocks: message.contentBlocks,
    duration: message.duration,
  }
}

function plainText({ text }: Message): string {
  return typeof text === 'string' ? text : ''
}

/** `YYYY-MM-DD HH:MM:SS UTC`. */
export function formatTimestamp(date: Date): string {
  return textOf(date).plain
}

/** ISO 8601 with seconds and offset, as messages carry it beside `data`. */
export function formatIsoTimestamp(date: Date): string {
  return textOf(date).iso
}

/** Caches the last formatted second: most messages of a run share one. */
let last = { second: NaN, plain: '', iso: '' }

function textOf(date: Date): typeof last {
  const second = Math.floor(date.getTime() / 1000)
  if (second !== last.second) {
    const text = date.toISOString().slice(0, 19)
    last = { second, plain: `${text.replace('T', ' ')} UTC`, iso: `${text}+00:00` }
  }
  return last
}
