import {
  callBudgetOf,
  reserveCall,
  sharedBudgetOf,
  type Reservation,
} from '../components/define/call-budget.ts'
import type { ModelSpec } from '../components/define/services.ts'
import type { ChatChunk, ChatRequest, Embedder, TokenUsage } from './chat-model.ts'
import { isTokenUsage } from './is-token-usage.ts'

interface Host {
  readonly services: object
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
  const named = { provider: spec.provider, model: given.model ?? spec.model }
  const reserved = reserveCall(host, { ...named, request: given }, given.signal)
  let held = reserved instanceof Promise ? await reserved : reserved
  const request = withinBudget(given, held, async (limited) => {
    await held?.settle()
    held = undefined
    held = await reserveCall(host, { ...named, request: limited, isRepeated: true }, given.signal)
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
    const settled = held?.settle(usage)
    if (settled !== undefined) await settled
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
export function budgetedEmbedder(
  embedder: Embedder,
  host: { readonly services: object },
  spec: ModelSpec,
): Embedder {
  if ((callBudgetOf(host) ?? sharedBudgetOf(host.services)) === undefined) return embedder
  const within = async <T>(
    texts: readonly string[],
    signal: AbortSignal | undefined,
    work: () => Promise<T>,
  ): Promise<T> => {
    const { provider, model } = spec
    const held = await reserveCall(host, { provider, model, request: texts }, signal)
    try {
      return await work()
    } finally {
      await held?.settle()
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
