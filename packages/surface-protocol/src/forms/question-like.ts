/** A question as returned by a flow engine's `pending`; only these members are used. */
export interface QuestionLike {
  readonly requestId: string
  readonly kind?: string
  readonly prompt: string | null
  readonly options: readonly { readonly actionId: string; readonly label: string }[]
  /** JSON Schema of the answer. */
  readonly schema: { readonly [keyword: string]: unknown } | null
  /** The tool calls the question is about. */
  readonly actionRequests?: readonly {
    readonly name: string
    readonly args: unknown
    readonly description?: string
  }[]
}
