import type { Runtime } from '@x/wire'

/**
 * A UUID whose first 48 bits are the time and whose other bits are random. The index of random ids is
 * written all over: of ids like this the rows of one moment lie on one page.
 */
export function orderedId(runtime: Pick<Runtime, 'now' | 'uuid'>): string {
  const time = runtime.now().getTime().toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}${runtime.uuid().slice(13)}`
}
