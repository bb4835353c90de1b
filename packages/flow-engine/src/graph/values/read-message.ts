import { createMessage, type Message, type MessageInit } from './message.ts'

const FIELDS = new Map<string, keyof MessageInit>([
  ['text', 'text'],
  ['sender', 'sender'],
  ['sender_name', 'senderName'],
  ['session_id', 'sessionId'],
  ['context_id', 'contextId'],
  ['files', 'files'],
  ['id', 'id'],
  ['flow_id', 'flowId'],
  ['error', 'error'],
  ['edit', 'edit'],
  ['category', 'category'],
  ['properties', 'properties'],
  ['content_blocks', 'contentBlocks'],
  ['duration', 'duration'],
])

const KINDS = new Map<string, 'string' | 'boolean' | 'number' | 'object'>([
  ['text', 'string'],
  ['sender', 'string'],
  ['sender_name', 'string'],
  ['session_id', 'string'],
  ['context_id', 'string'],
  ['id', 'string'],
  ['flow_id', 'string'],
  ['error', 'boolean'],
  ['edit', 'boolean'],
  ['category', 'string'],
  ['properties', 'object'],
  ['content_blocks', 'object'],
  ['duration', 'number'],
])

/**
 * Reads a message from an object with wire names; unknown keys and values of the wrong type go into `data`.
 */
export function readMessage(fields: Readonly<Record<string, unknown>>): Message {
  const init: Record<string, unknown> = {}
  const data: [string, unknown][] = []
  for (const [key, value] of Object.entries(fields)) {
    const name = FIELDS.get(key)
    const kind = KINDS.get(key)
    const wellFormed = key !== 'content_blocks' || Array.isArray(value)
    const fits = value === null || kind === undefined || (typeof value === kind && wellFormed)
    if (key === 'timestamp') init.timestamp = readTimestamp(value)
    else if (name === undefined || !fits) data.push([key, value])
    else if (value !== null) init[name] = value
  }
  return createMessage({ ...(init as MessageInit), data: Object.fromEntries(data) })
}

/** Parses `YYYY-MM-DD HH:MM:SS UTC`, ISO 8601, or a Date; undefined for anything else. */
function readTimestamp(value: unknown): Date | undefined {
  if (value instanceof Date) return value
  if (typeof value !== 'string') return undefined
  const iso = value.trim().replace(/ UTC$/, 'Z').replace(' ', 'T')
  const date = new Date(/(Z|[+-]\d\d:?\d\d)$/.test(iso) ? iso : `${iso}Z`)
  return Number.isNaN(date.getTime()) ? undefined : date
}
