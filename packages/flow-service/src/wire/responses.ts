import { z } from 'zod'
import { ChatInputError, readResponseInput } from '../services/answers/chat-input.ts'
import { valueProblem, reader } from './reader.ts'
import { bool, orNull, text } from './scalars.ts'

/** A string or a list of items, parsed. */
const ResponseInput = reader(
  { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'object' } }] },
  (value) => {
    try {
      return readResponseInput(value)
    } catch (error) {
      if (!(error instanceof ChatInputError)) throw error
      return valueProblem('string_type', 'Input should be a valid string')
    }
  },
)

/** Body of `POST /api/v1/responses`. Unknown keys are ignored. */
export const ResponsesBody = z
  .object({
    model: text(),
    input: ResponseInput,
    stream: bool().default(false),
    /** Has no effect. */
    background: bool().default(false),
    tools: orNull(z.array(z.unknown())),
    previous_response_id: orNull(text()),
    include: orNull(z.array(text())),
  })
  .meta({ id: 'OpenAIResponsesRequest' })

const ResponsesError = z
  .object({
    error: z.object({ message: text(), type: text(), code: text().optional() }),
  })
  .meta({ id: 'OpenAIErrorResponse' })

const ResponseAnswer = z
  .looseObject({
    id: text(),
    object: z.literal('response'),
    created_at: z.number(),
    status: text(),
    model: text(),
    output: z.array(z.unknown()),
    previous_response_id: text().nullable(),
    usage: z.unknown(),
  })
  .meta({ id: 'OpenAIResponsesResponse' })

export const ResponsesAnswer = z.union([ResponseAnswer, ResponsesError])
