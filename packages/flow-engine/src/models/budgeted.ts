import { callBudgetOf, type Reservation } from '../components/define/call-budget.ts'
import type { ModelSpec } from '../components/define/services.ts'
import type { ChatChunk, ChatRequest, Embedder, TokenUsage } from './chat-model.ts'
import { isTokenUsage } from './is-token-usage.ts'

interface Host {
  usage?(usage: TokenUsage): void
}

/** Makes a request within the budget of the run and reports what it used. */
export async function* budgetedStream(
  host: Host,
  spec: ModelSpec,
  {
    request: given,
    make,
  }: {
    readonly request: ChatRequest
    readonly make: (request: ChatRequest) => AsyncIterable<ChatChunk>
  },
): AsyncGenerator<ChatChunk> {
  const budget = callBudgetOf(host)
  const named = { provider: spec.provider, model: given.model ?? spec.model }
  const reserved = budget?.reserve({ ...named, request: given }, given.signal)
  let held = reserved instanceof Promise ? await reserved : reserved
  const request = withinBudget(given, held, async (limited) => {
    held?.settle()
    const again = { ...named, request: limited, isRepeated: true }
    held = await budget?.reserve(again, given.signal)
  })
  let usage: TokenUsage | undefined
  try {
    for await (const chunk of make(request)) {
      if ('finish' in chunk && isTokenUsage(chunk.usage)) {
        usage = chunk.usage
        host.usage?.(usage)
      }
      yield chunk
    }
  } finally {
    held?.settle(usage)
  }
}

/** The request with the longest answer that its budget leaves; unchanged without a budget. */
function withinBudget(
  request: ChatRequest,
  held: Reservation | undefined,
  repeat: (request: ChatRequest) => Promise<void>,
): ChatRequest {
  if (held?.isLimited !== true) return request
  const { maxTokens = request.maxTokens } = held
  const limited: ChatRequest = { ...request, ...(maxTokens === undefined ? {} : { maxTokens }) }
  return { ...limited, onRetry: () => repeat(limited) }
}

/** Reserves the texts of each request. */
export function budgetedEmbedder(embedder: Embedder, host: object, spec: ModelSpec): Embedder {
  const budget = callBudgetOf(host)
  if (budget === undefined) return embedder
  const within = async <T>(
    texts: readonly string[],
    signal: AbortSignal | undefined,
    work: () => Promise<T>,
  ): Promise<T> => {
    const { provider, model } = spec
    const held = await budget.reserve({ provider, model, request: texts }, signal)
    try {
      return await work()
    } finally {
      held.settle()
    }
  }
  return {
    embed: (texts, signal) => within(texts, signal, () => embedder.embed(texts, signal)),
    ...(embedder.embedQuery === undefined
      ? {}
      : {
          embedQuery: (text: string, signal?: AbortSignal) =>
            within([text], signal, async () => (await embedder.embedQuery?.(text, signal)) ?? []),
        }),
  }
}
