import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createBuildJobs, type BuildJobs } from '@x/flow-engine'
import { chatInput, chatOutput } from '@x/flow-engine/components'
import {
  compileFlow,
  createMessage,
  createRegistry,
  defineComponent,
  output,
  runFlow,
  type FlowPlan,
  type RunHooks,
} from '@x/flow-engine'
import { flowBuilder } from '@x/flow-engine/testing'
import { createJobStore, migrateFlow } from '@x/store-kysely/flow'
import { openSqlite } from '@x/store-kysely/sqlite'
import { chain, compile, fanOut } from '../engine/flows.ts'
import { cpuPerOperation, heapUsed, interleave, ratio, type Candidate } from '../lib/measure.ts'
import { report, type Figure } from '../lib/report.ts'

const BUILDS = 100
const TOKENS = 300_000
const RESULTS = 120
const SUSPENDED = 10_000
const MB = 1024 * 1024

/** Every hook there is; none does anything. */
const empty: RunHooks = {
  onRunStart: () => undefined,
  onRunEnd: () => undefined,
  onVertexStart: () => undefined,
  onVertexEnd: () => undefined,
  onCallStart: () => undefined,
  onCallEnd: () => undefined,
}

const asks = defineComponent({
  type: 'Asks',
  suspends: true,
  inputs: {},
  outputs: { out: output.message({ run: async (_, ctx) => String(await ctx.suspend('sure?')) }) },
})
const talks = defineComponent({
  type: 'Talks',
  inputs: {},
  outputs: {
    out: output.message({
      async run(_, ctx) {
        const { id } = await ctx.sendMessage(
          createMessage({ text: '', properties: { state: 'partial' } }),
        )
        for (let n = 0; n < TOKENS; n += 1) {
          ctx.token('token ', id)
          if (n % 1000 === 0) await new Promise((resolve) => setImmediate(resolve))
        }
        await talked.wait
        return 'done'
      },
    }),
  },
})
const large = defineComponent({
  type: 'Large',
  inputs: {},
  outputs: { out: output.message({ run: () => 'x'.repeat(MB) }) },
})
const components = createRegistry([chatInput, chatOutput, asks, talks, large])

function gate() {
  let open = (): void => undefined
  const wait = new Promise<void>((resolve) => (open = resolve))
  return { open: () => open(), wait }
}
const talked = gate()

function chatPlan(): FlowPlan {
  const flow = flowBuilder()
  const input = flow.add(chatInput)
  flow.connect(`${input}.message`, `${flow.add(chatOutput)}.input_value`)
  return compileFlow(flow.toJSON(), { components })
}

const alone = (component: typeof asks): FlowPlan => {
  const flow = flowBuilder()
  flow.add(component)
  return compileFlow(flow.toJSON(), { components })
}

/** CPU microseconds for each node, with hooks or without. */
function runs(plan: FlowPlan, nodes: number, times: number, hooks?: RunHooks): Candidate {
  return () =>
    cpuPerOperation(nodes * times, async () => {
      for (let n = 0; n < times; n += 1) await runFlow(plan, hooks && { hooks }).result
    })
}

const chat = chatPlan()

/** CPU microseconds for each of 100 chat builds at once. */
function builds(jobs: BuildJobs): Candidate {
  return () =>
    cpuPerOperation(BUILDS, async () => {
      const started = await Promise.all(
        Array.from({ length: BUILDS }, () => jobs.start({ flow: chat, input: 'Hello' })),
      )
      await Promise.all(started.map(({ id }) => jobs.result(id)))
    })
}

const folder = mkdtempSync(join(tmpdir(), 'bench-durable-'))
const closing: (() => Promise<void>)[] = []

async function sqliteJobs(name: string, hooks?: RunHooks): Promise<BuildJobs> {
  const db = openSqlite<unknown>(join(folder, name))
  await migrateFlow(db)
  closing.push(() => db.destroy())
  return opened(createBuildJobs({ components, store: createJobStore(db), ...(hooks && { hooks }) }))
}

function opened(jobs: BuildJobs): BuildJobs {
  closing.unshift(() => jobs.close({ timeoutMs: 0 }))
  return jobs
}

