import type { JobStore } from '@x/flow-engine/store'
import type { World } from './world.ts'

/** A known fault that can be put back into the store. */
export type Break = (store: JobStore, world: World) => JobStore

/** By name; each must be found within 200 seeds. */
export const BREAKS: Readonly<Record<string, Break>> = {
  'jobs.claim-without-fence': (store) => ({
    ...store,
    log: {
      ...store.log,
      open: (jobId) => store.log.lastSeq(jobId),
      append: (jobId, events) => store.log.append(jobId, events),
    },
    checkpoints: {
      ...store.checkpoints,
      put: (jobId, vertexId, state) => store.checkpoints.put(jobId, vertexId, state),
    },
  }),
  'jobs.crash-charged-to-all': (store) => ({
    ...store,
    queue: {
      ...store.queue,
      absolve: async () => true,
      claim: (worker, leaseUntil, now, lanes) =>
        store.queue.claim(worker, leaseUntil, now, lanes, { suspects: true }),
    },
  }),
  'jobs.lost-lease-kept': (store) => ({
    ...store,
    queue: { ...store.queue, heartbeat: async () => 'kept' },
  }),
  'jobs.expired-early': (store) => ({
    ...store,
    queue: {
      ...store.queue,
      expired: (now, options) => store.queue.expired(new Date(now.getTime() + 12_000), options),
    },
  }),
  'jobs.expired-never': (store) => ({
    ...store,
    queue: { ...store.queue, expired: async () => [] },
  }),
  'jobs.limit-by-read': (store) => ({
    ...store,
    queue: {
      ...store.queue,
      async enqueue(job) {
        await store.queue.enqueue({ ...job, maxRunningPerUser: null })
      },
    },
  }),
}
