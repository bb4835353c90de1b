import { FlowError, isFlowError } from '../errors.ts'

/** A provider's error in a common format. */
export interface ProviderFailure {
  /** HTTP status; null without a response. */
  readonly status: number | null
  /** The provider's own code, for example `invalid_api_key`. */
  readonly code: string | null
  readonly message: string
}

/** A failed model request: code `model_failed`, `status` of the provider's response (502 without one). */
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

/** Checks the shape, so that errors from another copy of the package count too. */
export function isModelError(value: unknown): value is ModelError {
  return isFlowError(value) && 'provider' in value
}

/** Creates the error of a stream that ended early; `secrets` are redacted. */
export function streamError(error: unknown, secrets: readonly string[]): ModelError {
  const text = error instanceof Error ? error.message : String(error)
  const message = redact(`The response was cut off: ${text}`, secrets)
  return new ModelError({ status: null, code: 'connection', message })
}

/** Removes secrets from a string, so that they never appear in messages, events or logs. */
export function redact(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= 4)
    .reduce((shown, secret) => shown.replaceAll(secret, '*****'), text)
}
