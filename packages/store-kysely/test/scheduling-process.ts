import { createBuildJobs, type ScheduleEntry } from '@x/flow-engine'
import { createJobStore } from '@x/store-kysely/flow'
import { openPostgres } from '@x/store-kysely/postgres'
import { openSqlite } from '@x/store-kysely/sqlite'
import { components, streamingFlow } from './streaming-flow.ts'

/** What this process schedules before it runs what is due. */
export type SchedulingOrder = Omit<ScheduleEntry, 'request'> & { readonly id: string }

/** Says the id of each job that ended here, until it is killed. */
const [address = '', order = ''] = process.argv.slice(2)
const db = address.startsWith('postgres')
  ? openPostgres<unknown>(address)
  : openSqlite<unknown>(address)
const say = (what: string): void => void process.stdout.write(`${what}\n`)

const jobs = createBuildJobs({
  leaseMs: 900,
  components,
  store: createJobStore(db),
  onError: (error) => say(`failed ${String(error)}`),
  observer: { finished: ({ id, state }) => say(`${state} ${id}`) },
})
await jobs.recover()
const { id, ...entry } = JSON.parse(order) as SchedulingOrder
await jobs.schedule(id, { ...entry, request: { flow: streamingFlow(1), resumable: true } })
// What a schedule waits for keeps no process alive; a host has its listener.
setInterval(() => undefined, 60_000)
say('ready')
