import { isObject } from '@x/wire'
import { trimSlashes } from '@x/wire'
import { isFlowError } from '../errors.ts'
import { createBatchEmbedder } from './batch-embedder.ts'
import type { ChatChunk, ChatModel, ChatRequest, Embedder } from './chat-model.ts'
import { eventData } from './event-lines.ts'
import { streamError, ModelError, redact } from './model-error.ts'
import {
  sendingOptions,
  type ModelClientOptions,
  type OpenAiModelOptions,
} from './model-options.ts'
import { chatBody, createDeltaReader, readCompletion } from './openai-messages.ts'
import { parseAnswer } from './parse-answer.ts'
import { readAnswer } from './read-answer.ts'
import { readFailure, sendModelRequest } from './send-model-request.ts'

const DEFAULT_BASE_URL = 'https://api.openai.com/v1'
const MAX_ANSWER_BYTES = 64 * 1024 * 1024

/**
 * Creates a chat model for any server with the OpenAI chat completions API: OpenAI, Azure, Ollama,
 * vLLM, LM Studio, Groq, OpenRouter, Mistral. Streams throw ModelError, or `limit_exceeded` for a response or
 * event that is too long.
 */
export function createOpenAiModel(options: OpenAiModelOptions): ChatModel {
  const sending = sendingOptions(options)
  return {
    name: options.model,
    async *stream(request) {
      const response = await sendModelRequest({
        ...sending,
        url: addressOf('chat/completions', options),
        headers: { ...authorization(options), ...options.headers },
        body: { ...chatBody(request, options), ...options.body },
        onRetry: request.onRetry,
        signal: request.signal,
      })
      yield* answerChunks(response, request, sending)
    },
  }
}

async function* answerChunks(
  response: Response,
  request: ChatRequest,
  { secrets, runtime }: ReturnType<typeof sendingOptions>,
): AsyncGenerator<ChatChunk> {
  const streams = response.headers.get('content-type')?.includes('text/event-stream') === true
  if (!streams) {
    yield* readCompletion(parseBody(await readAnswer(response, MAX_ANSWER_BYTES), secrets))
    return
  }
  const delta = createDeltaReader()
  try {
    for await (const data of eventData(response, runtime)) {
      if (data === '[DONE]') break
      yield* delta.read(parseBody(data, secrets))
    }
  } catch (error) {
    request.signal.throwIfAborted()
    throw isFlowError(error) ? error : streamError(error, secrets)
  }
  yield* delta.end()
}

/** @throws ModelError if the text is not a JSON object, or is an error sent with status 200 */
function parseBody(text: string, secrets: readonly string[]): Record<string, unknown> {
  const body = parseAnswer(text)
  if (isObject(body) && !(isObject(body.error) || typeof body.error === 'string')) return body
  const { code, message } = readFailure(text)
  throw new ModelError({
    status: null,
    code,
    message: redact(`Unexpected answer: ${message}`, secrets),
  })
}

function authorization({ apiKey }: ModelClientOptions): Record<string, string> {
  return apiKey === undefined || apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` }
}

export interface OpenAiEmbedderOptions extends ModelClientOptions {
  /** Length of the vectors, for models that support a choice. */
  readonly dimensions?: number | undefined
  /** Maximum number of strings in one request. Default 1,000. */
  readonly chunkSize?: number | undefined
  /** Query parameters added to every request. */
  readonly query?: Readonly<Record<string, string>> | undefined
  /** Omits the model from the body because the URL already names it. */
  readonly omitModel?: boolean | undefined
}

/**
 * Creates an embedder for the same servers. Requests are batched; vectors are read as numbers or base64.
 */
export function createOpenAiEmbedder(options: OpenAiEmbedderOptions): Embedder {
  const sending = sendingOptions(options)
  const size = Math.max(1, options.chunkSize ?? 1000)
  return createBatchEmbedder(size, async (input, signal) => {
    const response = await sendModelRequest({
      ...sending,
      url: addressOf('embeddings', options),
      headers: { ...authorization(options), ...options.headers },
      body: {
        ...(options.omitModel === true ? {} : { model: options.model }),
        // A single empty string is sent bare: servers accept "" but reject [""].
        input: input.length === 1 && input[0] === '' ? '' : input,
        encoding_format: 'float',
        ...(options.dimensions === undefined ? {} : { dimensions: options.dimensions }),
        ...options.body,
      },
      signal,
    })
    return vectorsOf(parseBody(await readAnswer(response, MAX_ANSWER_BYTES), sending.secrets))
  })
}

function addressOf(
  path: string,
  { baseUrl = DEFAULT_BASE_URL, query }: Pick<OpenAiEmbedderOptions, 'baseUrl' | 'query'>,
): string {
  const url = `${trimSlashes(baseUrl)}/${path}`
  return query === undefined ? url : `${url}?${new URLSearchParams(query).toString()}`
}

function vectorsOf({ data }: Record<string, unknown>): unknown[] {
  const rows = Array.isArray(data) ? data.filter(isObject) : []
  const ordered = rows.toSorted((a, b) => Number(a.index ?? 0) - Number(b.index ?? 0))
  return ordered.map(({ embedding }) => embedding)
}
