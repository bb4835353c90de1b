import type { TokenUsage } from './chat-model.ts'

/** What a vendor says may be anything; a server of the user's own could otherwise give a budget back. */
export function isTokenUsage(usage: TokenUsage | undefined): usage is TokenUsage {
  return isTokenCount(usage?.inputTokens) && isTokenCount(usage?.outputTokens)
}

export function isTokenCount(value: number | undefined): value is number {
  return value !== undefined && Number.isSafeInteger(value) && value >= 0
}
