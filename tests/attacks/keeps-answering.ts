import { expect } from 'vitest'
import { besideHealth, HEALTH } from './beside-health.ts'

/** Runs an attack, and expects that the server answers an honest client in time meanwhile. */
export async function keepsAnswering<T>(
  service: { readonly url: string; readonly pid: number },
  attack: () => Promise<T>,
  within = HEALTH,
): Promise<T> {
  const { result, slowest } = await besideHealth(service, attack)
  expect(slowest).toBeLessThan(within)
  return result
}