const memoryJobs = (hooks?: RunHooks): BuildJobs =>
  opened(createBuildJobs({ components, ...(hooks && { hooks }) }))

async function hookCosts(): Promise<Figure[]> {
  const hundred = compile(chain(100))
  const wide = compile(fanOut(1000))
  // Short pieces in many rounds: a slow spell of the machine hits both sides of a ratio.
  const engine = await interleave(
    {
      chain: runs(hundred, 100, 20),
      'chain {}': runs(hundred, 100, 20, {}),
      'chain hooks': runs(hundred, 100, 20, empty),
      'fan-out': runs(wide, 1000, 2),
      'fan-out {}': runs(wide, 1000, 2, {}),
      'fan-out hooks': runs(wide, 1000, 2, empty),
    },
    { rounds: 151, warmUp: 30 },
  )
  const jobs = await interleave(
    {
      memory: builds(memoryJobs()),
      'memory {}': builds(memoryJobs({})),
      'memory hooks': builds(memoryJobs(empty)),
      sqlite: builds(await sqliteJobs('plain.db')),
      'sqlite {}': builds(await sqliteJobs('empty.db', {})),
      'sqlite hooks': builds(await sqliteJobs('hooks.db', empty)),
    },
    { rounds: 41, warmUp: 6 },
  )
  return ['chain', 'fan-out', 'memory', 'sqlite'].flatMap((name) => {
    const measured = engine.has(name) ? engine : jobs
    return [
      {
        name: `${name}: no hook in the object / none`,
        value: ratio(measured, `${name} {}`, name),
        unit: 'x',
        limit: 1.1,
      },
      {
        name: `${name}: six hooks that do nothing / none`,
        value: ratio(measured, `${name} hooks`, name),
        unit: 'x',
        limit: 1.1,
      },
    ]
  })
}

async function tokensHeld(): Promise<number> {
  const jobs = memoryJobs()
  const before = heapUsed()
  const { id } = await jobs.start({ flow: alone(talks), sessionId: 's' })
  for (let seen = -1; seen < TOKENS;) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    seen = (await jobs.get(id))?.lastSeq ?? -1
  }
  const held = heapUsed() - before
  talked.open()
  await jobs.result(id)
  return held / MB
}

async function resultsHeld(): Promise<number> {
  const jobs = memoryJobs()
  const plan = alone(large)
  const before = heapUsed()
  for (let n = 0; n < RESULTS; n += 1) {
    const { id } = await jobs.start({ flow: plan, outputType: 'debug', resumable: true })
    await jobs.result(id)
  }
  return (heapUsed() - before) / MB
}

async function suspendedHeld(): Promise<number> {
  const db = openSqlite<unknown>(join(folder, 'suspended.db'))
  await migrateFlow(db)
  closing.push(() => db.destroy())
  const store = createJobStore(db)
  const jobs = opened(createBuildJobs({ components, store, maxQueued: SUSPENDED, concurrency: 64 }))
  const plan = alone(asks)
  const before = heapUsed()
  for (let n = 0; n < SUSPENDED; n += 1) await jobs.start({ flow: plan, resumable: true })
  for (;;) {
    const waiting = await jobs.pending({ limit: 1000 })
    const last = waiting.at(-1)
    if (last !== undefined && (await countSuspended(jobs)) >= SUSPENDED) break
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  return (heapUsed() - before) / MB
}

async function countSuspended(jobs: BuildJobs): Promise<number> {
  let count = 0
  let after: string | undefined
  for (;;) {
    const page = await jobs.pending({ limit: 1000, ...(after === undefined ? {} : { after }) })
    count += page.length
    if (page.length < 1000) return count
    after = page.at(-1)?.jobId
  }
}

try {
  const figures = [
    ...(await hookCosts()),
    { name: `${TOKENS} tokens of a running job`, value: await tokensHeld(), unit: 'MB', limit: 40 },
    { name: `${RESULTS} results of 2 MB`, value: await resultsHeld(), unit: 'MB', limit: 100 },
    { name: `${SUSPENDED} suspended jobs`, value: await suspendedHeld(), unit: 'MB', limit: 10 },
  ]
  report('durable', figures)
} finally {
  for (const close of closing) await close()
  rmSync(folder, { recursive: true, force: true })
}
