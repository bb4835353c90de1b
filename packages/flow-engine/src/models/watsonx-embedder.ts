import { isObject } from '@x/wire'
import { trimSlashes } from '../base/trim-slashes.ts'
import type { Embedder } from './chat-model.ts'
import { ModelError } from './model-error.ts'
import { sendingOptions } from './model-options.ts'
import { parseAnswer } from './parse-answer.ts'
import { readAnswer } from './read-answer.ts'
import { readVector } from './read-vector.ts'
import { sendModelRequest } from './send-model-request.ts'
import { createWatsonxToken, type WatsonxModelOptions } from './watsonx.ts'

const API_VERSION = '2024-10-08'
const MAX_ANSWER_BYTES = 64 * 1024 * 1024
const BATCH = 1000

/** Creates an embedder for IBM watsonx.ai (MO-13). */
export function createWatsonxEmbedder(options: WatsonxModelOptions): Embedder {
  const sending = sendingOptions(options)
  const bearer = createWatsonxToken(options)
  return {
    async embed(texts, signal = new AbortController().signal) {
      const vectors: number[][] = []
      for (let at = 0; at < texts.length; at += BATCH) {
        const inputs = texts.slice(at, at + BATCH)
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
        vectors.push(...readVectors(await readAnswer(response, MAX_ANSWER_BYTES), inputs.length))
      }
      return vectors
    },
  }
}

function readVectors(text: string, count: number): number[][] {
  const body = parseAnswer(text)
  const rows = isObject(body) && Array.isArray(body.results) ? body.results.filter(isObject) : []
  if (rows.length !== count) {
    const message = `The response has ${rows.length} embeddings for ${count} texts`
    throw new ModelError({ status: null, code: null, message })
  }
  return rows.map(({ embedding }) => readVector(embedding))
}
