import type { ComponentContext } from './context.ts'
import type { WorkCaller } from './services.ts'

/** Identifies the run to shared workers; a visitor's run has its own turns. */
export function workCaller({
  services,
  signal,
  userId,
}: Pick<ComponentContext, 'services' | 'signal' | 'userId'>): WorkCaller {
  const owner = services.workOwner ?? userId
  return owner === undefined ? { signal } : { signal, userId: owner }
}
