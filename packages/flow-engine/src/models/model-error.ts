import { FlowError, isFlowError } from '../errors.ts'

/** A provider's error, in one form for all of them (FE-50). */
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
  return isFlowError(value) && 'provider' in value
}

/** A stream that ended before its answer did; `secrets` do not occur in it. */
export function brokenStream(error: unknown, secrets: readonly string[]): ModelError {
  const text = error instanceof Error ? error.message : String(error)
  const message = redact(`The answer broke off: ${text}`, secrets)
  return new ModelError({ status: null, code: 'connection', message })
}

/** Keys never stand in messages, events or logs (FE-50). */
export function redact(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= 4)
    .reduce((shown, secret) => shown.replaceAll(secret, '*****'), text)
}
