import type { JobRecord } from '@x/flow-engine'
import type { BuildRequest } from '@x/flow-engine'
import type { ServiceDependencies } from '../base/dependencies.ts'
import { ownFlow } from '../base/own-flow.ts'
import { metadataOf } from '../runs/build-metadata.ts'

/** True if a job may continue: its owner is active and still has the flow, or it has no owner. */
export function isAuthorizedToResume(store: ServiceDependencies['store']) {
  return async ({ userId }: JobRecord, request: BuildRequest): Promise<boolean> => {
    if (userId === undefined) return true
    const [owner, flow] = await Promise.all([
      store.users.get(userId),
      ownFlow(store, userId, metadataOf(request).storedFlowId),
    ])
    return owner?.isActive === true && flow !== null
  }
}
