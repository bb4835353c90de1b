/** A JSON Schema as plain JSON. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/** A schema of a Standard Schema library that can be converted to JSON Schema, for example zod 4. */
export interface StandardSchema<T> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    validate(value: unknown): StandardResult<T> | Promise<StandardResult<T>>
    readonly types?: { readonly input: unknown; readonly output: T } | undefined
    readonly jsonSchema?: { input(options: { readonly target: 'draft-2020-12' }): object }
  }
}

export type StandardResult<T> =
  | { readonly value: T; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path?: unknown }[] }

/** An answer offered with a question. */
export interface QuestionOption {
  readonly actionId: string
  readonly label: string
}

/** A call that needs a person's approval. */
export interface ActionRequest {
  readonly name: string
  /** Arguments as JSON. */
  readonly args: unknown
  readonly description?: string
}

/** Options of a question. */
export interface SuspendOptions<T = unknown> {
  /**
   * Rejects answers that do not match, in whichever process they arrive. A Standard Schema also
   * transforms the answer where the component runs.
   */
  readonly schema?: JsonSchema | StandardSchema<T>
  /** Milliseconds to wait for an answer. Default: `maxSuspendedMs` of the service. */
  readonly expiresInMs?: number
  /** JSON used as the answer when the time is up. Without it, the vertex fails with `expired`. */
  readonly fallback?: T
  /** The kind of question. Default `question`. */
  readonly kind?: string
  /** The text shown to the person. */
  readonly prompt?: string
  /** Answers to choose from; the answer is `{action_id}`. */
  readonly options?: readonly QuestionOption[]
  readonly actionRequests?: readonly ActionRequest[]
}
