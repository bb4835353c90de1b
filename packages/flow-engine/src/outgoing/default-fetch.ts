import { guardedBy } from './open-fetch.ts'

/**
 * The guarded fetch of this platform, loaded when it is first called: on Node the one that checks
 * the address connected to, elsewhere the one that reads addresses (AB-43).
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
    (input, init) => fetch(input, init),
  )
}
