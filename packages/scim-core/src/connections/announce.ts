import type { Events, Runtime } from '@x/wire'
import { eventId } from '../rules/outbox-rows.ts'
import type { OutboxRow } from '../store/outbox.ts'
import type { AlarmMemory } from './alarm-memory.ts'
import type { ConnectionEvents } from './connection-events.ts'

/** An alarm that is to be told. */
export type Alarm = {
  readonly [Name in keyof ConnectionEvents]: {
    readonly type: Name
    readonly facts: ConnectionEvents[Name]
  }
}[keyof ConnectionEvents]

/** Replaces what a memory knows of a source and tells the alarms, unless another process has done so. */
export type Announce = (
  name: string,
  change: { readonly before: string | null; readonly after: string },
  alarms: readonly Alarm[],
) => Promise<void>

export function createAnnounce({
  memory,
  emit,
  runtime,
  outbox,
}: {
  readonly memory: AlarmMemory
  readonly emit: Events<ConnectionEvents>['emit']
  readonly runtime: Runtime
  readonly outbox: boolean
}): Announce {
  return async (name, { before, after }, alarms) => {
    const rows = outbox ? alarms.map((alarm) => rowOf(alarm, runtime)) : []
    if (!(await memory.exchange(name, before, after, rows))) return
    for (const { type, facts } of alarms) emit(type, facts)
  }
}

function rowOf({ type, facts }: Alarm, runtime: Runtime): OutboxRow {
  const { at, tenant, connectionId, ...data } = facts
  return {
    id: eventId(runtime.now(), runtime),
    tenant,
    type,
    resourceType: 'Connection',
    resourceId: connectionId,
    at,
    requestId: runtime.uuid(),
    actor: null,
    // Not the row's own id: streams of security events tell of users and groups only.
    setId: connectionId,
    op: 'patch',
    data: JSON.stringify(data),
  }
}
