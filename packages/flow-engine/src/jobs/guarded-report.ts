import type { BuildJobsOptions } from './build-jobs.ts'

type Report = NonNullable<BuildJobsOptions['onError']>

/** What the host's own report throws has nowhere to go (DR-15). */
export function guardedReport(report: BuildJobsOptions['onError']): Report {
  return (thrown, info) => {
    const tell = async (): Promise<void> => report?.(thrown, info)
    // The function runs in this turn, and what it throws rejects.
    tell().catch(() => undefined)
  }
}
