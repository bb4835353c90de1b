import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { report, type Figure } from '../lib/report.ts'
import { startServer, type ServerProcess } from '../lib/server-process.ts'
import { assertSame, compare, memberFigures } from './compare.ts'
import type * as Core from './core.ts'
import { fillBound, fillShipped, fillStore, LARGE, MIDDLE, SMALL } from './data-set.ts'
import { directoryFigures } from './directory.ts'
import { postgresDatabases } from './postgres-databases.ts'
import { join as joinSources } from './join.ts'
import { OPERATIONS } from './operations.ts'
import { startPeer } from './peer.ts'
import { startShipped } from './shipped.ts'

/**
 * SCIM over HTTP with 110,000 users beside node:http with one SQLite statement for each request: the handler
 * alone, then the server of `npm start`, which shares its users with the flow service (OP-22).
 * `SCIM_BENCH=handler` and `SCIM_BENCH=shipped` measure one of them, `SCIM_BENCH=directory` or the flags `--users`,
 * `--groups` and `--store` a large directory beside a small one (DP-58).
 */
const { values: flags } = parseArgs({
  options: {
    users: { type: 'string', default: '50000' },
    groups: { type: 'string', default: '2500' },
    store: { type: 'string', default: 'sqlite,postgres' },
  },
})
const isDirectory = process.argv.length > 2
const { SCIM_BENCH: only = isDirectory ? 'directory' : 'handler shipped directory' } = process.env
const folder = mkdtempSync(join(tmpdir(), 'bench-scim-'))
const file = (name: string): string => join(folder, `${name}.db`)
const servers: ServerProcess[] = []
const figures: Figure[] = []
try {
  if (only !== 'directory') {
    await fillStore(file('ours'))
    await fillBound(file('bound'), file('ours'))
  }
  if (only.includes('handler')) figures.push(...(await handlerFigures()))
  await stopAll()
  if (only.includes('shipped')) figures.push(...(await shippedFigures()))
  if (only.includes('directory')) figures.push(...(await largeDirectory()))
  report('scim', figures)
} finally {
  await stopAll()
  rmSync(folder, { recursive: true, force: true })
}

async function largeDirectory(): Promise<Figure[]> {
  const size = { users: Number(flags.users), groups: Number(flags.groups) }
  const measured: Figure[] = []
  if (flags.store.includes('sqlite'))
    measured.push(...(await directoryFigures('SQLite', size, async (name) => file(name))))
  const databases = flags.store.includes('postgres') ? await postgresDatabases() : null
  try {
    if (databases !== null)
      measured.push(...(await directoryFigures('PostgreSQL', size, databases.address)))
  } finally {
    await databases?.remove()
  }
  return measured
}

async function stopAll(): Promise<void> {
  await Promise.all(servers.splice(0).map((server) => server.stop()))
}

async function start(name: string): Promise<ServerProcess> {
  const server = await startServer(await joinSources(name), { args: [file(name)] })
  servers.push(server)
  return server
}

async function assertAlike(ours: ServerProcess, bound: ServerProcess): Promise<void> {
  for (const { name, request } of OPERATIONS) {
    if (/GET|filter|list/.test(name)) await assertSame(request(1, 0), ours, bound)
  }
}

async function handlerFigures(): Promise<Figure[]> {
  const { coreFigures } = (await import((await joinSources('core')).href)) as typeof Core
  const ours = await start('ours')
  const bound = await start('bound')
  const peer = await startPeer(file('bound'), file('peer'))
  if (peer !== undefined) servers.push(peer)
  await assertAlike(ours, bound)
  const measured: Figure[] = []
  for (const operation of OPERATIONS) {
    measured.push(...(await compare(operation, { ours, bound, peer })))
  }
  const before = (await ours.usage()).rss
  const groups = await memberFigures(ours, { large: LARGE, small: SMALL, limit: 1.5 })
  const more = (groups.peak - before) / 2 ** 20
  return [
    ...measured,
    ...groups.figures,
    { name: 'resident memory', value: before / 2 ** 20, unit: 'MiB', limit: 150 },
    { name: 'more of it in group PATCH', value: more, unit: 'MiB', limit: 20 },
    ...(await coreFigures()),
  ]
}

/** The same through `npm start`. The bound has its rows of the first part, and more: it is as fast. */
async function shippedFigures(): Promise<Figure[]> {
  await fillShipped(file('shipped'))
  const ours = await startShipped(folder, file('shipped'))
  servers.push(ours)
  const bound = await start('bound')
  if (only === 'shipped') await assertAlike(ours, bound)
  const measured: Figure[] = []
  for (const operation of OPERATIONS) {
    measured.push(...(await compare(operation, { ours, bound }, operation.shippedLimit)))
  }
  const groups = await memberFigures(ours, { large: MIDDLE, small: SMALL, limit: 1.2 })
  return [...measured, ...groups.figures].map((figure) => ({
    ...figure,
    name: `npm start, ${figure.name}`,
  }))
}
