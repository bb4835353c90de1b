import { FlowError, type ChatModel } from '@x/flow-engine'
import { isModelError } from '@x/flow-engine/models'

/** Wraps a model so that errors with status 400 have the provider's own message. */
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
