import type * as core from '@a2a-js/sdk'
import type * as compat from '@a2a-js/sdk/compat/v0_3/server'
import type * as errorTypes from '@a2a-js/sdk/errors'
import type * as serverTypes from '@a2a-js/sdk/server'

/** The parts of `@a2a-js/sdk` that the door uses. */
export type A2aSdk = typeof core & typeof serverTypes & typeof compat & typeof errorTypes

/** Loads them when the door is first called. */
export async function loadSdk(): Promise<A2aSdk> {
  const [sdk, server, legacy, errors] = await Promise.all([
    // Bundlers go on without an optional package only if its absence is handled.
    import('@a2a-js/sdk').catch(refuse),
    import('@a2a-js/sdk/server').catch(refuse),
    import('@a2a-js/sdk/compat/v0_3/server').catch(refuse),
    import('@a2a-js/sdk/errors').catch(refuse),
  ])
  return { ...sdk, ...server, ...legacy, ...errors }
}

/** @throws the cause, whatever it is */
function refuse(cause: unknown): never {
  throw cause
}
