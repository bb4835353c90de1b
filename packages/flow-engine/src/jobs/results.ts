import type { RunResult } from '../graph/context/run-options.ts'
import { valueBytesSoon } from '../graph/values/value-size.ts'

/**
 * Results of this process's latest jobs that are retained; older ones are rebuilt from their logs.
 */
const MAX_CACHED = 100
const MAX_CACHED_BYTES = 32 * 1024 * 1024

/** The result of a run; undefined if the job continues later or elsewhere. */
type PendingResult = Promise<RunResult | undefined>

interface Entry {
  readonly left: PendingResult
  bytes: number
}

export function createResults() {
  const results = new Map<string, Entry>()
  let bytes = 0
  const forget = (jobId: string): void => {
    bytes -= results.get(jobId)?.bytes ?? 0
    results.delete(jobId)
  }
  const forgetOldest = (): void => {
    for (const jobId of results.keys()) {
      if (results.size <= 1 || (results.size <= MAX_CACHED && bytes <= MAX_CACHED_BYTES)) return
      forget(jobId)
    }
  }
  return {
    set(jobId: string, left: PendingResult): void {
      forget(jobId)
      const entry: Entry = { left, bytes: 0 }
      results.set(jobId, entry)
      const settled = async (result: RunResult | undefined): Promise<void> => {
        if (results.get(jobId) !== entry) return
        if (result === undefined) {
          forget(jobId)
          return
        }
        const size = await sizeOf(result)
        if (results.get(jobId) !== entry) return
        entry.bytes = size
        bytes += size
        forgetOldest()
      }
      left.then(settled, () => undefined)
      forgetOldest()
    },
    get: async (jobId: string): Promise<RunResult | undefined> => results.get(jobId)?.left,
  }
}

/** Yields to the event loop while large results are counted. */
async function sizeOf({ vertices, messages }: RunResult): Promise<number> {
  let bytes = await valueBytesSoon(messages, MAX_CACHED_BYTES)
  for (const { outputs } of vertices.values()) {
    if (bytes > MAX_CACHED_BYTES) break
    bytes += await valueBytesSoon(outputs, MAX_CACHED_BYTES)
  }
  return bytes
}
