/** A chat completion request; other keys are ignored. */
export interface ChatCompletionRequest {
  readonly model: string
  readonly messages: readonly unknown[]
  readonly stream?: boolean | null | undefined
  readonly stream_options?:
    | { readonly include_usage?: boolean | null | undefined; readonly [key: string]: unknown }
    | null
    | undefined
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined
  readonly [key: string]: unknown
}

/** A response request; other keys are ignored. */
export interface OpenAiResponseRequest {
  readonly model: string
  readonly input?: unknown
  readonly instructions?: string | null | undefined
  readonly previous_response_id?: string | null | undefined
  readonly stream?: boolean | null | undefined
  readonly store?: boolean | null | undefined
  readonly background?: boolean | null | undefined
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined
  readonly [key: string]: unknown
}
