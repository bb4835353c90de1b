/** A question as `pending` of a flow engine gives it; only these members are read. */
export interface QuestionLike {
  readonly requestId: string
  readonly kind?: string
  readonly prompt: string | null
  readonly options: readonly { readonly actionId: string; readonly label: string }[]
  /** A JSON Schema of the answer. */
  readonly schema: { readonly [keyword: string]: unknown } | null
  /** Calls of tools that the question is about. */
  readonly actionRequests?: readonly {
    readonly name: string
    readonly args: unknown
    readonly description?: string
  }[]
}
