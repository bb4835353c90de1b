import { join } from 'node:path'
import { openSqlite } from '@x/store-kysely/sqlite'
import { seedLargeGroups } from '../../packages/store-kysely/test/large-groups.ts'
import { besideHealth } from '../attacks/attack.ts'
import { inFolder, startServer } from '../server/start-server.ts'

const TOKEN = 'token-of-the-directory'

export interface LargeGroupsRead {
  /** Members in the answer. */
  readonly members: number
  /** The end of its text. */
  readonly tail: string
  /** The slowest answer of `/health` meanwhile, in milliseconds of the server's own. */
  readonly slowest: number
  /** By how much the process has grown, in MiB. */
  readonly grown: number
  /** Members of one group, read afterwards. */
  readonly membersOfOne: number
}

/** Reads a list of groups with this many members each to its end; looks at the server meanwhile. */
export function readLargeGroups(groups: number, members = 20_000): Promise<LargeGroupsRead> {
  return inFolder(async (folder) => {
    const db = openSqlite<unknown>(join(folder, 'service.db'))
    await seedLargeGroups(db, { groups, members })
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
      const { result, slowest, grown } = await besideHealth(server, async () =>
        countMembers(await get(`/Groups?count=${groups}`)),
      )
      const one = (await (await get('/Groups/g0')).json()) as { members: unknown[] }
      return { ...result, slowest, grown, membersOfOne: one.members.length }
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
