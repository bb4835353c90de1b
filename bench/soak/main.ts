import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startServer as startPostgres } from '../../packages/store-kysely/test/postgres-server.ts'
import { percentile } from '../lib/measure.ts'
import { report, type Figure } from '../lib/report.ts'
import { createClient } from './client.ts'
import { startModel } from './model.ts'
import { startShipped, type Holdings, type ShippedServer } from './shipped-server.ts'
import { saveModelFlow, SCIM_TOKEN, trafficOf, type Traffic } from './traffic.ts'

// OP-19: real traffic against the server of `npm start` for some minutes. Ends with exit code 1 after an
// error that nobody can explain, or when something grows.

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    database: { type: 'string', default: 'both' },
  },
})
const minutes = Number(values.minutes)
const databases = values.database === 'both' ? ['sqlite', 'postgres'] : [values.database]
if (!(minutes > 0) || databases.some((name) => name !== 'sqlite' && name !== 'postgres'))
  throw new TypeError('npm run soak -- --minutes N --database sqlite|postgres|both')

/** Clients of each kind, each with one request under way. */
const CLIENTS = 2
/** A client's pause between two rounds, so that the machine is busy and not overrun. */
const PAUSE_MS = 40
/** Percent. In a few minutes caches and compiled code still grow; what leaks shows in 15. */
const MAX_GROWTH = minutes < 10 ? 15 : 5
/** Memory is compared between this share of the time, 5 minutes at most, and the end. */
const SETTLED = 0.4

async function soak(database: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'soak-'))
  const postgres = database === 'postgres' ? await startPostgres() : undefined
  const model = await startModel()
  const server = await startShipped({
    SERVICE_CONFIG_DIR: folder,
    ...(postgres === undefined ? {} : { SERVICE_DATABASE_URL: postgres.url }),
    SCIM_ENABLED: 'true',
    SCIM_TOKEN,
    SCIM_DELETE_USER: 'remove',
    SCIM_AUDIT_LOG: join(folder, 'audit.log'),
    OPENAI_BASE_URL: model.url,
    OPENAI_API_KEY: 'a-key-of-the-soak',
    SERVICE_SSRF_ALLOW: '127.0.0.1',
  })
  try {
    await figuresOf(database, server)
  } finally {
    await server.stop()
    model.close()
    await postgres?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function figuresOf(database: string, server: ShippedServer): Promise<void> {
  const client = createClient(server.url, server.key)
  const traffic = trafficOf(await saveModelFlow(client))
  const start = await server.holdings()
  const times = new Map(Object.keys(traffic).map((name): [string, number[]] => [name, []]))
  const errors: string[] = []
  const until = Date.now() + minutes * 60_000
  let count = 0
  const work = async (name: string, once: Traffic): Promise<void> => {
    while (Date.now() < until) {
      const began = performance.now()
      try {
        count += 1
        await once(client, count)
        times.get(name)?.push(performance.now() - began)
      } catch (error) {
        errors.push(`${name}: ${error instanceof Error ? error.message : String(error)}`)
      }
      await setTimeout(PAUSE_MS)
    }
  }
  const working = Object.entries(traffic).flatMap(([name, once]) =>
    Array.from({ length: CLIENTS }, () => work(name, once)),
  )
  const settledMs = Math.min(5, minutes * SETTLED) * 60_000
  await setTimeout(settledMs)
  const looks = [await quietest(server)]
  while (until - Date.now() > 1.5 * settledMs) {
    await setTimeout(settledMs)
    looks.push(await quietest(server))
  }
  await setTimeout(Math.max(0, until - Date.now() - 4000))
  looks.push(await quietest(server))
  await Promise.all(working)
  await closeClients()
  // Connections that the server itself no longer uses are closed after 10 seconds.
  await setTimeout(15_000)
  const rest = await server.holdings()
  for (const error of new Set(errors)) console.error(error)
  for (const line of server.errors.slice(0, 20)) console.error(line)
  report(`soak ${database}`, [
    ...speeds(times),
    { name: 'errors that nobody can explain', value: errors.length, unit: '', limit: 0 },
    { name: 'errors in the log', value: server.errors.length, unit: '', limit: 0 },
    ...growth(looks, settledMs),
    {
      name: 'handles at rest, more than before',
      value: rest.handles - start.handles,
      unit: '',
      limit: 3,
    },
    {
      name: 'files at rest, more than before',
      value: rest.files - start.files,
      unit: '',
      limit: 4,
    },
  ])
}

/** The server keeps idle connections longer than this program wants to wait: the clients end theirs. */
async function closeClients(): Promise<void> {
  const clients = Reflect.get(globalThis, Symbol.for('undici.globalDispatcher.1')) as
    | { close(): Promise<void> }
    | undefined
  await clients?.close()
}

/** The least of three looks: what is under way at one moment is no growth. */
async function quietest(server: ShippedServer): Promise<Holdings> {
  const looks: Holdings[] = []
  for (let n = 0; n < 3; n += 1) {
    looks.push(await server.holdings())
    await setTimeout(700)
  }
  const least = (of: (one: Holdings) => number): number => Math.min(...looks.map(of))
  return {
    rss: least(({ rss }) => rss),
    heap: least(({ heap }) => heap),
    handles: least(({ handles }) => handles),
    files: least(({ files }) => files),
  }
}

function speeds(times: ReadonlyMap<string, readonly number[]>): Figure[] {
  return [...times].map(([name, all]) => ({
    name,
    value: all.length / (minutes * 60),
    unit: '/s',
    note: `${all.length}; p50 ${ms(all, 50)}, p95 ${ms(all, 95)}, p99 ${ms(all, 99)} ms`,
  }))
}

const ms = (all: readonly number[], percent: number): string => percentile(all, percent).toFixed(0)

const MIB = 2 ** 20

/** From the first look to the last; the note has them all, so that a level can be told from a slope. */
function growth(looks: readonly Holdings[], everyMs: number): Figure[] {
  const of = (unit: string, one: (held: Holdings) => number) => {
    const seen = looks.map(one)
    return {
      value: ((seen.at(-1) ?? NaN) / (seen[0] ?? NaN) - 1) * 100,
      unit: '%',
      note: `${seen.map((value) => value.toFixed(1)).join(', ')} ${unit}, every ${(everyMs / 60_000).toFixed(1)} minutes and at the end`,
    }
  }
  return [
    { name: 'growth of the heap', limit: MAX_GROWTH, ...of('MiB', ({ heap }) => heap / MIB) },
    { name: 'growth of resident memory', limit: MAX_GROWTH, ...of('MiB', ({ rss }) => rss / MIB) },
    { name: 'growth of open files', ...of('files', ({ files }) => files) },
  ]
}

for (const database of databases) await soak(database)
