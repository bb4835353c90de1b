import { FlowError } from '../../errors.ts'
import type { ChatModel } from '../../models/chat-model.ts'
import { isModelError } from '../../models/model-error.ts'

/** A model whose refusals (status 400) are reported in the provider's own words (CO-79). */
export function plainBadRequests(model: ChatModel): ChatModel {
  return {
    ...(model.name === undefined ? {} : { name: model.name }),
    async *stream(request) {
      try {
        yield* model.stream(request)
      } catch (error) {
        if (!isModelError(error) || error.provider.status !== 400) throw error
        throw new FlowError('model_failed', error.provider.message, { status: 400, cause: error })
      }
    },
  }
}
