import type { ComponentServices } from '../components/define/services.ts'
import { createDefaultFetch } from './default-fetch.ts'
import { withKeyRules } from './key-rules.ts'
import { guardedBy, openFetch } from './open-fetch.ts'
import { untoldFetch } from './told-fetch.ts'

export interface OutgoingOptions {
  /** Private hosts or ranges that the platform's guarded fetch may reach; none by default. */
  readonly allow?: readonly string[] | undefined
  /** True: without a fetch of the host's own, private addresses are open (AB-43). */
  readonly allowPrivate?: boolean | undefined
}

const platform = createDefaultFetch()
const open: typeof fetch = (input, init) => fetch(input, init)

/**
 * The one fetch that components, models, embeddings, tool servers and refreshes of a node use
 * (AB-40, AB-41): the host's, else the guarded one of the platform, bound to the rules for keys.
 */
export function outgoingFetch(
  { fetch: given, environment = {} }: Pick<ComponentServices, 'fetch' | 'environment'>,
  { allow, allowPrivate = false }: OutgoingOptions = {},
): typeof fetch {
  const chosen =
    untoldFetch(given) ?? (allowPrivate ? open : allow ? createDefaultFetch(allow) : platform)
  const ruled = withKeyRules(chosen, environment)
  if (ruled === chosen) return chosen
  return guardedBy(ruled, withKeyRules(openFetch(chosen), environment))
}
