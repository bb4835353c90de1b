import type { Connection } from '../store/connections.ts'
import type { AlarmMemory } from './alarm-memory.ts'
import type { Alarm, Announce } from './announce.ts'

/** Counts requests with an expired or revoked credential. */
export interface Refusals {
  refused(connectionId: string): void
  accepted(connectionId: string): void
}

const MANY = 20
const MAX_COUNTED = 10_000

/** Tells of a connection whose credentials are refused 20 times in a row, once until a request is accepted. */
export function createRefusals({
  memory,
  announce,
  byId,
  alarmOf,
  onError,
}: {
  readonly memory: Pick<AlarmMemory, 'get'>
  readonly announce: Announce
  readonly byId: (id: string) => Promise<Connection | null>
  readonly alarmOf: (connection: Connection, refusals: number) => Alarm
  readonly onError: (error: unknown) => void
}): Refusals {
  const counts = new Map<string, number>()
  const tell = async (id: string, refusals: number): Promise<void> => {
    const connection = await byId(id)
    if (connection === null) return
    // The last request that was accepted names the series of refusals for all processes.
    const series = `refused since ${connection.lastUsedAt?.toISOString() ?? 'ever'}`
    const name = `refusals ${id}`
    const before = await memory.get(name)
    if (before !== series)
      await announce(name, { before, after: series }, [alarmOf(connection, refusals)])
  }
  return {
    refused(id) {
      const count = (counts.get(id) ?? 0) + 1
      const oldest =
        counts.size >= MAX_COUNTED && !counts.has(id) ? counts.keys().next() : undefined
      if (oldest?.done === false) counts.delete(oldest.value)
      counts.set(id, count)
      if (count === MANY) tell(id, count).catch(onError)
    },
    accepted(id) {
      counts.delete(id)
    },
  }
}
