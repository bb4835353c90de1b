import { messageToRecord } from './message-record.ts'
import { type Runtime, orderedId } from '@x/wire'
import type { MessageRecord, MessageService } from '../../components/define/services.ts'
import { checkEventSize, fitsWithoutMeasuring } from '../events/event-size.ts'
import type { RunLimits } from '../plan/limits.ts'
import type { MessageJson, RunEventData } from '../events/run-event.ts'
import type { Secrets } from '../events/secrets.ts'
import { messageToJson } from '../values/message-json.ts'
import { jsonSafe } from '../values/json-safe.ts'
import { changeMessage, type Message, type MessageInit } from '../values/message.ts'
import { valueBytes } from '../values/value-size.ts'

/** Sends an event; its data is computed on first access. */
export type SendEvent = <K extends keyof RunEventData>(
  event: K,
  make: () => RunEventData[K],
  /** The sender. */
  vertexId?: string,
) => void

export interface MessageLogOptions {
  readonly service: MessageService
  readonly send: SendEvent
  readonly runtime: Runtime
  readonly secrets: Secrets
  readonly limits: Pick<RunLimits, 'eventBytes'>
  readonly flowId: string
  /** "" means that messages without their own session are neither stored nor sent. */
  readonly sessionId: string
  /** False once the run has ended; nothing more is stored or sent. */
  readonly open: () => boolean
}

/** The messages of one run: stores and announces them, and tracks their current state. */
export interface MessageLog {
  /** Messages stored by this run, in order, without removed ones. */
  readonly records: ReadonlyMap<string, MessageRecord>
  /** Registers messages stored by child runs: sending them again updates them instead of adding new ones. */
  adopt(messages: Iterable<MessageRecord>): void
  /** True if a message would be stored. */
  keeps(message: Message): boolean
  send(message: Message, vertexId?: string): Promise<Message>
  update(
    message: Message,
    options?: { readonly store?: boolean | undefined; readonly vertexId?: string | undefined },
  ): Promise<Message>
  /**
   * Stores a message that has its own time and id.
   * @param stored true if an earlier run of the job has stored it
   */
  place(message: Message, stored: boolean): Promise<void>
  remove(id: string): Promise<void>
  /** Removes the row and announces it, even after the run was cancelled. */
  withdraw(id: string): Promise<void>
  /** Withdraws messages that an earlier run of the job has announced. */
  retract(ids: readonly string[]): Promise<void>
  /** Adds a chunk to a message that was sent as partial. `sent`: the chunk was also sent as a token. */
  chunk(id: string, text: string, sent: boolean): void
  /** The full text of a streamed message is known; a chat output will send it. */
  finished(message: Message): void
  /** Stores and announces a failure, even after the run was stopped. */
  fail(message: Message): Promise<void>
  /**
   * Called when the run is over. Stores streamed texts that no chat output has sent; interrupted messages
   * keep the text received so far, and rows without text are removed.
   */
  settle(): Promise<void>
}

interface PartialMessage {
  message: Message
  chunks: string[]
  /** True if some chunks were sent. */
  shown: boolean
  finished: boolean
}

