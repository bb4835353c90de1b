import { elapsedMs, readStream, type Runtime } from '@x/wire'
import type { JSONWebKeySet } from '../base/signing-key.ts'

/** The part of `fetch` used for key servers and introspection. */
export type OAuthFetch = (url: string, init?: RequestInit) => Promise<Response>

/** The keys of an issuer. */
export interface KeySource {
  /** null: the key server is unreachable and no keys are cached. */
  keys(): Promise<JSONWebKeySet | null>
  /** Fetches again, unless it did so within the last 30 seconds; null as above. */
  fresh(): Promise<JSONWebKeySet | null>
  /** True if the last request failed. */
  hasFailed(): boolean
}

const CACHE_MS = 600_000
const PAUSE_MS = 30_000
/** Pause before an unresponsive server is asked again, in milliseconds. */
const HUNG_MS = 5_000
const TIMEOUT_MS = 5_000
const ANSWER_BYTES = 1_048_576

/** Given keys never change; those from a URL are cached for 10 minutes. */
export function createKeySource(
  jwks: URL | string | JSONWebKeySet,
  { fetch: ask, runtime }: { readonly fetch: OAuthFetch; readonly runtime: Runtime },
): KeySource {
  if (typeof jwks === 'object' && !(jwks instanceof URL)) {
    return { keys: async () => jwks, fresh: async () => jwks, hasFailed: () => false }
  }
  const url = String(jwks)
  let known: JSONWebKeySet | null = null
  let askedAt = Number.NEGATIVE_INFINITY
  let readAt = Number.NEGATIVE_INFINITY
  let failed = false
  /** When the last request timed out. */
  let hungAt: number | null = null
  let running: Promise<void> | null = null

  const refresh = async (): Promise<void> => {
    askedAt = runtime.now().getTime()
    try {
      known = await readKeys(url, ask)
      readAt = askedAt
      failed = false
      hungAt = null
    } catch (error) {
      failed = true
      hungAt = isTimeout(error) ? runtime.now().getTime() : null
    }
  }
  const once = (): Promise<void> => {
    running ??= refresh().finally(() => (running = null))
    return running
  }
  return {
    async keys() {
      const now = runtime.now().getTime()
      if (elapsedMs(readAt, now) < CACHE_MS) return known
      if (known === null) {
        if (hungAt === null || elapsedMs(hungAt, now) >= HUNG_MS) await once()
        return known
      }
      // While the server fails, cached keys remain in use and it is not asked on every request.
      if (elapsedMs(askedAt, now) < PAUSE_MS) return known
      const asking = once()
      if (hungAt === null) await asking
      return known
    },
    async fresh() {
      if (elapsedMs(askedAt, runtime.now().getTime()) >= PAUSE_MS) await once()
      else if (running !== null) await running
      return known
    },
    hasFailed: () => failed,
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError'
}

async function readKeys(url: string, ask: OAuthFetch): Promise<JSONWebKeySet> {
  const response = await ask(url, {
    headers: { accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  if (!response.ok) throw new Error(`The key server responded with status ${response.status}`)
  const body: unknown = JSON.parse(
    new TextDecoder().decode(await readStream(response.body, ANSWER_BYTES)),
  )
  const keys: unknown = typeof body === 'object' && body !== null && Reflect.get(body, 'keys')
  if (!Array.isArray(keys)) throw new Error('The key server returned no keys')
  return body as JSONWebKeySet
}
