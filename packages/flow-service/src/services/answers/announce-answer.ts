import type { Runtime } from '@x/wire'
import { isFlowError } from '@x/flow-engine'
import type { EmitFlowEvent } from '../../events.ts'
import type { AnswerEvent } from './answer.ts'

/** Identifies an answer and the API that asked for it. */
export interface AnnouncedAnswer {
  readonly userId: string
  /** Response id. */
  readonly id: string
  readonly flowId: string
  readonly profile: 'compatible' | 'openai' | 'chat'
}

/** Passes the events through and announces their start and end to the engine's listeners. */
export type AnnounceAnswer = (
  answer: AnnouncedAnswer,
) => (events: AsyncIterable<AnswerEvent>) => AsyncIterable<AnswerEvent>

export function createAnnounceAnswer(
  emit: EmitFlowEvent,
  runtime: Pick<Runtime, 'now'>,
): AnnounceAnswer {
  return (answer) =>
    async function* announced(events) {
      const startedAt = runtime.now()
      emit('response.created', { at: startedAt, ...answer })
      let status: 'completed' | 'failed' | 'cancelled' = 'cancelled'
      let usage = { inputTokens: 0, outputTokens: 0 }
      try {
        for await (const event of events) {
          if (event.kind === 'end') {
            status = 'completed'
            usage = event.answer.usage ?? usage
          }
          yield event
        }
      } catch (error) {
        status = isFlowError(error) && error.code === 'cancelled' ? 'cancelled' : 'failed'
        throw error
      } finally {
        const at = runtime.now()
        const durationMs = at.getTime() - startedAt.getTime()
        const { inputTokens, outputTokens } = usage
        emit('response.finished', { at, ...answer, status, durationMs, inputTokens, outputTokens })
      }
    }
}
