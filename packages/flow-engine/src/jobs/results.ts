import type { RunResult } from '../graph/context/run-options.ts'

/** Results of the last jobs of this process; older ones are rebuilt from their logs. */
const KEPT = 100

/** What a run leaves behind: undefined when the job goes on later or elsewhere (DR-3). */
type Left = Promise<RunResult | undefined>

export function createResults() {
  const results = new Map<string, Left>()
  const forget = (jobId: string, left: Left): void => {
    if (results.get(jobId) === left) results.delete(jobId)
  }
  return {
    set(jobId: string, left: Left): void {
      results.delete(jobId)
      results.set(jobId, left)
      const forgetEmpty = (result: RunResult | undefined): void => {
        if (result === undefined) forget(jobId, left)
      }
      left.then(forgetEmpty, () => undefined)
      if (results.size <= KEPT) return
      const [oldest] = results.keys()
      if (oldest !== undefined) results.delete(oldest)
    },
    get: async (jobId: string): Promise<RunResult | undefined> => results.get(jobId),
  }
}
