import type { LoadRequest } from '../lib/load.ts'
import { interleave, median, ratio } from '../lib/measure.ts'
import type { Figure } from '../lib/report.ts'
import { startServer, type ServerProcess } from '../lib/server-process.ts'
import { userBody, userId, userName } from './data-set.ts'
import { groupId, type Directory } from './directory-data.ts'
import { heavyFigures } from './directory-heavy.ts'
import { BASE, costOf, filtered, get, headers, patch, type Side } from './directory-requests.ts'
import { startFigures } from './directory-start.ts'
import { syncFigures } from './directory-sync.ts'
import { fillDirectory } from './fill-directory.ts'
import { join } from './join.ts'

const SMALL: Directory = { users: 1_000, groups: 50 }
const ROUNDS = { rounds: Number(process.env['ROUNDS'] ?? 3), warmUp: 1 }
interface Measure {
  readonly name: string
  readonly requests: number
  readonly limit: number
  readonly status?: number
  readonly request: (side: Directory, index: number, round: number) => LoadRequest
}

let created = 10_000_000
const spread = ({ users }: Directory, index: number): number => (index * 7919) % users
/** DP-58: what must cost about the same in a large directory as in a small one. */
const MEASURES: readonly Measure[] = [
  {
    name: 'GET by id',
    requests: 1500,
    limit: 1.3,
    request: (of, index) => get(`/Users/${userId(spread(of, index))}`),
  },
  {
    name: 'userName eq',
    requests: 1500,
    limit: 1.3,
    request: (of, index) => filtered('Users', `userName eq "${userName(spread(of, index))}"`),
  },
  {
    name: 'externalId eq',
    requests: 1500,
    limit: 1.3,
    request: (of, index) => filtered('Users', `externalId eq "ext-${spread(of, index)}"`),
  },
  {
    name: 'displayName eq of an empty group',
    requests: 1500,
    limit: 1.3,
    request: ({ groups }) => filtered('Groups', `displayName eq "Group ${groups - 1}"`),
  },
  { name: 'first page of 100', requests: 300, limit: 1.3, request: () => get('/Users?count=100') },
  {
    name: 'POST of a user',
    requests: 600,
    limit: 1.35,
    status: 201,
    request: () => ({
      method: 'POST',
      path: `${BASE}/Users`,
      headers,
      body: JSON.stringify(userBody((created += 1))),
    }),
  },
  {
    name: 'PATCH of active',
    requests: 600,
    limit: 1.35,
    request: (_of, index, round) =>
      patch(`/Users/${userId(index)}`, { op: 'replace', value: { active: round % 2 === 1 } }),
  },
]

/** Figures of a large directory against a small one on the same store. */
export async function directoryFigures(
  kind: 'SQLite' | 'PostgreSQL',
  large: Directory,
  addressOf: (name: string) => Promise<string>,
): Promise<Figure[]> {
  const servers: ServerProcess[] = []
  const open = async (name: string, directory: Directory): Promise<Side> => {
    const address = await addressOf(name)
    const started = performance.now()
    await fillDirectory(address, directory)
    const seconds = ((performance.now() - started) / 1_000).toFixed(0)
    console.log(`${kind}: ${directory.users} users in ${seconds} s`)
    const server = await startServer(await join('directory-server'), { args: [address] })
    servers.push(server)
    return { server, directory, address }
  }
  try {
    const big = await open('big', large)
    const small = await open('small', SMALL)
    const figures: Figure[] = []
    const take = (measured: readonly Figure[]): void => {
      for (const figure of measured) {
        const named = { ...figure, name: `${kind}, ${figure.name}` }
        figures.push(named)
        console.log(`${named.name}: ${named.value.toPrecision(3)} ${named.unit}`)
      }
    }
    for (const measure of MEASURES) take([await compared(measure, big, small)])
    take(await memberFigures(big))
    take(await walkFigures(big))
    take(await portalFigures(big))
    take(await syncFigures(await addressOf('sync')))
    take(await heavyFigures(big))
    const { rss } = await big.server.usage()
    take([{ name: 'resident memory', value: rss / 2 ** 20, unit: 'MiB', limit: 300 }])
    take(await startFigures(big, small))
    return figures
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
  }
}

async function compared(measure: Measure, big: Side, small: Side): Promise<Figure> {
  const { name, requests, limit, status = 200 } = measure
  const candidate = (side: Side) => {
    let rounds = 0
    return () => {
      const round = rounds++
      const request = (index: number) => measure.request(side.directory, index, round)
      return costOf(side, { requests, status, request })
    }
  }
  const measured = await interleave({ big: candidate(big), small: candidate(small) }, ROUNDS)
  return compare(name, measured, { one: 'big', other: 'small', limit })
}

function compare(
  name: string,
  measured: Awaited<ReturnType<typeof interleave>>,
  { one, other, limit }: { readonly one: string; readonly other: string; readonly limit: number },
): Figure {
  const us = (of: string): string => (measured.get(of)?.median ?? NaN).toFixed(0)
  const note = `${us(one)} against ${us(other)} us`
  return { name, value: ratio(measured, one, other), unit: 'x', limit, note }
}

