import { createBuildJobs } from '@x/flow-engine'
import { createBullMqQueue } from '@x/flow-engine/bullmq'
import { createJobStore } from '@x/store-kysely/flow'
import { openPostgres } from '@x/store-kysely/postgres'
import { actingFlow, actors } from './acting-flow.ts'

/** What this process is told to do. */
export interface DurableOrder {
  readonly who: string
  readonly leaseMs: number
  /** The queue, where it is not in the database. */
  readonly redis?: { readonly connection: string; readonly prefix: string }
  /** One job for each. */
  readonly flows: readonly {
    readonly count: number
    readonly ms: number
    readonly path: string
    readonly asks?: boolean
  }[]
}

/** Starts its jobs, says their ids on one line, runs what there is to run until SIGTERM. */
const [address = '', text = ''] = process.argv.slice(2)
const { who, flows, redis, leaseMs } = JSON.parse(text) as DurableOrder
const say = (what: string): void => void process.stdout.write(`${what}\n`)

const database = createJobStore(openPostgres<unknown>(address))
const queue = redis === undefined ? database.queue : createBullMqQueue(redis)
const jobs = createBuildJobs({
  leaseMs,
  components: actors(who),
  store: { ...database, queue },
  concurrency: 16,
  concurrencyPerUser: null,
  observer: { finished: ({ id, state }) => say(`finished ${id} ${state}`) },
})
process.on('SIGTERM', () => {
  jobs.close({ timeoutMs: 100 }).then(
    () => process.exit(0),
    () => process.exit(1),
  )
})
await jobs.recover()
const started = await Promise.all(
  flows.map((flow) => jobs.start({ flow: actingFlow(flow), resumable: true })),
)
say(`jobs ${started.map(({ id }) => id).join(' ')}`)
