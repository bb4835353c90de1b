import { isObject } from '@x/wire'
import { trimSlashes } from '@x/wire'
import { createBatchEmbedder } from './batch-embedder.ts'
import type { Embedder } from './chat-model.ts'
import { sendingOptions } from './model-options.ts'
import { parseAnswer } from './parse-answer.ts'
import { readAnswer } from './read-answer.ts'
import { sendModelRequest } from './send-model-request.ts'
import { createWatsonxToken, type WatsonxModelOptions } from './watsonx.ts'

const API_VERSION = '2024-10-08'
const MAX_ANSWER_BYTES = 64 * 1024 * 1024
const BATCH = 1000

/** Creates an embedder for IBM watsonx.ai. */
export function createWatsonxEmbedder(options: WatsonxModelOptions): Embedder {
  const sending = sendingOptions(options)
  const bearer = createWatsonxToken(options)
  return createBatchEmbedder(BATCH, async (inputs, signal) => {
    const response = await sendModelRequest({
      ...sending,
      url: `${trimSlashes(options.baseUrl ?? '')}/ml/v1/text/embeddings?version=${API_VERSION}`,
      headers: { authorization: `Bearer ${await bearer(signal)}` },
      body: {
        model_id: options.model,
        project_id: options.projectId,
        inputs,
        ...options.body,
      },
      signal,
    })
    return vectorsOf(await readAnswer(response, MAX_ANSWER_BYTES))
  })
}

function vectorsOf(text: string): unknown[] {
  const body = parseAnswer(text)
  const rows = isObject(body) && Array.isArray(body.results) ? body.results.filter(isObject) : []
  return rows.map(({ embedding }) => embedding)
}
