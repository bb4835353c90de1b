import type { Message } from './message.ts'

/** A message in the `add_message` event, in wire spelling (events.md 2.2). */
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

/** The fields of a message in wire spelling, its further keys beside them. A stream is "" (CO-1). */
export function messageFields(message: Message): Record<string, unknown> {
  return { ...message.data, ...messageToJson(message) }
}

export function messageToJson(message: Message): MessageJson {
  return {
    text: typeof message.text === 'string' ? message.text : '',
    sender: message.sender,
    sender_name: message.senderName,
    files: [...message.files],
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
    ...(message.id === undefined ? {} : { id: message.id }),
  }
}

/** `YYYY-MM-DD HH:MM:SS UTC`. */
export function formatTimestamp(date: Date): string {
  return `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

/** ISO with seconds and offset, as messages carry it beside `data` (results.md 3). */
export function formatIsoTimestamp(date: Date): string {
  return `${date.toISOString().slice(0, 19)}+00:00`
}
