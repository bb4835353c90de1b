import { append, createSystemRuntime, isObject } from '@x/wire'
import type { ScriptedAnswer, ScriptedReply } from './scripted-model.ts'

/** A local server that implements OpenAI chat completions and embeddings. */
export interface FakeOpenAi {
  /** `http://127.0.0.1:<port>/v1`. */
  readonly url: string
  /** Bodies of the requests, in order. */
  readonly requests: object[]
  /** Adds replies to the script. */
  reply(...replies: ScriptedReply[]): void
  close(): Promise<void>
}

const runtime = createSystemRuntime()
const MAX_BODY_CHARS = 16 * 1024 * 1024

/**
 * Starts the server on a free port of 127.0.0.1; requires Node. When the script is exhausted it responds with
 * 500; `fail` gives 500 with its message or, mid-stream, closes the connection. Embeddings are derived from
 * character counts, so that similar texts are close to each other.
 */
export async function startFakeOpenAi(
  options: { readonly script?: readonly ScriptedReply[] } = {},
): Promise<FakeOpenAi> {
  const { createServer } = await import('node:http')
  const script = [...(options.script ?? [])]
  const requests: object[] = []
  const server = createServer((request, response) => {
    void (async () => {
      let text = ''
      for await (const chunk of request) {
        text += String(chunk)
        if (text.length > MAX_BODY_CHARS) return void response.writeHead(413).end()
      }
      const body = parseBody(text)
      requests.push(body)
      const answer = request.url?.endsWith('/embeddings')
        ? jsonAnswer(embeddings(body))
        : chatAnswer(script.shift(), body)
      response.writeHead(answer.status, { 'content-type': answer.type })
      for await (const part of answer.parts) {
        // Flushed, so that closing the connection does not discard what was sent before.
        await new Promise((written) => response.write(part, written))
      }
      response.end()
    })().catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    reply: (...replies) => append(script, replies),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

interface Answer {
  readonly status: number
  readonly type: string
  readonly parts: AsyncIterable<string>
}

function parseBody(text: string): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(text)
    return isObject(body) ? body : {}
  } catch {
    return {}
  }
}

function jsonAnswer(body: object, status = 200, delayMs = 0): Answer {
  return { status, type: 'application/json', parts: later(JSON.stringify(body), delayMs) }
}

async function* later(text: string, delayMs: number): AsyncGenerator<string> {
  if (delayMs > 0) await runtime.sleep(delayMs)
  yield text
}

function chatAnswer(reply: ScriptedReply | undefined, body: Record<string, unknown>): Answer {
  if (reply === undefined) {
    return jsonAnswer(
      { error: { message: 'The script is used up', code: 'script_exhausted' } },
      500,
    )
  }
  const answer = typeof reply === 'string' ? { text: reply } : reply
  const failsAtOnce = answer.fail !== undefined && (answer.failAfterChunks ?? 0) === 0
  if (failsAtOnce) return jsonAnswer({ error: { message: answer.fail.message } }, 500)
  if (body.stream === true) {
    return { status: 200, type: 'text/event-stream', parts: streamed(answer, body) }
  }
  const message = {
    role: 'assistant',
    content: answer.toolCalls === undefined ? textOf(answer) : textOf(answer) || null,
    ...(answer.toolCalls === undefined ? {} : { tool_calls: wireCalls(answer) }),
  }
  return jsonAnswer(
    {
      ...head(body, 'chat.completion'),
      choices: [{ index: 0, message, finish_reason: finishOf(answer) }],
      usage: usageOf(answer),
    },
    200,
    answer.delayMs,
  )
}

async function* streamed(
  answer: ScriptedAnswer,
  body: Record<string, unknown>,
): AsyncGenerator<string> {
  const chunk = (delta: object, finish: string | null = null): string =>
    `data: ${JSON.stringify({
      ...head(body, 'chat.completion.chunk'),
      choices: [{ index: 0, delta, finish_reason: finish }],
    })}\n\n`
  await runtime.sleep(answer.delayMs ?? 0)
  yield chunk({ role: 'assistant', content: '' })
  const pieces = answer.chunks ?? (answer.text === undefined ? [] : [answer.text])
  for (const [index, content] of pieces.entries()) {
    if (answer.fail !== undefined && index >= (answer.failAfterChunks ?? 0)) throw answer.fail
    if (index > 0) await runtime.sleep(answer.chunkDelayMs ?? 0)
    yield chunk({ content })
  }
  if (answer.fail !== undefined) throw answer.fail
  for (const [index, call] of wireCalls(answer).entries()) {
    yield chunk({ tool_calls: [{ index, ...call }] })
  }
  yield chunk({}, finishOf(answer))
  if (isObject(body.stream_options)) {
    const usage = { ...head(body, 'chat.completion.chunk'), choices: [], usage: usageOf(answer) }
    yield `data: ${JSON.stringify(usage)}\n\n`
  }
  yield 'data: [DONE]\n\n'
}

function head({ model }: Record<string, unknown>, object: string): object {
  return { id: 'chatcmpl-fake', object, created: 0, model: model ?? 'fake' }
}

function textOf({ text, chunks }: ScriptedAnswer): string {
  return chunks?.join('') ?? text ?? ''
}

function wireCalls({ toolCalls = [] }: ScriptedAnswer) {
  return toolCalls.map(({ name, args, id }, index) => ({
    id: id ?? `call_${index}`,
    type: 'function',
    function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
  }))
}

function finishOf({ toolCalls = [] }: ScriptedAnswer): string {
  return toolCalls.length > 0 ? 'tool_calls' : 'stop'
}

function usageOf({ usage = { inputTokens: 1, outputTokens: 1 } }: ScriptedAnswer): object {
  const { inputTokens, outputTokens } = usage
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  }
}

const DIMENSIONS = 16

function embeddings({ input, model }: Record<string, unknown>): object {
  const texts = (Array.isArray(input) ? input : [input]).map(String)
  return {
    object: 'list',
    model,
    data: texts.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text) })),
    usage: { prompt_tokens: texts.length, total_tokens: texts.length },
  }
}

/** Counts characters by code, normalised to a vector of length 1. */
function vectorOf(text: string): number[] {
  const counts = Array.from({ length: DIMENSIONS }, () => 0)
  for (const char of text.toLowerCase()) {
    const at = (char.codePointAt(0) ?? 0) % DIMENSIONS
    counts[at] = (counts[at] ?? 0) + 1
  }
  const length = Math.hypot(...counts) || 1
  return counts.map((count) => count / length)
}
