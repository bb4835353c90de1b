/** The parts of `@a2a-js/sdk` that the door uses. */
export type A2aSdk = typeof import('@a2a-js/sdk') &
  typeof import('@a2a-js/sdk/server') &
  typeof import('@a2a-js/sdk/compat/v0_3/server') &
  typeof import('@a2a-js/sdk/errors')

/** Loads them when the door is first called. */
export async function loadSdk(): Promise<A2aSdk> {
  const [sdk, server, legacy, errors] = await Promise.all([
    import('@a2a-js/sdk'),
    import('@a2a-js/sdk/server'),
    import('@a2a-js/sdk/compat/v0_3/server'),
    import('@a2a-js/sdk/errors'),
  ])
  return { ...sdk, ...server, ...legacy, ...errors }
}
