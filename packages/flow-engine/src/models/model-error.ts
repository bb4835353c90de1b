import { FlowError } from '../errors.ts'

/** What a provider said, in one form for all of them (FE-50). */
export interface ProviderFailure {
  /** HTTP status; null when there was no answer. */
  readonly status: number | null
  /** The provider's own code, for example `invalid_api_key`. */
  readonly code: string | null
  readonly message: string
}

/** A model request that failed: code `model_failed`, `status` that of the provider's answer (502 without one). */
export class ModelError extends FlowError {
  override readonly name = 'ModelError'
  readonly provider: ProviderFailure

  constructor(failure: ProviderFailure, cause?: unknown) {
    const text =
      failure.status === null
        ? failure.message
        : `Error code: ${failure.status} - ${failure.message}`
    super('model_failed', text, {
      status: failure.status ?? 502,
      ...(cause === undefined ? {} : { cause }),
    })
    this.provider = failure
  }
}

/** By form, so that another copy of the package counts too. */
export function isModelError(value: unknown): value is ModelError {
  return value instanceof FlowError && 'provider' in value
}
