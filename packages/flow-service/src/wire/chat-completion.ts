import { z } from 'zod'
import { bool, dict, maybe, text } from './scalars.ts'

/** Body of a chat completion. Unknown keys are ignored. */
export const ChatCompletionBody = z
  .looseObject({
    model: text(),
    messages: z.array(z.unknown()),
    stream: maybe(bool()),
    stream_options: maybe(z.looseObject({ include_usage: maybe(bool()) })),
    metadata: maybe(dict()),
  })
  .meta({ id: 'ChatCompletionRequest' })

/** A chat completion response. */
export const ChatCompletion = z
  .looseObject({
    id: text(),
    object: z.literal('chat.completion'),
    created: z.number(),
    model: text(),
    choices: z.array(z.unknown()),
    usage: z.unknown(),
  })
  .meta({ id: 'ChatCompletion' })

/** A flow as a model. */
export const Model = z
  .object({
    id: text(),
    object: z.literal('model'),
    created: z.number(),
    owned_by: text(),
    name: text(),
    description: text().nullable(),
  })
  .meta({ id: 'Model' })

export const ModelList = z
  .object({ object: z.literal('list'), data: z.array(Model) })
  .meta({ id: 'ModelList' })
