import { createScimStore } from '@x/store-kysely/scim'
import { percentile } from '../lib/measure.ts'
import type { Figure } from '../lib/report.ts'
import { TENANT, userId, userName } from './data-set.ts'
import { groupId, openAny } from './directory-data.ts'
import { BASE, headers, type Side } from './directory-requests.ts'

const SCIM_PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group'
/** What a lookup beside a heavy request may take: three times what it takes alone, or so many ms. */
const SLOW = { times: 3, ms: 60 }
const MANY_GROUPS = 1_000

/** DP-61 and DP-62: what is heavy, and the lookups of others beside it. Changes the directory. */
export async function heavyFigures(side: Side): Promise<Figure[]> {
  const { directory } = side
  const leaver = directory.users - 1
  const groups = Math.min(MANY_GROUPS, directory.groups)
  await joinGroups(side.address, userId(leaver), groups)
  const alone = await beside(side, () => new Promise((resolve) => setTimeout(resolve, 3_000)))
  const figures: Figure[] = [{ name: 'lookups alone, p99', value: alone.p99, unit: 'ms' }]
  const measure = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    const { p99, ms } = await beside(side, work)
    const limit = Math.max(SLOW.ms, SLOW.times * alone.p99)
    figures.push({
      name: `lookups beside ${name}, p99`,
      value: p99,
      unit: 'ms',
      limit,
      note: `${ms.toFixed(0)} ms in all`,
    })
  }
  const group = `/Groups/${groupId(0)}`
  const before = (await side.server.usage()).rss
  let highest = before
  await measure('GET of the largest group', async () => {
    const response = await fetch(urlOf(side, group), { headers })
    for await (const _ of response.body ?? []) {
      const { rss } = await side.server.usage()
      highest = Math.max(highest, rss)
    }
  })
  figures.push({
    name: 'memory of GET of the largest group',
    value: (highest - before) / 2 ** 20,
    unit: 'MiB',
    limit: 32,
  })
  await measure('20 deactivations at once', () =>
    Promise.all(Array.from({ length: 20 }, (_, index) => setActive(side, 1_000 + index, false))),
  )
  await measure(`deactivation of a person in ${groups} groups`, () =>
    setActive(side, leaver, false),
  )
  await measure(`removal of a person in ${groups} groups`, () =>
    send(side, 'DELETE', `/Users/${userId(leaver)}`),
  )
  await measure('PUT of the second largest group with 100 members', () =>
    send(side, 'PUT', `/Groups/${groupId(1)}`, {
      schemas: [GROUP],
      displayName: 'Group 1',
      members: Array.from({ length: 100 }, (_, index) => ({ value: userId(index) })),
    }),
  )
  await measure('removal of the largest group', () => send(side, 'DELETE', group))
  return figures
}

async function joinGroups(address: string, member: string, groups: number): Promise<void> {
  const db = openAny(address)
  await createScimStore(db).transaction(TENANT, async (tx) => {
    for (let index = 2; index < groups; index += 1)
      await tx.members.add(TENANT, groupId(index), [member], new Date())
  })
  await db.destroy()
}

const urlOf = ({ server }: Side, path: string): string =>
  `http://127.0.0.1:${server.port}${BASE}${path}`

async function send(side: Side, method: string, path: string, body?: object): Promise<void> {
  const init = body === undefined ? {} : { body: JSON.stringify(body) }
  const response = await fetch(urlOf(side, path), { method, headers, ...init })
  if (!response.ok)
    throw new Error(`${method} ${path} answered ${response.status} ${await response.text()}`)
  await response.arrayBuffer()
}

function setActive(side: Side, index: number, active: boolean): Promise<void> {
  const Operations = [{ op: 'replace', path: 'active', value: active }]
  return send(side, 'PATCH', `/Users/${userId(index)}`, { schemas: [SCIM_PATCH], Operations })
}

/** Two connections look people up while the work goes on; at least 20 lookups count. */
async function beside(
  side: Side,
  work: () => Promise<unknown>,
): Promise<{ p99: number; ms: number }> {
  const times: number[] = []
  const over = new AbortController()
  let asked = 0
  const connection = async (): Promise<void> => {
    while (!over.signal.aborted || times.length < 20) {
      const filter = encodeURIComponent(`userName eq "${userName(((asked += 1) * 7919) % 100)}"`)
      const started = performance.now()
      await (await fetch(urlOf(side, `/Users?filter=${filter}`), { headers })).arrayBuffer()
      times.push(performance.now() - started)
    }
  }
  const started = performance.now()
  const lookups = [connection(), connection()]
  await work()
  const ms = performance.now() - started
  over.abort()
  await Promise.all(lookups)
  return { p99: percentile(times, 99), ms }
}
