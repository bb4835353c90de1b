import type { EndpointRecord } from '../store/outbox.ts'
import type { Sealer } from './seal.ts'

/** The secrets of an endpoint; those with `until` are valid until then. */
export interface EndpointSecret {
  readonly secret: string
  /** Milliseconds since 1970; absent: unlimited. */
  readonly until?: number
}

const MAX_CACHED = 1_000

/** Encrypts and decrypts secrets; decrypted ones are cached. */
export function createEndpointSecrets(sealer: Sealer): {
  seal(id: string, secrets: readonly EndpointSecret[]): Promise<string>
  open(endpoint: Pick<EndpointRecord, 'id' | 'secrets'>): Promise<readonly EndpointSecret[]>
} {
  const opened = new Map<string, readonly EndpointSecret[]>()
  return {
    seal: (id, secrets) => sealer.seal(JSON.stringify(secrets), id),
    async open({ id, secrets }) {
      const known = opened.get(secrets)
      if (known !== undefined) return known
      const read = JSON.parse(await sealer.open(secrets, id)) as readonly EndpointSecret[]
      if (opened.size === MAX_CACHED) opened.clear()
      opened.set(secrets, read)
      return read
    },
  }
}
