import { setLru } from '@x/wire'
import type { BuildJobs } from '@x/flow-engine'
import type { FlowStore } from '../../store/flow-store.ts'
import { publicFlowId } from '../flows/public-flow-id.ts'

/** Maximum number of jobs whose flow is remembered; for others it is looked up among their owner's flows. */
const REMEMBERED = 10_000

/** Public builds and the visitors who started them. */
export interface PublicJobs {
  /** Call when a public build was started. */
  remember(jobId: string, build: PublicBuild): void
  /** The user id under which a visitor reads a build; null if another visitor started it. */
  ownerFor(jobId: string, clientId: string): Promise<string | null>
}

/** A build started by a visitor. */
export interface PublicBuild {
  readonly ownerId: string
  readonly storedFlowId: string
  /** Derived from visitor and stored flow, so it proves both. */
  readonly derivedFlowId: string
}

export function createPublicJobs({
  store,
  jobs,
}: {
  readonly store: Pick<FlowStore, 'flows'>
  readonly jobs: Pick<BuildJobs, 'get'>
}): PublicJobs {
  const known = new Map<string, PublicBuild>()

  const remember = (jobId: string, build: PublicBuild): PublicBuild =>
    setLru(known, jobId, build, REMEMBERED)
  const find = async (jobId: string, clientId: string): Promise<PublicBuild | null> => {
    const job = await jobs.get(jobId)
    const { userId: ownerId, flowId: derivedFlowId } = job ?? {}
    if (ownerId === undefined || derivedFlowId === undefined) return null
    const { items } = await store.flows.list({ userId: ownerId, order: 'created', data: 'none' })
    for (const { id } of items) {
      if ((await publicFlowId(clientId, id)) !== derivedFlowId) continue
      return remember(jobId, { ownerId, storedFlowId: id, derivedFlowId })
    }
    return null
  }

  return {
    remember,
    async ownerFor(jobId, clientId) {
      const build = known.get(jobId) ?? (await find(jobId, clientId))
      if (build === null) return null
      const { ownerId, storedFlowId, derivedFlowId } = build
      return (await publicFlowId(clientId, storedFlowId)) === derivedFlowId ? ownerId : null
    },
  }
}
