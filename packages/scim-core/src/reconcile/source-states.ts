import type { FoundReason, SourceState } from './reasons.ts'

/** A token, or a secret of a client. */
export interface ReconcileCredential {
  readonly expiresAt: Date | null
  readonly revokedAt?: Date | null
}

/** A credential of the host's own settings, by the id of its principal. */
export interface NamedCredential extends ReconcileCredential {
  readonly id: string
}

/** What a reconciliation asks of connections; `createScimConnections` has it. */
export interface ReconcileConnections {
  list(tenant: string): Promise<
    readonly {
      readonly id: string
      readonly name: string
      readonly lastUsedAt: Date | null
      readonly settings: { readonly silenceAfter?: number }
    }[]
  >
  listTokens(tenant: string, id: string): Promise<readonly ReconcileCredential[]>
  listClients(
    tenant: string,
    id: string,
  ): Promise<readonly { readonly secrets: readonly ReconcileCredential[] }[]>
  /** When connections were removed. */
  removed?(tenant: string): Promise<readonly { readonly id: string; readonly at: Date }[]>
}

/** Seconds without a request after which a connection is silent. */
export const SILENCE_SECONDS = 86_400

/** What is known of the connections and credentials of a tenant at a time. */
export async function readSourceStates(
  {
    connections,
    credentials,
  }: {
    readonly connections?: ReconcileConnections | undefined
    readonly credentials?: readonly NamedCredential[] | undefined
  },
  { tenant, now }: { readonly tenant: string; readonly now: Date },
): Promise<SourceState> {
  const states = new Map<string, FoundReason | null>()
  for (const connection of (await connections?.list(tenant)) ?? []) {
    const { id, name, lastUsedAt, settings } = connection
    const tokens = (await connections?.listTokens(tenant, id)) ?? []
    const clients = (await connections?.listClients(tenant, id)) ?? []
    // A client without secrets signs assertions, which do not end.
    const isSigning = clients.some(({ secrets }) => secrets.length === 0)
    const given = [...tokens, ...clients.flatMap(({ secrets }) => secrets)]
    const ended = isSigning ? null : endOf(given, now)
    const silence = (settings.silenceAfter ?? SILENCE_SECONDS) * 1_000
    const isSilent =
      silence > 0 && lastUsedAt !== null && now.getTime() - lastUsedAt.getTime() >= silence
    states.set(
      `connection:${id}`,
      ended !== null
        ? { reason: 'credential-expired', since: ended, detail: name }
        : isSilent
          ? { reason: 'connection-silent', since: lastUsedAt, detail: name }
          : null,
    )
  }
  const byId = new Map<string, ReconcileCredential[]>()
  for (const credential of credentials ?? []) {
    byId.set(credential.id, [...(byId.get(credential.id) ?? []), credential])
  }
  for (const [id, given] of byId) {
    const ended = endOf(given, now)
    const reason = { reason: 'credential-expired', since: ended, detail: id } as const
    states.set(`token:${id}`, ended === null ? null : reason)
  }
  const removed = (await connections?.removed?.(tenant)) ?? []
  const gone = new Map(removed.map(({ id, at }) => [`connection:${id}`, at]))
  return (source, lastWrittenAt) => {
    const state = states.get(source)
    if (state !== undefined) return state
    const isConnection = source.startsWith('connection:')
    if (isConnection ? connections === undefined : credentials === undefined) return null
    const since = gone.get(source) ?? lastWrittenAt
    return { reason: 'connection-gone', since, detail: source.slice(source.indexOf(':') + 1) }
  }
}

/** When the last of some credentials ended; null if one is alive, or there has been none. */
function endOf(credentials: readonly ReconcileCredential[], now: Date): Date | null {
  let latest: Date | null = null
  for (const { expiresAt, revokedAt = null } of credentials) {
    const ends = [expiresAt, revokedAt].filter((time) => time !== null)
    const [end] = ends.toSorted((a, b) => a.getTime() - b.getTime())
    if (end === undefined || end > now) return null
    if (latest === null || end > latest) latest = end
  }
  return latest
}
