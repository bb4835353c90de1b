import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createBuildJobs, createRegistry, defineComponent, field, output } from '@x/flow-engine'
import { flowBuilder } from '@x/flow-engine/testing'
import { createJobStore, migrateFlow } from '@x/store-kysely/flow'
import { openPostgres } from '@x/store-kysely/postgres'
import { openSqlite } from '@x/store-kysely/sqlite'
import type { Kysely } from 'kysely'

/** Work that a process of its own does until it is told to end. */
export interface Worker {
  /** Makes one run and waits for its end. */
  readonly run: () => Promise<unknown>
  readonly close: () => Promise<void>
}

export interface CandidateOptions {
  /** Of an empty database, or a file for SQLite. */
  readonly address: string
  /** Where the peers are installed. */
  readonly peers: string
}

/** Each is used as its manual says. */
export const candidates: Readonly<Record<string, (options: CandidateOptions) => Promise<Worker>>> =
  {
    ours: async ({ address }) => oursOn(openPostgres<unknown>(address)),
    sqlite: async ({ address }) => oursOn(openSqlite<unknown>(address)),
    dbos,
    'pg-boss': pgBoss,
  }

/** A durable run of three steps. */
async function oursOn(db: Kysely<unknown>): Promise<Worker> {
  await migrateFlow(db)
  const step = defineComponent({
    type: 'Step',
    inputs: { text: field.message({}) },
    outputs: { out: output.message({ run: () => Promise.resolve('x') }) },
  })
  const flow = flowBuilder()
  for (const n of [1, 2, 3]) flow.add(step, { id: `Step-${n}` })
  flow.connect('Step-1.out', 'Step-2.text')
  flow.connect('Step-2.out', 'Step-3.text')
  const store = createJobStore(db)
  const components = createRegistry([step])
  const jobs = createBuildJobs({ components, store, concurrency: 16 })
  const plan = flow.toJSON()
  return {
    async run() {
      const { id } = await jobs.start({ flow: plan, resumable: true })
      const { status } = await jobs.result(id)
      if (status !== 'succeeded') throw new Error(`A run has ${status}`)
    },
    async close() {
      await jobs.close({ timeoutMs: 0 })
      await db.destroy()
    },
  }
}

interface Dbos {
  setConfig(config: object): void
  launch(): Promise<void>
  shutdown(): Promise<void>
  registerWorkflow(work: () => Promise<string>, options: object): () => Promise<string>
  runStep(step: () => Promise<string>, options: object): Promise<string>
}

/** A workflow of three steps. */
async function dbos({ address, peers }: CandidateOptions): Promise<Worker> {
  const { DBOS } = (await load(peers, '@dbos-inc/dbos-sdk')) as { readonly DBOS: Dbos }
  DBOS.setConfig({ name: 'bench', systemDatabaseUrl: address, logLevel: 'error' })
  const workflow = DBOS.registerWorkflow(
    async () => {
      let text = ''
      for (const name of ['one', 'two', 'three'])
        text += await DBOS.runStep(() => Promise.resolve('x'), { name })
      return text
    },
    { name: 'three' },
  )
  await DBOS.launch()
  return { run: () => workflow(), close: () => DBOS.shutdown() }
}

interface Boss {
  on(event: 'error', listener: (error: unknown) => void): void
  start(): Promise<void>
  stop(): Promise<void>
  createQueue(name: string): Promise<void>
  send(name: string, data: object): Promise<string | null>
  work(
    name: string,
    options: object,
    handle: (jobs: readonly { readonly id: string }[]) => Promise<void>,
  ): Promise<string>
}

/** A job without steps. */
async function pgBoss({ address, peers }: CandidateOptions): Promise<Worker> {
  const { PgBoss } = (await load(peers, 'pg-boss')) as {
    readonly PgBoss: new (url: string) => Boss
  }
  const boss = new PgBoss(address)
  boss.on('error', (error) => console.error(error))
  await boss.start()
  await boss.createQueue('bench')
  const waiting = new Map<string, () => void>()
  const ended = new Set<string>()
  await boss.work('bench', { batchSize: 16, pollingIntervalSeconds: 0.5 }, async (jobs) => {
    for (const { id } of jobs) {
      ended.add(id)
      waiting.get(id)?.()
    }
  })
  return {
    async run() {
      const id = (await boss.send('bench', { text: 'x' })) ?? ''
      if (!ended.has(id)) await new Promise<void>((resolve) => waiting.set(id, resolve))
    },
    close: () => boss.stop(),
  }
}

async function load(peers: string, name: string): Promise<unknown> {
  const found = createRequire(join(peers, 'package.json')).resolve(name)
  return (await import(found)) as unknown
}
