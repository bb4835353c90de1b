import { z } from 'zod'
import { isObject } from '@x/wire'
import type { MessageChanges } from '../services/runs/monitor.ts'
import type { MessageOrder, StoredMessage } from '../store/messages.ts'
import { reader } from './reader.ts'
import { bool, maybe, nameText, oneOf, orNull, text } from './scalars.ts'

/** The origin of a message. */
const Source = z
  .object({ id: orNull(text()), display_name: orNull(text()), source: orNull(text()) })
  .meta({ id: 'MessageSource' })

type SourceValue = z.output<typeof Source>
const noSource: SourceValue = { id: null, display_name: null, source: null }

/** A string is the name of a source; null means none. */
function source() {
  return z.preprocess((value) => {
    if (typeof value === 'string') return { id: value, display_name: value, source: value }
    return value ?? noSource
  }, Source)
}

/** The display properties of a message; missing keys get their defaults. */
export const MessageProperties = z
  .object({
    text_color: orNull(text()),
    background_color: orNull(text()),
    edited: bool().default(false),
    source: source().default(noSource),
    icon: orNull(text()),
    allow_markdown: bool().default(false),
    positive_feedback: orNull(bool()),
    state: oneOf(['partial', 'complete'], 'literal_error').default('complete'),
    targets: z.array(anyTarget()).default([]),
  })
  .meta({ id: 'MessageProperties' })

function anyTarget() {
  return reader<unknown>({}, (value) => value)
}

/** The update payload of a message; null leaves a field unchanged. */
export const MessageUpdate = z
  .object({
    text: maybe(text()),
    sender: maybe(nameText()),
    sender_name: maybe(nameText()),
    session_id: maybe(nameText()),
    context_id: maybe(nameText()),
    files: maybe(z.array(text())),
    edit: maybe(bool()),
    error: maybe(bool()),
    properties: maybe(MessageProperties),
  })
  .meta({ id: 'MessageUpdate' })

/** Columns that messages can be ordered by, by wire name. */
export const messageOrders = {
  timestamp: 'timestamp',
  sender: 'sender',
  sender_name: 'senderName',
  session_id: 'sessionId',
  context_id: 'contextId',
  text: 'text',
  error: 'error',
  edit: 'edit',
  category: 'category',
  id: 'id',
  flow_id: 'flowId',
} as const satisfies Record<string, MessageOrder>

/** A message as returned by the service. */
export const MessageRead = z
  .strictObject({
    id: z.string().meta({ format: 'uuid' }),
    flow_id: z.string().meta({ format: 'uuid' }).nullable(),
    timestamp: z.string().meta({ format: 'date-time' }),
    sender: z.string().nullable(),
    sender_name: z.string().nullable(),
    session_id: z.string(),
    context_id: z.string().nullable(),
    text: z.string(),
    files: z.array(z.string()),
    error: z.boolean(),
    edit: z.boolean(),
    duration: z.number().nullable().optional(),
    properties: z.looseObject({}),
    category: z.string(),
    content_blocks: z.array(z.looseObject({})),
  })
  .meta({ id: 'Message' })

/** Converts a message to its wire form. */
export function messageToWire(message: StoredMessage): z.input<typeof MessageRead> {
  return {
    id: message.id,
    flow_id: message.flowId,
    timestamp: message.timestamp.toISOString(),
    sender: message.sender,
    sender_name: message.senderName,
    session_id: message.sessionId,
    context_id: message.contextId,
    text: message.text,
    files: [...message.files],
    error: message.error,
    edit: message.edit,
    duration: message.duration,
    properties: completeProperties(message.properties),
    category: message.category,
    content_blocks: message.contentBlocks.filter(isObject),
  }
}

/** All property keys; missing ones get their defaults. */
function completeProperties(stored: object): Record<string, unknown> {
  const result = MessageProperties.safeParse(stored)
  return result.success ? result.data : { ...MessageProperties.parse({}), ...stored }
}

/** Converts an update payload to the service's form. */
export function messageChangesFromWire(wire: z.output<typeof MessageUpdate>): MessageChanges {
  return {
    text: wire.text ?? undefined,
    sender: wire.sender ?? undefined,
    senderName: wire.sender_name ?? undefined,
    sessionId: wire.session_id ?? undefined,
    contextId: wire.context_id ?? undefined,
    files: wire.files ?? undefined,
    edit: wire.edit ?? undefined,
    error: wire.error ?? undefined,
    properties: wire.properties ?? undefined,
  }
}
