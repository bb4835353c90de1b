import type { Runtime } from '@x/wire'
import type { ScimAnswered, ScimPrincipal } from '../base/principal.ts'
import type { Connection, ConnectionPatch, ConnectionStore } from '../store/connections.ts'

/** Records uses and errors of connections after the response, best effort. */
export interface ConnectionLog {
  used(connection: Connection): void
  answered(principal: ScimPrincipal, answer: ScimAnswered): void
}

const MINUTE = 60_000
const DETAIL = 200

export function createConnectionLog({
  store,
  runtime,
  onError,
}: {
  readonly store: ConnectionStore
  readonly runtime: Runtime
  readonly onError: (error: unknown) => void
}): ConnectionLog {
  /** Connections being written, with the newest event of the meantime, which is written after it. */
  const writing = new Map<string, ConnectionPatch | null>()
  const write = (tenant: string, id: string, patch: ConnectionPatch): void => {
    const key = `${id} ${Object.keys(patch).join()}`
    if (writing.has(key)) {
      if (patch.lastError !== undefined) writing.set(key, patch)
      return
    }
    writing.set(key, null)
    void Promise.resolve()
      .then(() => store.update(tenant, id, patch))
      .catch(onError)
      .finally(() => {
        const next = writing.get(key) ?? null
        writing.delete(key)
        if (next !== null) write(tenant, id, next)
      })
  }
  return {
    used({ tenant, id, lastUsedAt, settings }) {
      const now = runtime.now()
      // The time must be more precise than a short silence.
      const { silenceAfter = 0 } = settings
      const pause = silenceAfter === 0 ? MINUTE : Math.min(MINUTE, silenceAfter * 500)
      if (lastUsedAt !== null && now.getTime() - lastUsedAt.getTime() < pause) return
      write(tenant, id, { lastUsedAt: now })
    },
    answered({ tenant, connectionId }, { status, scimType, detail }) {
      if (connectionId === undefined) return
      if (status < 400 || status === 401 || status === 404) return
      const text = (detail ?? '').slice(0, DETAIL)
      write(tenant, connectionId, {
        lastError: { at: runtime.now(), status, scimType, detail: text },
      })
    },
  }
}
