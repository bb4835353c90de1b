import { isSchemaError } from '@x/wire'
import type { FlowSettings } from '../../settings.ts'
import type { ServiceDependencies } from './dependencies.ts'

/** The version of the API. */
export const SERVICE_VERSION = '1.7.1'

/** The status of the service. */
export interface StatusService {
  readonly settings: FlowSettings
  readonly now: () => Date
  /** True if the store responds; the reason for a failure is passed to the host's `onError`. */
  storeAnswers(): Promise<boolean>
  /** What keeps the service from answering, if anything does. */
  failing(): Promise<'migrations' | 'database' | undefined>
}

export function createStatusService({
  store,
  settings,
  runtime,
  report,
}: ServiceDependencies): StatusService {
  const failing: StatusService['failing'] = async () => {
    try {
      await store.ping()
      return undefined
    } catch (error) {
      report(error)
      return isSchemaError(error) ? 'migrations' : 'database'
    }
  }
  return {
    settings,
    now: () => runtime.now(),
    storeAnswers: async () => (await failing()) === undefined,
    failing,
  }
}
