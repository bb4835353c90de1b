import type { Runtime } from '@x/wire'

/**
 * A UUID whose first 48 bits are the time and whose other bits are random. The index of random ids is
 * written all over: of ids like this the rows of one moment lie on one page.
 */
export function orderedId(runtime: Pick<Runtime, 'now' | 'uuid'>): string {
  const time = runtime.now().getTime()
  if (time !== last.time) {
    const digits = time.toString(16).padStart(12, '0')
    last = { time, prefix: `${digits.slice(0, 8)}-${digits.slice(8)}` }
  }
  return last.prefix + runtime.uuid().slice(13)
}

/** Ids are made many in a millisecond. */
let last = { time: NaN, prefix: '' }
