import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openSqlite } from '@x/store-kysely/sqlite'
import { seedLargeGroups } from '../../../../packages/store-kysely/test/large-groups.ts'
import { inFolder, startServer } from '../start-server.ts'

const MEMBERS = 20_000
const TOKEN = 'token-of-the-directory'

export interface LargeGroupsRead {
  /** Members in the answer. */
  readonly members: number
  /** The end of its text. */
  readonly tail: string
  /** The slowest answer of `/health` meanwhile, in milliseconds. */
  readonly slowest: number
  /** By how much the process has grown, in MiB. */
  readonly grown: number
  /** Members of one group, read afterwards. */
  readonly membersOfOne: number
}

/** Reads a list of groups with 20,000 members each to its end; looks at the server meanwhile. */
export function readLargeGroups(groups: number): Promise<LargeGroupsRead> {
  return inFolder(async (folder) => {
    const db = openSqlite<unknown>(join(folder, 'service.db'))
    await seedLargeGroups(db, { groups, members: MEMBERS })
    await db.destroy()
    const server = await startServer({
      SERVICE_CONFIG_DIR: folder,
      SCIM_ENABLED: 'true',
      SCIM_TOKEN: TOKEN,
    })
    try {
      const get = (path: string): Promise<Response> =>
        fetch(`${server.url}/api/v1/scim/v2${path}`, {
          headers: { authorization: `Bearer ${TOKEN}` },
        })
      // A first request warms the server up and is not counted.
      await (await get('/Groups?count=1&excludedAttributes=members')).text()
      const before = memoryOf(server.pid)
      const watch = watchServer(`${server.url}/health`, server.pid)
      const answer = await get(`/Groups?count=${groups}`)
      const { members, tail } = await countMembers(answer)
      const { slowest, largest } = await watch.end()
      const one = (await (await get('/Groups/g0')).json()) as { members: unknown[] }
      return { members, tail, slowest, grown: largest - before, membersOfOne: one.members.length }
    } finally {
      await server.end('SIGKILL')
    }
  })
}

async function countMembers(answer: Response): Promise<{ members: number; tail: string }> {
  const decoder = new TextDecoder()
  let members = 0
  let rest = ''
  for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('"type":"User"')
    members += parts.length - 1
    rest = (parts.at(-1) ?? '').slice(-40)
  }
  return { members, tail: rest }
}

/** Resident memory in MiB; 0 where the system does not tell. */
function memoryOf(pid: number): number {
  if (process.platform !== 'linux') return 0
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) / 1024
}

/** Asks for `/health` again and again, and looks at the memory. */
function watchServer(
  url: string,
  pid: number,
): { end(): Promise<{ slowest: number; largest: number }> } {
  const over = new AbortController()
  const seen = { slowest: 0, largest: 0 }
  const watching = (async () => {
    while (!over.signal.aborted) {
      const begin = performance.now()
      await (await fetch(url)).text()
      seen.slowest = Math.max(seen.slowest, performance.now() - begin)
      seen.largest = Math.max(seen.largest, memoryOf(pid))
      await pause(20)
    }
  })()
  return {
    async end() {
      over.abort()
      await watching
      return seen
    },
  }
}
