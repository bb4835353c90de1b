import { clientNetworkOf, type Runtime } from '@x/wire'
import { PortalError } from '../http/portal-error.ts'

const WINDOW_MS = 60_000
const REFUSALS = 20
const MAX_CLIENTS = 10_000

/** Counts refused links by the network of the client, within this process. */
export interface Attempts {
  /** @throws PortalError too_many_attempts */
  admit(address: string): void
  refused(address: string): void
}

export function createAttempts(runtime: Pick<Runtime, 'now'>): Attempts {
  const times = new Map<string, number[]>()
  const recent = (key: string): number[] => {
    const since = runtime.now().getTime() - WINDOW_MS
    return (times.get(key) ?? []).filter((at) => at > since)
  }
  return {
    admit(address) {
      const [oldest, ...others] = recent(clientNetworkOf(address))
      if (oldest === undefined || others.length + 1 < REFUSALS) return
      const seconds = Math.ceil((oldest + WINDOW_MS - runtime.now().getTime()) / 1_000)
      throw new PortalError(429, 'too_many_attempts', 'Too many links were refused.', {
        'retry-after': String(Math.max(1, seconds)),
      })
    },
    refused(address) {
      const key = clientNetworkOf(address)
      const own = [...recent(key), runtime.now().getTime()].slice(-REFUSALS)
      times.delete(key)
      times.set(key, own)
      for (const oldest of times.keys()) {
        if (times.size <= MAX_CLIENTS) break
        times.delete(oldest)
      }
    },
  }
}
