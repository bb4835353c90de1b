import type { RunResult } from '../graph/context/run-options.ts'
import type { JobUsage, StoredJob } from '../store/job-store.ts'

/** Adds the token usage of a run to that of earlier runs; undefined without any usage. */
export function usageWith(
  { usage: before }: Pick<StoredJob, 'usage'>,
  { vertexUsage }: Pick<RunResult, 'vertexUsage'>,
): { readonly usage?: JobUsage } {
  if (vertexUsage.size === 0) return {}
  const sums = new Map(Object.entries(before ?? {}))
  for (const [vertexId, { inputTokens, outputTokens }] of vertexUsage) {
    const known = sums.get(vertexId)
    sums.set(vertexId, {
      inputTokens: inputTokens + (known?.inputTokens ?? 0),
      outputTokens: outputTokens + (known?.outputTokens ?? 0),
    })
  }
  return { usage: Object.fromEntries(sums) }
}
