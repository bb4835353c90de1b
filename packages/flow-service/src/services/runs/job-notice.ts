import type { JobRecord } from '@x/flow-engine'

/** What notifications say about a job. */
export function jobNotice({ id, flowId, userId }: JobRecord) {
  return { id, flowId, ...(userId === undefined ? {} : { userId }) }
}
