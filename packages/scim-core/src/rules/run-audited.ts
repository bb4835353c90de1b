import { isSchemaError } from '@x/wire'
import type { ScimError } from '../base/errors.ts'
import type { Subject } from './audit.ts'
import type { Call } from './call.ts'
import type { Service } from './service.ts'
import { toScimError } from './to-scim-error.ts'

/** The outcome of an operation: its result, or the error to return. */
export type Audited<Result> =
  | { readonly result: Result; readonly error?: undefined }
  | { readonly result?: undefined; readonly error: ScimError }

/** An operation with the audit facts of its success. */
export interface AuditedOperation<Result> {
  readonly subject: Subject
  readonly call: Call
  readonly statusOf: (result: Result) => number
}

/**
 * Runs an operation: errors become the response, unexpected ones are passed to `onError`, and the
 * audit entry is written in any case.
 */
export async function runAudited<Result>(
  service: Service,
  { subject, call, statusOf }: AuditedOperation<Result>,
  work: () => Promise<Result>,
): Promise<Audited<Result>> {
  const { now: started, requestId, tenant, actor, trace, connectionId, provider } = call
  const entry = (status: number, error?: ScimError): void =>
    service.audit(subject, {
      started,
      requestId,
      tenant,
      actor,
      status,
      error,
      trace,
      connectionId,
      provider,
    })
  try {
    const result = await work()
    entry(statusOf(result))
    return { result }
  } catch (thrown) {
    const error = toScimError(thrown)
    if (error.code === 'internal' || isSchemaError(thrown)) service.failed(thrown, requestId)
    entry(error.status, error)
    return { error }
  }
}