/** The largest group against one of ten. */
async function memberFigures(big: Side): Promise<Figure[]> {
  const figures: Figure[] = []
  const change = (group: number, query: string) => () =>
    costOf(big, {
      requests: 300,
      connections: 1,
      request(index) {
        const value = userId(big.directory.users - 1 - (index >> 1))
        const operation =
          index % 2 === 0
            ? { op: 'add', path: 'members', value: [{ value }] }
            : { op: 'remove', path: `members[value eq "${value}"]` }
        return patch(`/Groups/${groupId(group)}${query}`, operation)
      },
    })
  const shown = '?attributes=displayName'
  const named = await interleave({ large: change(0, shown), ten: change(2, shown) }, ROUNDS)
  const sides = { one: 'large', other: 'ten', limit: 1.5 }
  figures.push(compare('PATCH of one member of the largest group', named, sides))
  // A group of ten is shown, the largest one is not, as a directory sends it.
  const plain = await plainChanges(big)
  figures.push(compare('the same, plain', plain, sides))
  const read = (group: number) => () =>
    costOf(big, {
      requests: 1000,
      request: get(`/Groups/${groupId(group)}?excludedAttributes=members`),
    })
  const reads = await interleave({ large: read(0), ten: read(2) }, ROUNDS)
  figures.push(compare('GET of the largest group without members', reads, sides))
  return figures
}

async function plainChanges(big: Side) {
  const change = (group: number) => async () => {
    const cpu = await big.server.cpuOf(async () => {
      for (let index = 0; index < 200; index += 1) {
        const value = userId(big.directory.users - 1 - (index >> 1))
        const operation =
          index % 2 === 0
            ? { op: 'add', path: 'members', value: [{ value }] }
            : { op: 'remove', path: `members[value eq "${value}"]` }
        const { path, ...init } = patch(`/Groups/${groupId(group)}`, operation)
        const response = await fetch(`http://127.0.0.1:${big.server.port}${path}`, {
          ...init,
          body: String(init.body),
        })
        await response.arrayBuffer()
        if (!response.ok) throw new Error(`${path} answered ${response.status}`)
      }
    })
    return cpu / 200
  }
  return interleave({ large: change(0), ten: change(2) }, ROUNDS)
}

/** DP-60: by cursor, the last quarter against the first; by startIndex, milliseconds more at the end. */
async function walkFigures({ server, directory }: Side): Promise<Figure[]> {
  const quarters = [0, 0, 0, 0]
  const pages = Math.ceil(directory.users / 1000)
  let cursor: string | undefined = ''
  let seen = 0
  for (let page = 0; cursor !== undefined; page += 1) {
    const path: string = `${BASE}/Users?count=1000&attributes=userName&cursor=${cursor}`
    const started = performance.now()
    const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, { headers })
    const body = (await answer.json()) as { Resources: object[]; nextCursor?: string }
    const quarter = Math.min(3, Math.floor((page * 4) / pages))
    quarters[quarter] = (quarters[quarter] ?? 0) + performance.now() - started
    seen += body.Resources.length
    cursor = body.nextCursor
  }
  if (seen < directory.users) throw new Error(`${seen} of ${directory.users} were listed`)
  const deep = (startIndex: number) => () =>
    costOf(
      { server },
      {
        requests: 5,
        connections: 1,
        // A page that nobody read before, so that no place is known.
        request: (index) =>
          get(
            `/Users?count=100&attributes=userName&startIndex=${startIndex + index * 7 + ((created += 1) % 97)}`,
          ),
      },
    )
  const measured = await interleave({ end: deep(directory.users - 20_000), start: deep(1) }, ROUNDS)
  const [end = 0, start = 0] = ['end', 'start'].map((name) => measured.get(name)?.median ?? NaN)
  const hundreds = directory.users / 100_000
  return [
    {
      name: 'walk by cursor: last quarter against the first',
      value: (quarters[3] ?? 0) / (quarters[0] ?? 1),
      unit: 'x',
      limit: 1.6,
    },
    {
      name: 'startIndex: CPU for each 100,000 people before the page',
      value: (end - start) / 1_000 / hundreds,
      unit: 'ms',
      limit: 25,
    },
  ]
}

/** DP-64: milliseconds of an answer of the portal. */
async function portalFigures({ server }: Side): Promise<Figure[]> {
  const figures: Figure[] = []
  const asked = [
    'users',
    'users?state=in',
    'users?state=out',
    'users?search=user1234',
    'users?search=given12',
    'users?state=out&search=family7',
    'users?search=u',
    'users?search=nobody-has-this',
    'groups',
    'groups?search=group%204',
    'connections',
  ]
  const time = async (path: string): Promise<[number, { next?: string | null }]> => {
    const started = performance.now()
    const answer = await fetch(`http://127.0.0.1:${server.port}/directory/api/${path}`)
    const body = (await answer.json()) as { next?: string | null }
    if (!answer.ok) throw new Error(`${path}: ${JSON.stringify(body)}`)
    return [performance.now() - started, body]
  }
  for (const path of asked) {
    const times: number[] = []
    let next: string | null | undefined
    for (let turn = 0; turn < 5; turn += 1) {
      const after = next === undefined || next === null ? '' : `&after=${next}`
      const found = await time(path.includes('?') ? path + after : `${path}?limit=50${after}`)
      times.push(found[0])
      next = found[1].next
    }
    figures.push({ name: `portal, ${path}`, value: median(times), unit: 'ms', limit: 150 })
  }
  return figures
}
