import type { BuildJobsOptions } from './build-jobs-options.ts'

type Report = NonNullable<BuildJobsOptions['onError']>

/** Swallows errors of the host's own error handler. */
export function guardedReport(report: BuildJobsOptions['onError']): Report {
  return (thrown, info) => {
    const tell = async (): Promise<void> => report?.(thrown, info)
    // The handler runs in this turn; if it throws, the promise rejects.
    tell().catch(() => undefined)
  }
}
