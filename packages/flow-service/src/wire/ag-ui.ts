import { z } from 'zod'
import { text } from './scalars.ts'

/** Body of `POST /api/ag-ui/v1/{flow}`, as an AG-UI client sends it. */
export const RunAgentInput = z
  .looseObject({
    threadId: text(),
    runId: text(),
    messages: z.array(z.looseObject({ id: text(), role: text() })),
    resume: z
      .array(
        z.looseObject({
          interruptId: text(),
          status: z.enum(['resolved', 'cancelled']),
          payload: z.unknown(),
        }),
      )
      .optional(),
    tools: z.array(z.unknown()).optional(),
    context: z.array(z.looseObject({ description: text(), value: text() })).optional(),
    state: z.unknown(),
    forwardedProps: z.unknown(),
  })
  .meta({ id: 'RunAgentInput' })

/** One `data:` line of the stream. */
export const AgUiEvent = z.looseObject({ type: text() }).meta({ id: 'AgUiEvent' })

export const AgentCapabilities = z.looseObject({}).meta({ id: 'AgentCapabilities' })
