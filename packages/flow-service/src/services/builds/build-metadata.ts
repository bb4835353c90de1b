import type { FlowPlan } from '@x/flow-engine'
import type { FlowJson } from '@x/flow-engine'
import type { BuildRequest } from '@x/flow-engine'
import type { BuildMetadata } from './builds.ts'

/**
 * The metadata stored with a job by the service; for jobs that the host started or scheduled directly,
 * derived from the request.
 */
export function metadataOf({ metadata, userId, flowId }: BuildRequest): BuildMetadata {
  return {
    ownerId: userId ?? '',
    storedFlowId: flowId ?? '',
    isPublic: false,
    logBuilds: true,
    ...(metadata as Partial<BuildMetadata> | undefined),
  }
}

/** The flow of a request, as it was saved. */
export function flowOf({ flow }: BuildRequest): FlowJson {
  return 'vertexIds' in flow ? (flow as FlowPlan).flow : flow
}
