import type { ComponentServices } from '../components/define/services.ts'
import { createDefaultFetch } from './default-fetch.ts'
import { followingRedirects } from '@x/wire'
import { withKeyRules, type KeyRules } from './key-rules.ts'
import { guardedBy, openFetch } from './open-fetch.ts'
import { unobservedFetch } from './observed-fetch.ts'

export interface OutgoingOptions {
  /** Private hosts or ranges that the platform's guarded fetch may reach. Default none. */
  readonly allow?: readonly string[] | undefined
  /** Allows private addresses when the host supplies no fetch. Default false. */
  readonly allowPrivate?: boolean | undefined
  /** Texts that are the user's own, also where the environment holds the same. Default none. */
  readonly isOwn?: KeyRules['isOwn']
}

const platform = createDefaultFetch()
const open: typeof fetch = (input, init) => fetch(input, init)

/** The fetch below the rules, and the rules, of each fetch made here. */
const made = new WeakMap<typeof fetch, KeyRules & { readonly below: typeof fetch }>()

/**
 * Returns the fetch shared by components, models, embeddings, MCP servers and node refreshes:
 * the host's fetch or the platform's guarded one, with the key rules applied to every redirect. The
 * rules of a fetch made here are replaced, and its environment stays unless another one is given.
 */
export function outgoingFetch(
  { fetch: given, environment }: Pick<ComponentServices, 'fetch' | 'environment'>,
  { allow, allowPrivate = false, isOwn }: OutgoingOptions = {},
): typeof fetch {
  const plain = unobservedFetch(given)
  const before = plain === undefined ? undefined : made.get(plain)
  const rules = {
    environment: environment ?? before?.environment ?? {},
    isOwn: isOwn ?? before?.isOwn,
  }
  const isSame = rules.environment === before?.environment && rules.isOwn === before.isOwn
  if (plain !== undefined && isSame) return plain
  const below =
    before?.below ?? plain ?? (allowPrivate ? open : allow ? createDefaultFetch(allow) : platform)
  const ruled = (send: typeof fetch): typeof fetch => {
    const fetch = followingRedirects(withKeyRules(send, rules))
    made.set(fetch, { ...rules, below: send })
    return fetch
  }
  return guardedBy(ruled(below), ruled(openFetch(below)))
}

/** The key rules that a fetch applies. */
export function rulesOf(given: typeof fetch | undefined): Partial<KeyRules> {
  const plain = unobservedFetch(given)
  return (plain === undefined ? undefined : made.get(plain)) ?? {}
}
