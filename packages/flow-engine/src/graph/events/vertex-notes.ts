import type { LogEntry } from './vertex-logs.ts'

/** What a component noted in a build; most note nothing. */
export interface VertexNotes {
  readonly logs: ReadonlyMap<string, readonly LogEntry[]>
  readonly hasStatus: boolean | 'text'
}

/** The notes of a build; undefined if it has none. */
export function notesOf({ logs, hasStatus }: VertexNotes): VertexNotes | undefined {
  return hasStatus === false && logs.size === 0 ? undefined : { logs, hasStatus }
}
