import type { FlowStore } from '../../store/flow-store.ts'
import type { ServiceDependencies } from '../base/dependencies.ts'
import type { RecordWriter } from '../records/record-writer.ts'
import { removeFilesOf } from '../files/remove-files.ts'

/** Removes the records of flows that were deleted while they ran. */
export interface OrphanCleanup {
  /**
   * Call when a run is over and has handed over its records. Does not delay the response.
   * @param runFlowId the id under which the run stored messages and records
   * @param ownerId whose traces the run may have added to
   */
  after(storedFlowId: string, runFlowId: string, ownerId?: string): void
  /** Resolves when all pending work is done. */
  settled(): Promise<void>
}

export function createOrphanCleanup({
  store,
  records,
  ...deps
}: Pick<ServiceDependencies, 'files' | 'flowFiles' | 'report'> & {
  readonly store: Pick<FlowStore, 'flows'>
  readonly records: Pick<RecordWriter, 'flush'>
}): OrphanCleanup {
  const running = new Set<Promise<void>>()

  const sweep = async (
    storedFlowId: string,
    runFlowId: string,
    ownerId?: string,
  ): Promise<void> => {
    if ((await store.flows.get(storedFlowId)) !== null) return
    await records.flush()
    await store.flows.removeRecords([runFlowId], ownerId)
    await removeFilesOf(deps, { flowIds: [storedFlowId] })
  }

  return {
    after(storedFlowId, runFlowId, ownerId) {
      const done = sweep(storedFlowId, runFlowId, ownerId)
        .catch((error: unknown) => deps.report(error))
        .finally(() => void running.delete(done))
      running.add(done)
    },
    async settled() {
      await Promise.all(running)
    },
  }
}
