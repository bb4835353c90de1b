import type { ConnectionProvider } from '../base/connection-settings.ts'
import type { ScimEmitter, ScimEventName, ScimEvents } from '../options/events.ts'
import { ScimError } from '../base/errors.ts'
import type { ScimConfig, ScimOptions } from '../options/options.ts'
import type { ScimContext } from '../base/principal.ts'
import type { ScimDocument } from '../base/document.ts'
import { instantText } from '../resource/instant-text.ts'
import type { Presenter } from '../resource/present.ts'
import type { PatchContext } from '../patch/step.ts'
import { isStoreUnavailable } from '../store/errors.ts'

/** Dependencies of the rules besides the call: options, emitter and the host's veto. */
export interface Rules {
  readonly config: ScimConfig
  readonly read: PatchContext
  readonly emitter: ScimEmitter
  readonly beforeCommit: ScimOptions['beforeCommit']
}

/** One operation: caller, target, time and outcome. */
export interface Call {
  readonly tenant: string
  readonly actor: string | null
  readonly requestId: string
  readonly context: ScimContext
  readonly presenter: Presenter
  readonly now: Date
  /** Id of the caller's connection. */
  readonly connectionId?: string | undefined
  readonly provider?: ConnectionProvider | undefined
  /** True if the host itself calls, not a client over HTTP. */
  readonly isInProcess: boolean
  /** For `If-Match`; only with etag (SC-61). */
  readonly ifMatch: string | null
  /** Filled in while the operation runs. */
  readonly trace: Trace
}

/** The audit entry's part of a call. */
export interface Trace {
  resourceId: string | null
  changed: readonly string[]
  members: { readonly added: number; readonly removed: number } | null
  userName: string | null
  readonly events: ScimEventName[]
}

export function createTrace(): Trace {
  return { resourceId: null, changed: [], members: null, userName: null, events: [] }
}

/** An event of a change: written to the outbox before the commit and emitted after it. */
export interface PendingEvent {
  readonly name: ScimEventName
  readonly id: string
  readonly resourceType: string
  readonly op: 'put' | 'patch'
  /** The payload is created only if there are listeners. */
  emit(rules: Rules, call: Call): void
  /** The payload as JSON for the outbox, split into several rows if it is large. */
  texts(): readonly string[]
}

type Extra<K extends ScimEventName> = Omit<
  ScimEvents[K],
  'at' | 'tenant' | 'requestId' | 'actor' | 'id'
>

/** Options of an event that differ from the defaults. */
export interface PendingOptions {
  /** Default: derived from the event name. */
  readonly resourceType?: string
  /** Default `patch`. */
  readonly op?: 'put' | 'patch'
  /** Default: derived from the payload. */
  readonly texts?: () => readonly string[]
}

/** Prepares an event about a resource. */
export function pending<K extends Exclude<ScimEventName, 'audit' | 'error'>>(
  name: K,
  id: string,
  extra: () => Extra<K>,
  { resourceType, op = 'patch', texts }: PendingOptions = {},
): PendingEvent {
  return {
    name,
    id,
    op,
    resourceType: resourceType ?? (name.startsWith('user.') ? 'User' : 'Group'),
    texts: texts ?? (() => [JSON.stringify(extra())]),
    emit({ emitter }, { now, tenant, requestId, actor }) {
      if (!emitter.wants(name)) return
      const event = { at: instantText(now), tenant, requestId, actor, id }
      // Descriptors, because a spread would read the documents.
      Object.defineProperties(event, Object.getOwnPropertyDescriptors(extra()))
      emitter.emit(name, Object.freeze(event) as unknown as ScimEvents[K])
    },
  }
}

/** Emits the events of a committed transaction and adds them to the audit entry. */
export function emitAll(rules: Rules, call: Call, events: readonly PendingEvent[]): void {
  for (const event of events) {
    call.trace.events.push(event.name)
    event.emit(rules, call)
  }
}

/** The documents of an event; each is written and parsed when a listener first reads it. */
export function documents<K extends string>(
  texts: Readonly<Record<K, () => string>>,
): Readonly<Record<K, ScimDocument>> {
  const names = Object.keys(texts) as K[]
  const members = names.map((name) => {
    let document: ScimDocument | undefined
    return [name, { enumerable: true, get: () => (document ??= frozen(texts[name]())) }] as const
  })
  return Object.defineProperties({}, Object.fromEntries(members)) as Record<K, ScimDocument>
}

/** The payload of an event about a changed resource. */
export function changePayload(
  changed: readonly string[],
  texts: Readonly<Record<'before' | 'after', () => string>>,
): Extra<'user.updated'> {
  return Object.defineProperties(documents(texts), {
    changed: { enumerable: true, value: changed },
  }) as Extra<'user.updated'>
}

/** A resource as plain frozen data, for events and vetoes. */
export function frozen(text: string): ScimDocument {
  return deepFreeze(JSON.parse(text) as ScimDocument)
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) deepFreeze(member)
    Object.freeze(value)
  }
  return value
}

/** SC-20: later than before even if the clock stands still. */
export function laterThan(previous: Date, now: Date): Date {
  return new Date(Math.max(now.getTime(), previous.getTime() + 1))
}

/** Milliseconds before each retry of a transaction the store could not complete (SH-62). */
const PAUSES = [5, 10, 20, 40, 80]

/** Thrown inside a transaction to retry it with fresh records (SC-85). */
const CHANGED_MEANWHILE = new Error('The record was changed meanwhile')

/** Throws the error on which `withRetry` repeats the transaction, unless the compare-and-set succeeded. */
export function retryUnless(written: boolean): void {
  if (!written) throw CHANGED_MEANWHILE
}

/**
 * Retries a transaction up to 5 times: immediately if a record was changed meanwhile, and with growing
 * delays if the store reports a deadlock or a serialization failure.
 * @throws ScimError unavailable if every attempt fails
 */
export async function withRetry<T>({ config }: Rules, work: () => Promise<T>): Promise<T> {
  for (const pause of PAUSES) {
    try {
      return await work()
    } catch (error) {
      if (error === CHANGED_MEANWHILE) continue
      if (!isStoreUnavailable(error) || !error.retryable) throw error
      const [jitter = 0] = config.runtime.randomBytes(1)
      await config.runtime.sleep(pause * (1 + jitter / 510))
    }
  }
  try {
    return await work()
  } catch (error) {
    if (error !== CHANGED_MEANWHILE) throw error
    throw new ScimError('unavailable', 'The resource is being changed by others.')
  }
}

/** Compares `If-Match` with the current version (SC-61). @throws ScimError version_mismatch */
export function assertMatch({ ifMatch }: Call, version: number): void {
  if (ifMatch !== null && !matchesTag(ifMatch, version)) {
    throw new ScimError('version_mismatch', 'The resource was changed since it was read.')
  }
}

/** Weak comparison of a version with a list of entity tags, or `*`. */
export function matchesTag(header: string, version: number): boolean {
  return header.split(',').some((entry) => {
    const tag = entry.trim()
    return tag === '*' || tag.replace(/^W\//, '') === `"${version}"`
  })
}

/** 409 uniqueness; the value is not included (SC-72). */
export function notUnique(attribute: string): ScimError {
  return new ScimError('uniqueness', `The ${attribute} is in use.`)
}
