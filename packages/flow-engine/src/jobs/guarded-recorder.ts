import type { JobRecorder } from './build-jobs-options.ts'

/** Wraps a recorder so that its errors are reported and do not affect the run. */
export function guardedRecorder(
  make: () => JobRecorder | undefined,
  report: (error: unknown) => void,
): JobRecorder | undefined {
  const guarded = <T>(call: () => T): T | undefined => {
    try {
      return call()
    } catch (error) {
      report(error)
      return undefined
    }
  }
  const recorder = guarded(make)
  if (recorder === undefined) return undefined
  return {
    inputs: (vertex, values) => guarded(() => recorder.inputs(vertex, values)),
    built: (build) => guarded(() => recorder.built(build)),
    async watch(run) {
      try {
        await recorder.watch(run)
      } catch (error) {
        report(error)
      }
    },
    answer: (result) => guarded(() => recorder.answer?.(result)),
  }
}
