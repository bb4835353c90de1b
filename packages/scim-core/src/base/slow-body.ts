import type { Runtime } from '@x/wire'

/** After this time, the sender of a body is checked again. */
const SLOW_MS = 1_000

/** True if the body of a request took so long that its sender may have lost the right to act. */
export function isSlow(begun: Date, runtime: Pick<Runtime, 'now'>): boolean {
  return Math.abs(runtime.now().getTime() - begun.getTime()) >= SLOW_MS
}
