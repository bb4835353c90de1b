import { createTestRuntime } from '@x/wire'
import type { ChatChunk, ChatModel, ChatRequest, ModelSpec } from '@x/flow-engine'
import type { RunOptions } from './python-runs.ts'

/** A host that notes the models it makes and the requests they get. */
export function modelHost(answer: (request: ChatRequest) => ChatChunk[] = () => [{ text: 'Hi!' }]) {
  const specs: ModelSpec[] = []
  const requests: ChatRequest[] = []
  const model: ChatModel = {
    name: 'm',
    async *stream(request) {
      requests.push(request)
      yield* answer(request)
    },
  }
  const models = {
    chatModel: (spec: ModelSpec) => (specs.push(spec), Promise.resolve(model)),
    embedder: (spec: ModelSpec) => {
      specs.push(spec)
      return Promise.resolve({
        embed: (texts: readonly string[]) => Promise.resolve(texts.map((text) => [text.length, 1])),
      })
    },
  }
  const more = { services: { models }, runtime: createTestRuntime() } as RunOptions['more'] & object
  return { specs, requests, more, model }
}
