import { readFile } from 'node:fs/promises'
import { migratePortal } from '@x/store-kysely/portal'
import { migrateScim } from '@x/store-kysely/scim'
import { sql } from 'kysely'
import type { Figure } from '../lib/report.ts'
import { startServer, type ServerProcess } from '../lib/server-process.ts'
import { userBody, userName } from './data-set.ts'
import { openAny } from './directory-data.ts'
import { BASE, filtered, headers, patch } from './directory-requests.ts'
import { join } from './join.ts'

const PEOPLE = Number(process.env['BENCH_SYNC'] ?? 10_000)
const GROUP_SIZE = 100
const CONNECTIONS = 4
/** Ticks of `/proc` in a second. */
const TICKS = 100

/** DP-59: the first sync of a directory, as Entra does it, into an empty database. */
export async function syncFigures(address: string): Promise<Figure[]> {
  const db = openAny(address)
  await migrateScim(db)
  await migratePortal(db)
  const server = await startServer(await join('directory-server'), { args: [address] })
  const isServer = address.startsWith('postgres')
  const cost = async (work: () => Promise<unknown>, requests: number): Promise<number> => {
    const database = isServer ? await backendCpu(db) : 0
    const own = await server.cpuOf(work)
    const more = isServer ? (await backendCpu(db)) - database : 0
    return (own + more) / requests / 1_000
  }
  try {
    const ids: string[] = []
    const person = async (index: number): Promise<void> => {
      ids[index] =
        (await lookup(server, 'Users', `userName eq "${userName(index)}"`)) ??
        (await create(server, '/Users', userBody(index)))
    }
    const group = async (index: number): Promise<void> => {
      const displayName = `Team ${index}`
      const id =
        (await lookup(server, 'Groups', `displayName eq "${displayName}"`)) ??
        (await create(server, '/Groups', {
          schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
          displayName,
        }))
      const members = ids
        .slice(index * GROUP_SIZE, (index + 1) * GROUP_SIZE)
        .map((value) => ({ value }))
      await answered(server, patch(`/Groups/${id}`, { op: 'add', path: 'members', value: members }))
    }
    const sync = (): Promise<unknown> =>
      all(PEOPLE, person).then(() => all(PEOPLE / GROUP_SIZE, group))
    const posts = (from: number) => () =>
      all(1_000, async (index) => void (await create(server, '/Users', userBody(from + index))))
    const first = await cost(sync, PEOPLE)
    const again = await cost(sync, PEOPLE)
    const fresh = await cost(posts(20_000_000), 1_000)
    await sql`analyze`.execute(db)
    const known = await cost(posts(30_000_000), 1_000)
    return [
      {
        name: 'first sync, CPU of server and database for a person',
        value: first,
        unit: 'ms',
        limit: 3.6,
      },
      {
        name: 'the same requests again',
        value: again / first,
        unit: 'x',
        limit: 1 / 3,
        note: `${again.toFixed(2)} ms`,
      },
      {
        name: 'POST before statistics against after',
        value: fresh / known,
        unit: 'x',
        limit: 1.5,
        note: `${fresh.toFixed(2)} against ${known.toFixed(2)} ms`,
      },
    ]
  } finally {
    await server.stop()
    await db.destroy()
  }
}

/** Some of so many at once, in order. */
async function all(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0
  const connection = async (): Promise<void> => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, connection))
}

async function answered(
  server: ServerProcess,
  {
    path,
    method = 'GET',
    body,
  }: { readonly path: string; readonly method?: string; readonly body?: string | Uint8Array },
): Promise<Response> {
  const init = body === undefined ? {} : { body: String(body) }
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
    method,
    headers,
    ...init,
  })
  if (!response.ok)
    throw new Error(`${method} ${path} answered ${response.status} ${await response.text()}`)
  return response
}

async function lookup(
  server: ServerProcess,
  type: string,
  filter: string,
): Promise<string | undefined> {
  const response = await answered(server, filtered(type, filter))
  const found = (await response.json()) as {
    readonly Resources: readonly { readonly id: string }[]
  }
  return found.Resources[0]?.id
}

async function create(server: ServerProcess, path: string, body: object): Promise<string> {
  const response = await answered(server, {
    path: BASE + path,
    method: 'POST',
    body: JSON.stringify(body),
  })
  return ((await response.json()) as { readonly id: string }).id
}

/** Microseconds of CPU of the processes that serve this database. */
async function backendCpu(db: ReturnType<typeof openAny>): Promise<number> {
  const { rows } = await sql<{ pid: number }>`select pid from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend'`.execute(db)
  let ticks = 0
  for (const { pid } of rows) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    ticks += Number(fields[11]) + Number(fields[12])
  }
  return (ticks * 1e6) / TICKS
}
