import { createSystemRuntime, type Runtime } from '@x/wire'

/** Options shared by all model clients. */
export interface ModelClientOptions {
  readonly model: string
  readonly apiKey?: string | undefined
  /** API root without a trailing slash. */
  readonly baseUrl?: string | undefined
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch | undefined
  /** Retries after 429, 5xx and connection errors. Default 2. */
  readonly maxRetries?: number | undefined
  /** Milliseconds until the response headers arrive. Default 600,000. */
  readonly timeoutMs?: number | undefined
  /** Additional members of the request body. */
  readonly body?: Readonly<Record<string, unknown>> | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly runtime?: Runtime | undefined
  /** Strings besides the key to redact from errors. */
  readonly secrets?: readonly string[] | undefined
}

export interface OpenAiModelOptions extends ModelClientOptions {
  /** Query parameters added to every request. */
  readonly query?: Readonly<Record<string, string>> | undefined
  /** Omits the model from the body because the URL already names it. */
  readonly omitModel?: boolean | undefined
  /**
   * Name of the token limit parameter; older servers only accept `max_tokens`. Default
   * `max_completion_tokens`.
   */
  readonly maxTokensName?: 'max_completion_tokens' | 'max_tokens' | undefined
}

/** Extracts the request options and applies defaults. */
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
