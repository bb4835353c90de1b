import type { LogEntry } from './vertex-logs.ts'

/** The notes of a component in a build; most builds have none. */
export interface VertexNotes {
  readonly logs: ReadonlyMap<string, readonly LogEntry[]>
  readonly hasStatus: boolean | 'text'
}

/** The notes of a build; undefined if it has none. */
export function notesOf({ logs, hasStatus }: VertexNotes): VertexNotes | undefined {
  return hasStatus === false && logs.size === 0 ? undefined : { logs, hasStatus }
}
