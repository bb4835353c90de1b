import { z } from 'zod'
import { bool, text } from './scalars.ts'

const Part = z.looseObject({ type: text() }).meta({ id: 'UIMessagePart' })

const Message = z
  .looseObject({
    id: text(),
    role: z.enum(['user', 'assistant', 'system']),
    parts: z.array(Part),
    metadata: z.unknown(),
  })
  .meta({ id: 'UIMessage' })

/** Body of `POST /api/ai/v1/chat/{flow}`, as `DefaultChatTransport` sends it. */
export const ChatBody = z
  .looseObject({
    id: text(),
    messages: z.array(Message).optional(),
    message: Message.optional(),
    trigger: z.enum(['submit-message', 'regenerate-message']).optional(),
    messageId: text().optional(),
    answer: z.object({ requestId: text(), decision: z.unknown() }).optional(),
  })
  .meta({ id: 'ChatRequest' })

/** One `data:` line of the stream. */
export const ChatChunk = z.looseObject({ type: text() }).meta({ id: 'UIMessageChunk' })

export const ChatHistoryQuery = z.object({ before: text().optional() })

export const ChatHistory = z
  .object({ id: text(), messages: z.array(Message), running: bool() })
  .meta({ id: 'ChatHistory' })

export const Stopped = z.object({ stopped: bool() }).meta({ id: 'Stopped' })
