import type { RunResult } from '../graph/run-options.ts'

/** Results of the last jobs of this process; older ones are rebuilt from their logs. */
const KEPT = 100

export function createResults() {
  const results = new Map<string, Promise<RunResult>>()
  return {
    set(jobId: string, result: Promise<RunResult>): void {
      results.set(jobId, result)
      if (results.size <= KEPT) return
      const [oldest] = results.keys()
      if (oldest !== undefined) results.delete(oldest)
    },
    get: async (jobId: string): Promise<RunResult | undefined> => results.get(jobId),
  }
}
