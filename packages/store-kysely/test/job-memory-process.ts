import { createBuildJobs } from '@x/flow-engine'
import { chatInput, chatOutput } from '@x/flow-engine/components'
import { createRegistry, defineComponent, field, output } from '@x/flow-engine'
import { flowBuilder } from '@x/flow-engine/testing'
import { createJobStore, migrateFlow } from '@x/store-kysely/flow'
import { openSqlite } from '@x/store-kysely/sqlite'

/** Runs jobs of ten nodes with large messages to their end and says the bytes that each has left. */
const [address = ''] = process.argv.slice(2)
const db = openSqlite<unknown>(address)
await migrateFlow(db)
const passes = defineComponent({
  type: 'Passes',
  inputs: { value: field.handle({ types: ['Message'] }) },
  outputs: { out: output.message({ run: ({ value }) => String(value) }) },
})
const builder = flowBuilder()
let from = `${builder.add(chatInput)}.message`
for (let n = 0; n < 8; n += 1) {
  const id = builder.add(passes, { id: `Passes-${n}` })
  builder.connect(from, `${id}.value`)
  from = `${id}.out`
}
builder.connect(from, `${builder.add(chatOutput)}.input_value`)
const flow = builder.toJSON()

const jobs = createBuildJobs({
  store: createJobStore(db),
  components: createRegistry([chatInput, chatOutput, passes]),
  concurrency: 8,
})
const text = 'hello '.repeat(1000)

/** Gives the events of all jobs together. */
async function run(count: number): Promise<number> {
  let events = 0
  for (let done = 0; done < count; done += 20) {
    const batch = Array.from({ length: 20 }, async () => {
      const { id } = await jobs.start({ flow, flowId: 'f', userId: 'ada', input: { value: text } })
      for await (const _ of jobs.events(id)) events += 1
      const { status } = await jobs.result(id)
      if (status !== 'succeeded') throw new Error(`A job has ${status}`)
    })
    await Promise.all(batch)
  }
  return events
}

/** Bytes in use without garbage: the least of several looks, as the last writes end in between. */
async function heap(): Promise<number> {
  let least = Infinity
  for (let look = 0; look < 5; look += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100))
    globalThis.gc?.()
    const { heapUsed, external } = process.memoryUsage()
    least = Math.min(least, heapUsed + external)
  }
  return least
}

await run(200)
const before = await heap()
const events = await run(400)
const left = (await heap()) - before
process.stdout.write(JSON.stringify({ events, bytesPerJob: left / 400 }))
await jobs.close()
await db.destroy()
