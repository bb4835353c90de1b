import { z } from 'zod'
import { bool, dict, int, maybe, oneOf, text } from './scalars.ts'

/** Body of `POST /api/openai/v1/responses`. Unknown keys are ignored. */
export const OpenAiResponseBody = z
  .looseObject({
    model: text(),
    input: z.unknown(),
    instructions: maybe(text()),
    previous_response_id: maybe(text()),
    stream: maybe(bool()),
    store: maybe(bool()),
    background: maybe(bool()),
    metadata: maybe(dict()),
  })
  .meta({ id: 'OpenAIResponseRequest' })

/** A response. */
export const OpenAiResponse = z
  .looseObject({
    id: text(),
    object: z.literal('response'),
    created_at: z.number(),
    status: text(),
    model: text(),
    output: z.array(z.unknown()),
    usage: z.unknown(),
  })
  .meta({ id: 'OpenAIResponse' })

export const DeletedResponse = z
  .object({ id: text(), object: z.literal('response'), deleted: z.boolean() })
  .meta({ id: 'OpenAIDeletedResponse' })

export const ResponseQuery = z.object({
  stream: bool().default(false),
  /** Number of the last event the reader has received. */
  starting_after: maybe(int({ ge: 0 })),
})

export const InputItemsQuery = z.object({
  limit: int({ ge: 1, le: 100 }).default(20),
  order: oneOf(['asc', 'desc']).default('desc'),
  after: maybe(text()),
})

export const InputItems = z
  .object({
    object: z.literal('list'),
    data: z.array(z.unknown()),
    first_id: text().nullable(),
    last_id: text().nullable(),
    has_more: z.boolean(),
  })
  .meta({ id: 'OpenAIInputItems' })
