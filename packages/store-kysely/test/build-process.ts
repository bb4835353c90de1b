import { createBuildJobs, type BuildJobsOptions } from '@x/flow-engine'
import { createJobStore } from '@x/store-kysely/flow'
import { openPostgres } from '@x/store-kysely/postgres'
import { components, streamingFlow } from './streaming-flow.ts'

/** What this process is told to do. */
export interface BuildOrder extends Pick<BuildJobsOptions, 'leaseMs' | 'heartbeatMs'> {
  readonly words: number
  readonly resumable: boolean
}

/** Runs one build and says on lines of its own which, and how it ended. */
const [address = '', order = ''] = process.argv.slice(2)
const { words, resumable, ...options } = JSON.parse(order) as BuildOrder
const say = (what: string): void => void process.stdout.write(`${what}\n`)

const jobs = createBuildJobs({
  ...options,
  components,
  store: createJobStore(openPostgres<unknown>(address)),
  observer: { finished: ({ state }) => say(`finished ${state}`) },
})
const { id } = await jobs.start({ flow: streamingFlow(words), resumable })
say(`job ${id}`)
