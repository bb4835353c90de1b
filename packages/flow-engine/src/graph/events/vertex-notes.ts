import type { LogEntry } from './vertex-logs.ts'

/** Logs and status of a build; most builds have none. */
export interface VertexNotes {
  readonly logs: ReadonlyMap<string, readonly LogEntry[]>
  readonly hasStatus: boolean | 'text'
}

/** The notes of a build, or undefined if it has none. */
export function notesOf({ logs, hasStatus }: VertexNotes): VertexNotes | undefined {
  return hasStatus === false && logs.size === 0 ? undefined : { logs, hasStatus }
}
