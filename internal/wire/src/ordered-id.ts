import type { Runtime } from './runtime.ts'

/**
 * A UUID whose first 48 bits are the time; the rest is random. Random ids scatter writes over the whole
 * index, whereas rows with these ids that are created together share a page.
 */
export function orderedId(runtime: Pick<Runtime, 'now' | 'uuid'>): string {
  const time = runtime.now().getTime()
  if (time !== last.time) {
    const digits = time.toString(16).padStart(12, '0')
    last = { time, prefix: `${digits.slice(0, 8)}-${digits.slice(8)}` }
  }
  return last.prefix + runtime.uuid().slice(13)
}

/** Caches the prefix, because many ids are created within one millisecond. */
let last = { time: NaN, prefix: '' }
