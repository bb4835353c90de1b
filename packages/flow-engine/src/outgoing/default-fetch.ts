import { followingRedirects } from '@x/wire'
import { guardedBy } from './open-fetch.ts'

/**
 * Creates the guarded fetch of this platform, loaded on first call. On Node it checks the address that is
 * connected to; elsewhere it checks addresses in URLs.
 * @param allow private hosts or ranges that may be reached
 */
export function createDefaultFetch(allow: readonly string[] = []): typeof fetch {
  let loading: Promise<typeof fetch> | undefined
  const load = async (): Promise<typeof fetch> => {
    const { createGuardedFetch } = await import('#guarded-fetch')
    return createGuardedFetch({ allow })
  }
  return guardedBy(
    async (input, init) => await (await (loading ??= load()))(input, init),
    followingRedirects((input, init) => fetch(input, init)),
  )
}
