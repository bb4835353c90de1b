import type { OutboxRow } from '../store/outbox.ts'

/** Values that all processes share; each alarm is told by the one whose exchange succeeds. */
export interface AlarmMemory {
  /** null if there is none. */
  get(name: string): Promise<string | null>
  /**
   * Returns whether this call replaced the value. `before` null: there is none. `rows` are written to the outbox
   * in the same transaction; they are empty unless connections were created with `outbox: true`.
   */
  exchange(
    name: string,
    before: string | null,
    after: string,
    rows: readonly OutboxRow[],
  ): Promise<boolean>
}

/** For a single process, without an outbox. */
export function createAlarmMemory(): AlarmMemory {
  const values = new Map<string, string>()
  return {
    get: async (name) => values.get(name) ?? null,
    async exchange(name, before, after) {
      if ((values.get(name) ?? null) !== before) return false
      values.set(name, after)
      return true
    },
  }
}
