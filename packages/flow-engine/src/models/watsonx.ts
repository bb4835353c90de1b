import { elapsedMs, isObject } from '@x/wire'
import { trimSlashes } from '@x/wire'
import { isFlowError } from '../errors.ts'
import type { ChatChunk, ChatModel, ChatRequest } from './chat-model.ts'
import { eventData } from './event-lines.ts'
import { streamError, ModelError, redact } from './model-error.ts'
import { sendingOptions, type ModelClientOptions } from './model-options.ts'
import { chatBody, createDeltaReader, readCompletion } from './openai-messages.ts'
import { parseAnswer } from './parse-answer.ts'
import { readAnswer } from './read-answer.ts'
import { readFailure, sendModelRequest } from './send-model-request.ts'

const TOKEN_URL = 'https://iam.cloud.ibm.com/identity/token'
const API_VERSION = '2024-10-08'
const MAX_ANSWER_BYTES = 64 * 1024 * 1024

export interface WatsonxModelOptions extends ModelClientOptions {
  readonly projectId: string
}

/**
 * Creates a chat model for IBM watsonx.ai, which exchanges the key for a token before each chat request.
 */
export function createWatsonxModel(options: WatsonxModelOptions): ChatModel {
  const sending = sendingOptions(options)
  const { secrets } = sending
  const bearer = createWatsonxToken(options)

  return {
    name: options.model,
    async *stream(request) {
      const streams = request.stream !== false
      const path = streams ? 'chat_stream' : 'chat'
      const base = trimSlashes(options.baseUrl ?? '')
      const response = await sendModelRequest({
        ...sending,
        url: `${base}/ml/v1/text/${path}?version=${API_VERSION}`,
        headers: { authorization: `Bearer ${await bearer(request.signal)}` },
        body: { ...wireBody(request, options), ...options.body },
        onRetry: request.onRetry,
        signal: request.signal,
      })
      try {
        if (streams) yield* streamedAnswer(response, sending)
        else yield* readCompletion(parse(await readAnswer(response, MAX_ANSWER_BYTES), secrets))
      } catch (error) {
        request.signal.throwIfAborted()
        throw isFlowError(error) ? error : streamError(error, secrets)
      }
    },
  }
}

function wireBody(request: ChatRequest, options: WatsonxModelOptions): Record<string, unknown> {
  const {
    model,
    stream: _stream,
    stream_options: _options,
    ...rest
  } = chatBody(request, {
    ...options,
    maxTokensName: 'max_tokens',
  })
  return { ...rest, model_id: model, project_id: options.projectId }
}

async function* streamedAnswer(
  response: Response,
  { secrets, runtime }: ReturnType<typeof sendingOptions>,
): AsyncGenerator<ChatChunk> {
  const delta = createDeltaReader()
  for await (const data of eventData(response, runtime)) {
    if (data !== '[DONE]') yield* delta.read(parse(data, secrets))
  }
  yield* delta.end()
}

/** Exchanges the key for a token and renews it shortly before it expires. */
export function createWatsonxToken(
  options: ModelClientOptions,
): (signal: AbortSignal) => Promise<string> {
  const { runtime } = sendingOptions(options)
  let token: { readonly text: string; readonly since: number; readonly forMs: number } | undefined
  return async (signal) => {
    const now = runtime.now().getTime()
    if (token === undefined || elapsedMs(token.since, now) >= token.forMs) {
      const { access_token: text, expires_in: seconds } = await askForToken(options, signal)
      token = { text, since: now, forMs: Math.max(0, seconds - 60) * 1000 }
    }
    return token.text
  }
}

async function askForToken(
  options: ModelClientOptions,
  signal: AbortSignal,
): Promise<{ access_token: string; expires_in: number }> {
  const sending = sendingOptions(options)
  const { secrets } = sending
  const response = await sendModelRequest({
    ...sending,
    url: TOKEN_URL,
    headers: {},
    body: new URLSearchParams({
      grant_type: 'urn:ibm:params:oauth:grant-type:apikey',
      apikey: options.apiKey ?? '',
    }),
    signal,
  })
  const text = await readAnswer(response, MAX_ANSWER_BYTES)
  const { access_token: token, expires_in: seconds } = parse(text, secrets)
  if (typeof token !== 'string') throw failure('The response has no token', secrets, null)
  return { access_token: token, expires_in: typeof seconds === 'number' ? seconds : 0 }
}

function parse(text: string, secrets: readonly string[]): Record<string, unknown> {
  const body = parseAnswer(text)
  if (isObject(body) && !('errors' in body)) return body
  throw failure(text, secrets, null)
}

function failure(text: string, secrets: readonly string[], status: number | null): ModelError {
  const { code, message } = readFailure(text)
  return new ModelError({ status, code, message: redact(message, secrets) })
}
