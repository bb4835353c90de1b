import type { FlowPlan } from '@x/flow-engine'
import type { FlowJson } from '@x/flow-engine'
import type { BuildRequest } from '@x/flow-engine'
import type { RunDoor } from '../../events.ts'
import type { EarlierTurn } from './earlier-turns.ts'

/** Stored with a job, so that any process that runs it knows its owner. */
export interface BuildMetadata {
  readonly ownerId: string
  readonly storedFlowId: string
  readonly isPublic: boolean
  readonly logBuilds: boolean
  /** True if someone other than the owner started it; always for public builds. */
  readonly isForeign?: boolean
  /** True if the caller is unknown. */
  readonly isAnonymous?: boolean
  /** The hash of the API key with which it was started. */
  readonly keyHash?: string
  /** Id of the response this run belongs to. */
  readonly responseId?: string
  /** Earlier turns sent by a client, placed before the stored history. */
  readonly earlier?: readonly EarlierTurn[]
  /** What the key of a request that runs once stands for. */
  readonly once?: string
  /** Format of its records. Default `build`. */
  readonly form?: 'build' | 'run'
  /** The way by which it came. Default: that of `engine.jobs`. */
  readonly door?: RunDoor
}

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
