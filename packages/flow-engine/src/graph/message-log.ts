import type { Runtime } from '@x/wire'
import type { MessageRecord, MessageService } from '../components/services.ts'
import type { RunEventData } from './run-event.ts'
import type { Secrets } from './secrets.ts'
import { messageToJson } from './values/message-json.ts'
import { changeMessage, type Message } from './values/message.ts'

/** Sends an event; the data is made when somebody reads it. */
export type SendEvent = <K extends keyof RunEventData>(
  event: K,
  data: () => RunEventData[K],
) => void

export interface MessageLogOptions {
  readonly service: MessageService
  readonly send: SendEvent
  readonly runtime: Runtime
  readonly secrets: Secrets
  readonly flowId: string
  /** "" = nothing is stored or sent for messages without a session of their own (FE-22). */
  readonly sessionId: string
  /** False once the run has ended: nothing is stored or sent any more. */
  readonly open: () => boolean
}

/** Messages of one run: stored, announced, and kept in their last state. */
export interface MessageLog {
  /** Stored by this run, in order, removed ones left out. */
  readonly records: ReadonlyMap<string, MessageRecord>
  /** Whether a message would be stored. */
  keeps(message: Message): boolean
  send(message: Message): Promise<Message>
  update(message: Message, options?: { readonly store?: boolean | undefined }): Promise<Message>
  remove(id: string): Promise<void>
  /** Writes the row without an event, also after the run was cancelled. */
  rewrite(message: Message): Promise<void>
  /** Removes the row and says so, also after the run was cancelled (FE-51). */
  withdraw(id: string): Promise<void>
}

export function createMessageLog(options: MessageLogOptions): MessageLog {
  const { service, send, runtime, secrets } = options
  const records = new Map<string, MessageRecord>()

  const complete = (message: Message): Message => {
    const id = message.id ?? runtime.uuid()
    return changeMessage(message, {
      id,
      sessionId: message.sessionId || options.sessionId,
      flowId: message.flowId ?? options.flowId,
      timestamp: records.get(id)?.timestamp ?? runtime.now(),
    })
  }

  const write = async (message: Message): Promise<void> => {
    const record = secrets.maskJson(toRecord(message))
    const known = records.has(record.id)
    records.set(record.id, record)
    await (known ? service.update(record) : service.add(record))
  }

  const announce = (message: Message): void => {
    if (options.open()) send('add_message', () => secrets.maskJson(messageToJson(message)))
  }

  const remove = async (id: string): Promise<void> => {
    if (!records.delete(id)) return
    await service.remove(id)
    send('remove_message', () => ({ id }))
  }

  const keeps = (message: Message): boolean => (message.sessionId || options.sessionId) !== ''

  return {
    records,
    keeps,
    async send(message) {
      if (!keeps(message) || !options.open()) return message
      const sent = complete(message)
      await write(sent)
      announce(sent)
      return sent
    },
    async update(message, { store = true } = {}) {
      if (!keeps(message) || !options.open()) return message
      const sent = complete(message)
      if (store) await write(sent)
      announce(sent)
      return sent
    },
    remove: (id) => (options.open() ? remove(id) : Promise.resolve()),
    rewrite: async (message) => {
      if (message.id !== undefined && records.has(message.id)) await write(message)
    },
    withdraw: remove,
  }
}

function toRecord(message: Message): MessageRecord {
  return {
    id: message.id ?? '',
    flowId: message.flowId,
    timestamp: message.timestamp,
    sender: message.sender,
    senderName: message.senderName,
    sessionId: message.sessionId,
    contextId: message.contextId,
    text: typeof message.text === 'string' ? message.text : '',
    files: message.files.map(pathOf),
    error: message.error,
    edit: message.edit,
    category: message.category,
    properties: message.properties,
    contentBlocks: [...message.contentBlocks],
    duration: message.duration,
  }
}

function pathOf(file: unknown): string {
  if (typeof file === 'string') return file
  const path: unknown =
    typeof file === 'object' && file !== null ? Reflect.get(file, 'path') : undefined
  return typeof path === 'string' ? path : ''
}
