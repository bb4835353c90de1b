import { createSystemRuntime, type Runtime } from '@x/wire'

/** Options of every client of a model provider. */
export interface ModelClientOptions {
  readonly model: string
  readonly apiKey?: string | undefined
  /** Without a slash at the end. */
  readonly baseUrl?: string | undefined
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch | undefined
  /** Further attempts after 429, 5xx and connection errors; default 2. */
  readonly maxRetries?: number | undefined
  /** Until the answer begins; default 600,000. */
  readonly timeoutMs?: number | undefined
  /** Further members of the request body. */
  readonly body?: Readonly<Record<string, unknown>> | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly runtime?: Runtime | undefined
  /** Texts besides the key that must not occur in errors. */
  readonly secrets?: readonly string[] | undefined
}

export interface OpenAiModelOptions extends ModelClientOptions {
  /** Query parameters of every request. */
  readonly query?: Readonly<Record<string, string>> | undefined
  /** The address names the model already. */
  readonly omitModel?: boolean | undefined
  /**
   * Name of the token limit; older servers only know `max_tokens`. Default `max_completion_tokens`.
   */
  readonly maxTokensName?: 'max_completion_tokens' | 'max_tokens' | undefined
}

/** The options that requests need, with their defaults. */
export function sendingOptions(options: ModelClientOptions) {
  return {
    fetch: options.fetch ?? globalThis.fetch,
    runtime: options.runtime ?? createSystemRuntime(),
    maxRetries: options.maxRetries ?? 2,
    timeoutMs: options.timeoutMs ?? 600_000,
    secrets: [
      ...(options.apiKey === undefined ? [] : [options.apiKey]),
      ...(options.secrets ?? []),
    ],
  }
}

export function trimSlash(url: string): string {
  return url.replace(/\/+$/, '')
}
