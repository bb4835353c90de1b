import { startFakeOpenAi, type FakeOpenAi } from '@x/flow-engine/testing'
import { createFlow, echoGraph } from './flows.ts'
import { chatFlow, storeFlow } from './material.ts'
import { startGate, type Gate } from './model-gate.ts'
import { startService, type SharedService } from './service.ts'

/** The shipped server with a scripted model server, behind a gate that can hold its answers back. */
export interface ModelService extends SharedService {
  readonly model: FakeOpenAi
  readonly gate: Gate
}

/** Starts all three in a new folder; the caller ends them. */
export async function startModelService(): Promise<ModelService> {
  const model = await startFakeOpenAi()
  const gate = await startGate(model.url)
  const environment = { OPENAI_API_KEY: 'sk-journey', OPENAI_BASE_URL: gate.url }
  const { service, end } = await startService(environment)
  return {
    service,
    model,
    gate,
    async end() {
      await end()
      gate.close()
      await model.close()
    },
  }
}

/** The same with two flows: `parrot` says its input again, `chat` asks the model. */
export async function startChatService(): Promise<ModelService & { readonly parrot: string }> {
  const started = await startModelService()
  const { service } = started
  const echo = { name: 'Echo', data: echoGraph(), endpoint_name: 'parrot' }
  const { id } = await createFlow(service, echo)
  await storeFlow(service, chatFlow(), { endpoint_name: 'chat' })
  return { ...started, parrot: id }
}

/** The error of a promise that rejects; undefined for any other. */
export function failed(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  )
}