export function createMessageLog(options: MessageLogOptions): MessageLog {
  const { service, send, runtime, secrets } = options
  const records = new Map<string, MessageRecord>()
  const adopted = new Map<string, MessageRecord>()
  const partials = new Map<string, PartialMessage>()
  /** Sending vertex by message id. */
  const senders = new Map<string, string>()

  const complete = (message: Message): Message => {
    const id = message.id ?? orderedId(runtime)
    const change: { -readonly [Key in keyof MessageInit]: MessageInit[Key] } = {
      id,
      sessionId: message.sessionId || options.sessionId,
      flowId: message.flowId ?? options.flowId,
      timestamp: (records.get(id) ?? adopted.get(id))?.timestamp ?? now(),
    }
    const properties = jsonSafe(message.properties) as object
    const contentBlocks = jsonSafe(message.contentBlocks) as object[]
    if (properties !== message.properties) change.properties = properties
    if (contentBlocks !== message.contentBlocks) change.contentBlocks = contentBlocks
    return changeMessage(message, change)
  }

  const write = async (message: Message, more?: Partial<MessageRecord>): Promise<void> => {
    const row = messageToRecord(message)
    const record = secrets.maskJson(more === undefined ? row : { ...row, ...more })
    const known = records.has(record.id) || adopted.has(record.id)
    records.set(record.id, record)
    track(message)
    await (known ? service.update(record) : service.add(record))
  }

  const track = (message: Message): void => {
    const id = message.id ?? ''
    if (message.properties.state !== 'partial') partials.delete(id)
    else if (!partials.has(id)) {
      partials.set(id, { message, chunks: [], shown: false, finished: false })
    }
  }

  const now = (): Date => runtime.now()

  const failureJson = (message: Message): MessageJson => ({
    ...secrets.maskJson(messageToJson(message)),
    flow_id: message.flowId ?? options.flowId,
    context_id: NO_CONTEXT.contextId,
  })

  const checkSize = (message: Message): void => {
    const { eventBytes } = options.limits
    if (fitsWithoutMeasuring(valueBytes([message, message.properties]) / 2, eventBytes)) return
    checkEventSize('a message', messageToJson(message), eventBytes)
  }

  const announce = (message: Message, vertexId?: string): void => {
    if (vertexId !== undefined && message.id !== undefined) senders.set(message.id, vertexId)
    if (options.open())
      send('add_message', () => secrets.maskJson(messageToJson(message)), vertexId)
  }

  const remove = async (id: string): Promise<void> => {
    partials.delete(id)
    if (!records.delete(id)) return
    await service.remove(id)
    send('remove_message', () => ({ id }), senders.get(id))
    senders.delete(id)
  }

  const keeps = (message: Message): boolean => (message.sessionId || options.sessionId) !== ''

  return {
    records,
    adopt(messages) {
      for (const message of messages) adopted.set(message.id, message)
    },
    keeps,
    async send(message, vertexId) {
      if (!keeps(message) || !options.open()) return message
      const sent = complete(message)
      checkSize(sent)
      await write(sent)
      announce(sent, vertexId)
      return sent
    },
    async update(message, { store = true, vertexId } = {}) {
      if (!keeps(message) || !options.open()) return message
      const sent = complete(message)
      checkSize(sent)
      if (store) await write(sent)
      announce(sent, vertexId)
      return sent
    },
    async place(message, stored) {
      if (!keeps(message) || !options.open()) return
      const sent = changeMessage(complete(message), { timestamp: message.timestamp })
      checkSize(sent)
      const record = secrets.maskJson(messageToRecord(sent))
      records.set(record.id, record)
      await (stored ? service.update(record) : service.add(record))
      announce(sent)
    },
    remove: (id) => (options.open() ? remove(id) : Promise.resolve()),
    withdraw: remove,
    async retract(ids) {
      for (const id of ids) {
        await service.remove(id)
        if (options.open()) send('remove_message', () => ({ id }))
      }
    },
    chunk(id, text, sent) {
      const partial = partials.get(id)
      if (partial === undefined) return
      partial.chunks.push(text)
      partial.shown ||= sent
    },
    finished(message) {
      const partial = partials.get(message.id ?? '')
      if (partial === undefined) return
      partial.message = message
      partial.finished = true
      partial.chunks = []
    },
    async fail(message) {
      if (!keeps(message)) {
        send('error', () => failureJson(changeMessage(message, { timestamp: now() })))
        return
      }
      const sent = complete(message)
      try {
        await write(sent, NO_CONTEXT)
      } finally {
        send('error', () => failureJson(sent))
      }
    },
    async settle() {
      for (const [id, { message, chunks, shown, finished }] of partials) {
        if (finished) await write(message)
        else if (!shown) await remove(id)
        else await write(changeMessage(message, { text: chunks.join('') }))
      }
      partials.clear()
    },
  }
}

/** Failure messages have no context. */
const NO_CONTEXT = { contextId: null } as const
