/** A JSON Schema as plain JSON. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/** A schema of any library that follows Standard Schema and tells its JSON Schema; zod 4 does. */
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

/** One of the answers that a question offers. */
export interface QuestionOption {
  readonly actionId: string
  readonly label: string
}

/** A call that a person is asked about. */
export interface ActionRequest {
  readonly name: string
  /** JSON. */
  readonly args: unknown
  readonly description?: string
}

/** Options of a question (DR-30). */
export interface SuspendOptions<T = unknown> {
  /**
   * Answers that do not fit are refused, in whatever process they arrive (DR-31). A Standard Schema
   * then transforms the answer where the component runs.
   */
  readonly schema?: JsonSchema | StandardSchema<T>
  /** Longest time for an answer, in milliseconds; default `maxSuspendedMs` of the service. */
  readonly expiresInMs?: number
  /** The answer used when the time is over; JSON. Without one, the vertex fails as `expired`. */
  readonly fallback?: T
  /** Default `question`. */
  readonly kind?: string
  /** The text that a person reads. */
  readonly prompt?: string
  /** Answers to choose from, as `{action_id}`. */
  readonly options?: readonly QuestionOption[]
  readonly actionRequests?: readonly ActionRequest[]
}
