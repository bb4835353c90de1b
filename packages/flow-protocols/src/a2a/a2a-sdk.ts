/** The parts of `@a2a-js/sdk` that the door uses, loaded when it is first called. */
export async function loadSdk() {
  const [sdk, server, legacy, errors] = await Promise.all([
    import('@a2a-js/sdk'),
    import('@a2a-js/sdk/server'),
    import('@a2a-js/sdk/compat/v0_3/server'),
    import('@a2a-js/sdk/errors'),
  ])
  return { ...sdk, ...server, ...legacy, ...errors }
}

export type A2aSdk = Awaited<ReturnType<typeof loadSdk>>
