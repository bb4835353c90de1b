/** What became of a request, in one word. */
export const LOG_OUTCOMES = [
  'created',
  'updated',
  'unchanged',
  'activated',
  'deactivated',
  'deleted',
  'members_changed',
  'found',
  'not_found',
  'discovery',
  'conflict',
  'invalid',
  'refused',
  'wrong_secret',
  'expired_secret',
  'revoked_secret',
  'paused',
  'rate_limited',
  'failed',
] as const

export type LogOutcome = (typeof LOG_OUTCOMES)[number]

/** A request of a connection, without any value but the name of its resource. */
export interface LogEntry {
  readonly requestId: string
  /** RFC 3339, UTC. */
  readonly at: string
  readonly op: string
  readonly resourceType: string | null
  readonly resourceId: string | null
  readonly name: string | null
  readonly status: number
  readonly outcome: LogOutcome
  readonly scimType: string | null
  readonly detail: string | null
  /** Names of attributes. */
  readonly changed: readonly string[]
  /** Paths that were not stored. */
  readonly ignored: readonly string[]
  readonly members: { readonly added: number; readonly removed: number } | null
  readonly durationMs: number
  readonly secretId: string | null
  readonly clientAddress: string | null
  /** How many equal requests the entry stands for. */
  readonly count: number
}

/** What a search for an entry looks through: folded texts, one a line. */
export function searchText(
  { name, resourceId, requestId, detail }: LogEntry,
  fold: (text: string) => string,
): string {
  return fold([name, resourceId, requestId, detail].map((text) => text ?? '').join('\n'))
}

/** True for the writes of a user that were carried out. */
export function isUserWrite(entry: LogEntry): boolean {
  return entry.resourceType === 'User' && entry.status < 300 && WRITES.has(entry.op)
}

export const WRITES: ReadonlySet<string> = new Set(['create', 'replace', 'patch', 'delete'])
