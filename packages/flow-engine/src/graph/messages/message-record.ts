import { createMessage, type Message } from '../values/message.ts'
import type { MessageRecord } from '../../components/define/services.ts'

/** Converts a stored row to a message. */
export function messageFromRecord(record: MessageRecord): Message {
  return createMessage(record)
}

/** Converts a message to a row; a text that is still streaming becomes "". */
export function messageToRecord(message: Message & { readonly id?: string }): MessageRecord {
  return {
    id: message.id ?? '',
    flowId: message.flowId,
    timestamp: message.timestamp,
    sender: message.sender,
    senderName: message.senderName,
    sessionId: message.sessionId,
    contextId: message.contextId,
    text: typeof message.text === 'string' ? message.text : '',
    files: message.files.flatMap(pathOf),
    error: message.error,
    edit: message.edit,
    category: message.category,
    properties: message.properties,
    contentBlocks: [...message.contentBlocks],
    duration: message.duration,
  }
}

function pathOf(file: unknown): string[] {
  if (typeof file === 'string') return [file]
  const path: unknown = typeof file === 'object' && file !== null ? Reflect.get(file, 'path') : null
  return typeof path === 'string' ? [path] : []
}
