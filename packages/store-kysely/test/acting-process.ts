import { createBuildJobs } from '@x/flow-engine'
import { createJobStore } from '@x/store-kysely/flow'
import { openPostgres } from '@x/store-kysely/postgres'
import { actingFlow, actors } from './acting-flow.ts'

/** The task of this process. */
export interface ActingOrder {
  readonly who: string
  readonly leaseMs: number
  readonly heartbeatMs: number
  /** One job for each. */
  readonly flows: readonly { readonly count: number; readonly ms: number; readonly path: string }[]
}

/** Starts its jobs, says their ids on one line, runs what there is to run, and says what ended here. */
const [address = '', text = ''] = process.argv.slice(2)
const { who, flows, ...lease } = JSON.parse(text) as ActingOrder
const say = (what: string): void => void process.stdout.write(`${what}\n`)

const jobs = createBuildJobs({
  ...lease,
  components: actors(who),
  store: createJobStore(openPostgres<unknown>(address)),
  concurrency: 16,
  concurrencyPerUser: null,
  observer: { finished: ({ id, state }) => say(`finished ${id} ${state}`) },
})
await jobs.recover()
const started = await Promise.all(
  flows.map((flow) => jobs.start({ flow: actingFlow(flow), resumable: true })),
)
say(`jobs ${started.map(({ id }) => id).join(' ')}`)
