import type { FlowSettings } from '../../settings.ts'
import type { ServiceKit } from './kit.ts'

/** The version of the API. */
export const SERVICE_VERSION = '1.7.1'

/** The status of the service. */
export interface StatusService {
  readonly settings: FlowSettings
  readonly now: () => Date
  /** True if the store responds; the reason for a failure is passed to the host's `onError`. */
  storeAnswers(): Promise<boolean>
}

export function createStatusService({
  store,
  settings,
  runtime,
  report,
}: ServiceKit): StatusService {
  return {
    settings,
    now: () => runtime.now(),
    async storeAnswers() {
      try {
        await store.ping()
        return true
      } catch (error) {
        report(error)
        return false
      }
    },
  }
}
