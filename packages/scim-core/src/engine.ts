import type { ScimError } from './errors.ts'
import { createScimEmitter, type ScimEmitter } from './events.ts'
import type { Routes } from './http/exchange.ts'
import { completeOptions, type ScimOptions } from './options.ts'
import type { ScimContext } from './principal.ts'
import { createCursors } from './resource/cursor.ts'
import { createPresenter, type Presenter } from './resource/present.ts'
import { auditEntry, type Subject } from './rules/audit.ts'
import { createTrace, type Call, type Rules, type Trace } from './rules/call.ts'
import { createGroupRules } from './rules/groups.ts'
import { createUserRules } from './rules/users.ts'

/** Facts of a finished operation, for its audit entry. */
export interface Outcome {
  readonly started: Date
  readonly requestId: string
  readonly tenant: string | null
  readonly actor: string | null
  readonly status: number
  readonly error?: ScimError | undefined
  readonly trace?: Trace | undefined
  /** The answer ended before its end. */
  readonly aborted?: boolean
}

/** What one operation is called with. */
export interface CallInput {
  readonly tenant: string
  readonly actor: string | null
  readonly requestId: string
  readonly context: ScimContext
  readonly now: Date
  readonly ifMatch: string | null
}

/** The parts of a service, put together from its options. */
export interface Engine {
  readonly routes: Routes
  readonly emitter: ScimEmitter
  readonly createCall: (input: CallInput) => Call
  readonly audit: (subject: Subject, outcome: Outcome) => void
  /** An error that was answered with 500: to `onError` and the event `error` (SC-12). */
  readonly failed: (error: unknown, requestId: string) => void
  /** An error of a host's callback. */
  readonly report: (error: unknown, requestId: string) => void
}

/** @throws ScimConfigError */
export function createEngine(options: ScimOptions): Engine {
  const config = completeOptions(options)
  const { runtime, quirks, limits } = config
  const report = (error: unknown, requestId: string): void => {
    try {
      if (options.onError === undefined) writeToConsole(error, requestId)
      else options.onError(error, { requestId })
    } catch {
      // A failing error handler has nowhere to go; the request is answered all the same.
    }
  }
  const emitter = createScimEmitter((error) => report(error, ''))
  const rules: Rules = {
    config,
    read: { quirks, limits, rejectUnknown: config.rejectUnknown },
    emitter,
    beforeCommit: beforeCommitOf(options),
  }
  const presenterOf = createPresenters(rules)

  const audit = (subject: Subject, outcome: Outcome): void => {
    if (options.audit === undefined && !emitter.wants('audit')) return
    const { started, error, trace = createTrace() } = outcome
    const entry = auditEntry(subject, trace, {
      at: started,
      durationMs: runtime.now().getTime() - started.getTime(),
      requestId: outcome.requestId,
      tenant: outcome.tenant,
      actor: outcome.actor,
      status: outcome.status,
      scimType: error?.scimType,
      withUserName: options.auditUserNames === true,
      aborted: outcome.aborted === true,
    })
    callAudit(options, entry, (thrown) => report(thrown, outcome.requestId))
    if (emitter.wants('audit')) emitter.emit('audit', { entry })
  }

  const failed = (error: unknown, requestId: string): void => {
    report(error, requestId)
    emitter.emit('error', { at: runtime.now().toISOString(), requestId, error })
  }

  return {
    emitter,
    report,
    audit,
    failed,
    createCall: ({ tenant, actor, requestId, context, now, ifMatch }) => ({
      tenant,
      actor,
      requestId,
      context,
      now,
      presenter: presenterOf(tenant),
      ifMatch: config.etag ? ifMatch : null,
      trace: createTrace(),
    }),
    routes: {
      rules,
      users: createUserRules(rules),
      groups: createGroupRules(rules),
      cursors: createCursorsOf(rules),
      resolveMe: options.resolveMe,
      failed,
      audit: (subject, call, status, error) =>
        audit(subject, {
          started: call.now,
          requestId: call.requestId,
          tenant: call.tenant,
          actor: call.actor,
          status,
          error,
          trace: call.trace,
        }),
    },
  }
}

/** Without `onError` a failure is not lost (SH-73). */
function writeToConsole(error: unknown, requestId: string): void {
  // oxlint-disable-next-line no-console -- the last resort of a host without `onError`
  console.error(`SCIM request ${requestId === '' ? '(none)' : requestId} failed:`, error)
}

function beforeCommitOf({ beforeCommit, beforeWrite }: ScimOptions): ScimOptions['beforeCommit'] {
  if (beforeWrite === undefined) return beforeCommit
  return (change, { context }) => beforeWrite(change, context)
}

function callAudit(
  { audit }: ScimOptions,
  entry: Parameters<NonNullable<ScimOptions['audit']>>[0],
  report: (error: unknown) => void,
): void {
  try {
    const result: unknown = audit?.(entry)
    if (result instanceof Promise) result.catch(report)
  } catch (error) {
    report(error)
  }
}

/** The presenter of the last tenant is kept: most services have one. */
function createPresenters({ config }: Rules): (tenant: string) => Presenter {
  let last: Presenter | undefined
  return (tenant) => {
    const baseUrl = config.baseUrl(tenant)
    if (last?.baseUrl !== baseUrl) last = createPresenter({ ...config, baseUrl })
    return last
  }
}

function createCursorsOf({ config }: Rules): Routes['cursors'] {
  if (config.cursor === null) return null
  const { ttl, secret } = config.cursor
  const key =
    secret === undefined ? config.runtime.randomBytes(32) : new TextEncoder().encode(secret)
  return createCursors({ key, ttl })
}
