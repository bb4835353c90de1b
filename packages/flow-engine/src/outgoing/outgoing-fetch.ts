import type { ComponentServices } from '../components/define/services.ts'
import { createDefaultFetch } from './default-fetch.ts'
import { followingRedirects } from './follow-redirects.ts'
import { withKeyRules } from './key-rules.ts'
import { guardedBy, openFetch } from './open-fetch.ts'
import { unobservedFetch } from './observed-fetch.ts'

export interface OutgoingOptions {
  /** Private hosts or ranges that the platform's guarded fetch may reach. Default none. */
  readonly allow?: readonly string[] | undefined
  /** Allows private addresses when the host supplies no fetch (AB-43). Default false. */
  readonly allowPrivate?: boolean | undefined
}

const platform = createDefaultFetch()
const open: typeof fetch = (input, init) => fetch(input, init)

/**
 * Returns the fetch shared by components, models, embeddings, MCP servers and node refreshes (AB-40, AB-41):
 * the host's fetch or the platform's guarded one, with the key rules applied to every redirect (AB-46).
 */
export function outgoingFetch(
  { fetch: given, environment = {} }: Pick<ComponentServices, 'fetch' | 'environment'>,
  { allow, allowPrivate = false }: OutgoingOptions = {},
): typeof fetch {
  const chosen =
    unobservedFetch(given) ?? (allowPrivate ? open : allow ? createDefaultFetch(allow) : platform)
  const ruled = (send: typeof fetch): typeof fetch =>
    followingRedirects(withKeyRules(send, environment))
  return guardedBy(ruled(chosen), ruled(openFetch(chosen)))
}
