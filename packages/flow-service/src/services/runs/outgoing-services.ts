import type { ComponentServices } from '@x/flow-engine'
import type { StoredEngineOptions } from '../../options.ts'

/** The services model clients need: the guarded fetch, and base URLs from the environment. */
export function outgoingServices({
  services,
}: Pick<StoredEngineOptions, 'services'>): ComponentServices {
  const { environment, fetch } = services ?? {}
  return { ...(environment && { environment }), ...(fetch && { fetch }) }
}
