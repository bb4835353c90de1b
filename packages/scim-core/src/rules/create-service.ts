import { withoutRepeatedSchemaErrors } from '@x/wire'
import { createScimEmitter } from '../options/events.ts'
import type { ConnectionSettings } from '../base/connection-settings.ts'
import {
  completeOptions,
  withSettings,
  type ScimConfig,
  type ScimOptions,
} from '../options/options.ts'
import { createCursors } from '../resource/cursor.ts'
import { createResourceSerializer, type Presenter } from '../resource/present.ts'
import { auditEntry, type Subject } from './audit.ts'
import { observationOf } from './observation.ts'
import { createActivityRecorder } from './record-activity.ts'
import { operationMetrics } from './operation-metrics.ts'
import { createTrace, type Rules } from './call.ts'
import { schemaOf } from '../schema/registry.ts'
import { createGroupRules } from './groups.ts'
import { createResourceRules } from './resources.ts'
import type { Outcome, Service } from './service.ts'
import { createUserRules } from './users.ts'

/** @throws ScimConfigError */
export function createService(options: ScimOptions): Service {
  const config = completeOptions(options)
  const { runtime } = config
  const report = withoutRepeatedSchemaErrors(
    (error: unknown, requestId: string): void => {
      try {
        if (options.onError === undefined) writeToConsole(error, requestId)
        else options.onError(error, { requestId })
      } catch {
        // An error thrown by the error handler is ignored; the request is still answered.
      }
    },
    () => runtime.now(),
  )
  const emitter = createScimEmitter((error) => report(error, ''))
  const counted = options.metrics && operationMetrics(options.metrics, config.metricTenants)
  const { activity } = config.store
  const record =
    activity === undefined || options.rememberActivity === false
      ? undefined
      : createActivityRecorder(activity, (error) => report(error, ''))
  const audit = (subject: Subject, outcome: Outcome): void => {
    counted?.(subject, outcome)
    const { observe } = options
    record?.(subject, outcome)
    if (options.audit === undefined && observe === undefined && !emitter.wants('audit')) return
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
      connectionId: outcome.connectionId,
    })
    callAudit(options, entry, (thrown) => report(thrown, outcome.requestId))
    if (emitter.wants('audit')) emitter.emit('audit', { entry })
    if (observe === undefined) return
    try {
      observe(observationOf(entry, outcome))
    } catch (thrown) {
      report(thrown, outcome.requestId)
    }
  }

  const failed = (error: unknown, requestId: string): void => {
    report(error, requestId)
    emitter.emit('error', { at: runtime.now().toISOString(), requestId, error })
  }

  const shared = {
    cursorsOf: createCursorsOf(config),
    emitter,
    beforeCommit: beforeCommitOf(options),
    resolveMe: options.resolveMe,
    report,
    audit,
    failed,
  }
  const variants = new Map<string, Service>()
  const service = assemble(config, shared, (settings) => {
    const key = JSON.stringify(settings)
    const known = variants.get(key)
    if (known !== undefined) return known
    if (variants.size === MAX_VARIANTS) variants.clear()
    const variant = assemble(withSettings(config, settings), shared, () => variant)
    variants.set(key, variant)
    return variant
  })
  return service
}

/** Maximum number of cached services with different settings. */
const MAX_VARIANTS = 100

type Shared = Pick<
  Service,
  'emitter' | 'beforeCommit' | 'resolveMe' | 'report' | 'audit' | 'failed'
> & { readonly cursorsOf: (config: ScimConfig) => Service['cursors'] }

function assemble(
  config: ScimConfig,
  shared: Shared,
  variant: (settings: ConnectionSettings) => Service,
): Service {
  const { quirks, limits, rejectUnknown, rejectPassword, requirePatchPath, replaceComplex } = config
  const { emitter, beforeCommit } = shared
  const rules: Rules = {
    config,
    read: { quirks, limits, rejectUnknown, rejectPassword, requirePatchPath, replaceComplex },
    emitter,
    beforeCommit,
  }
  const presenterOf = createPresenters(rules)
  const users = createUserRules(rules)
  const groups = createGroupRules(rules)
  const custom = new Map(
    [...config.types.values()].map(({ type }) => [
      type.name,
      createResourceRules(rules, type, schemaOf(config.schemas, type.name)),
    ]),
  )
  const service: Service = {
    ...rules,
    ...shared,
    cursors: shared.cursorsOf(config),
    users,
    groups,
    writesOf(type) {
      if (type === 'User') return users
      const own = type === 'Group' ? groups : custom.get(type)
      if (own === undefined) throw new TypeError(`There is no resource type ${type}`)
      return own
    },
    withSettings: (settings) => (settings === undefined ? service : variant(settings)),
    createCall: (input) => ({
      isInProcess: input.isInProcess,
      connectionId: input.connectionId,
      provider: input.provider,
      tenant: input.tenant,
      actor: input.actor,
      requestId: input.requestId,
      context: input.context,
      now: input.now,
      presenter: presenterOf(input.tenant),
      ifMatch: config.etag ? input.ifMatch : null,
      trace: createTrace(),
    }),
  }
  return service
}

/** Without `onError` failures are still logged. */
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

/** The presenter of the last tenant is cached, as most services have only one. */
function createPresenters({ config }: Rules): (tenant: string) => Presenter {
  let last: Presenter | undefined
  return (tenant) => {
    const baseUrl = config.baseUrl(tenant)
    if (last?.baseUrl !== baseUrl) last = createResourceSerializer({ ...config, baseUrl })
    return last
  }
}

/**
 * Services with different settings share one cursor key. It is created with the first cursor, because
 * Workers do not provide random bytes while a module loads.
 */
function createCursorsOf({ runtime, ...given }: ScimConfig): Shared['cursorsOf'] {
  const secret = given.cursor?.secret
  let key: Uint8Array | undefined =
    secret === undefined ? undefined : new TextEncoder().encode(secret)
  const keyOf = (): Uint8Array => (key ??= runtime.randomBytes(32))
  return ({ cursor }) => cursor && createCursors({ keyOf, ttl: cursor.ttl })
}
