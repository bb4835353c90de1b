import { createBuildJobs, type BuildJobsOptions } from '@x/flow-engine'
import { createJobStore } from '@x/store-kysely/flow'
import { openPostgres } from '@x/store-kysely/postgres'
import { components, streamingFlow } from './streaming-flow.ts'

/** The task of this process. */
export interface BuildOrder extends Pick<BuildJobsOptions, 'leaseMs' | 'heartbeatMs'> {
  readonly words: number
  readonly resumable: boolean
  /** Builds in all, one after the other; default 1. */
  readonly builds?: number
}

/** Starts its builds, says the id of each on a line of its own, and how each ended. */
const [address = '', order = ''] = process.argv.slice(2)
const { words, resumable, builds = 1, ...options } = JSON.parse(order) as BuildOrder
const say = (what: string): void => void process.stdout.write(`${what}\n`)

const jobs = createBuildJobs({
  ...options,
  components,
  store: createJobStore(openPostgres<unknown>(address)),
  concurrency: 1,
  observer: { finished: ({ state }) => say(`finished ${state}`) },
})
for (let n = 0; n < builds; n += 1) {
  const { id } = await jobs.start({ flow: streamingFlow(words), resumable })
  say(`job ${id}`)
}
