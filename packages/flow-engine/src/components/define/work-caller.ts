import type { ComponentContext } from './context.ts'
import type { WorkCaller } from './services.ts'

/** The run as a caller of shared workers: a visitor's run takes turns of its own (AB-32, AB-36, AB-76). */
export function workCaller({
  services,
  signal,
  userId,
}: Pick<ComponentContext, 'services' | 'signal' | 'userId'>): WorkCaller {
  const owner = services.workOwner ?? userId
  return owner === undefined ? { signal } : { signal, userId: owner }
}
