import type { ScimDocument } from '../base/document.ts'
import type { ScimEventName, ScimEvents } from '../options/events.ts'
import { instantText } from '../resource/instant-text.ts'
import type { Call, Rules } from './call.ts'

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

/** A resource whose JSON is written and parsed when it is first read. */
export function lazily(text: () => string): () => ScimDocument {
  let document: ScimDocument | undefined
  return () => (document ??= frozen(text()))
}

/** The documents of an event; each is written and parsed when a listener first reads it. */
export function documents<K extends string>(
  texts: Readonly<Record<K, () => string>>,
): Readonly<Record<K, ScimDocument>> {
  const names = Object.keys(texts) as K[]
  const members = names.map(
    (name) => [name, { enumerable: true, get: lazily(texts[name]) }] as const,
  )
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

/** A resource as plain frozen data. */
function frozen(text: string): ScimDocument {
  return deepFreeze(JSON.parse(text) as ScimDocument)
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) deepFreeze(member)
    Object.freeze(value)
  }
  return value
}
