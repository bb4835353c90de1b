import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { load, type LoadRequest } from '../lib/load.ts'
import { interleave, median, ratio, type Candidate, type Measured } from '../lib/measure.ts'
import { report, type Figure } from '../lib/report.ts'
import { startServer, type ServerProcess } from '../lib/server-process.ts'
import type * as Core from './core.ts'
import { fillBound, fillStore, LARGE, SMALL } from './data-set.ts'
import { join as joinSources } from './join.ts'
import { memberChange, OPERATIONS, type Operation } from './operations.ts'
import { startPeer } from './peer.ts'

/** SCIM over HTTP with 110,000 users beside node:http with one SQLite statement for each request. */
const ROUNDS = { rounds: Number(process.env['ROUNDS'] ?? 5), warmUp: 2 }
// As many as of the other writes, so that their code is as warm.
const MEMBER_CHANGES = 2000

const folder = mkdtempSync(join(tmpdir(), 'bench-scim-'))
const file = (name: string): string => join(folder, `${name}.db`)
const servers: ServerProcess[] = []
try {
  const { coreFigures } = (await import((await joinSources('core')).href)) as typeof Core
  await fillStore(file('ours'))
  await fillBound(file('bound'), file('ours'))
  const ours = await start('ours')
  const bound = await start('bound')
  const peer = await startPeer(file('bound'), file('peer'))
  if (peer !== undefined) servers.push(peer)
  for (const { name, request } of OPERATIONS) {
    if (/GET|filter|list/.test(name)) await assertSame(request(1, 0), ours, bound)
  }
  const figures: Figure[] = []
  for (const operation of OPERATIONS) {
    figures.push(...(await compare(operation, { ours, bound, peer })))
  }
  report('scim', [...figures, ...(await groupFigures(ours)), ...(await coreFigures())])
} finally {
  await Promise.all(servers.map((server) => server.stop()))
  rmSync(folder, { recursive: true, force: true })
}

async function start(name: string): Promise<ServerProcess> {
  const server = await startServer(await joinSources(name), { args: [file(name)] })
  servers.push(server)
  return server
}

async function compare(
  operation: Operation,
  {
    ours,
    bound,
    peer,
  }: {
    readonly ours: ServerProcess
    readonly bound: ServerProcess
    readonly peer: ServerProcess | undefined
  },
): Promise<Figure[]> {
  const late: { readonly ours: number[]; readonly bound: number[] } = { ours: [], bound: [] }
  const candidates: Record<string, Candidate> = {
    bound: cost(bound, operation, late.bound),
    ours: cost(ours, operation, late.ours),
  }
  if (peer !== undefined && operation.peer !== undefined) {
    const requests = Math.ceil(operation.requests / 3)
    candidates['peer'] = cost(peer, { ...operation, requests }, [])
  }
  const measured = await interleave(candidates, ROUNDS)
  const { name, limit } = operation
  const figures: Figure[] = [
    {
      name: `${name}: CPU against the bound`,
      value: ratio(measured, 'ours', 'bound'),
      unit: 'x',
      limit: Number(limit.toFixed(2)),
      note: `${us(measured, 'ours')} against ${us(measured, 'bound')} us`,
    },
    {
      name: `${name}: p99 against the bound`,
      value: median(late.ours) / median(late.bound),
      unit: 'x',
      limit: 3,
      note: `${median(late.ours).toFixed(1)} ms at 16 connections`,
    },
  ]
  if (candidates['peer'] === undefined) return figures
  return [
    ...figures,
    {
      name: `${name}: times less CPU than scimmy-routers`,
      value: ratio(measured, 'peer', 'ours'),
      unit: 'x',
      limit: operation.peer ?? 1,
      better: 'higher',
      note: `${us(measured, 'peer')} us`,
    },
  ]
}

/** CPU microseconds of a request; its p99 goes to `late`. */
function cost(
  server: ServerProcess,
  { requests, request, status = 200 }: Operation,
  late: number[],
): Candidate {
  let rounds = 0
  return async () => {
    const round = rounds++
    const cpu = await server.cpuOf(async () => {
      const { p99 } = await load({
        port: server.port,
        requests,
        request: (index) => request(index, round),
        status,
      })
      late.push(p99)
    })
    return cpu / requests
  }
}

/** One member more or less in a small and in a large group, and what memory that takes. */
async function groupFigures(server: ServerProcess): Promise<Figure[]> {
  const before = (await server.usage()).rss
  let peak = before
  const change =
    (groupId: string): Candidate =>
    async () => {
      const cpu = await server.cpuOf(() =>
        load({
          port: server.port,
          requests: MEMBER_CHANGES,
          connections: 1,
          request: memberChange(groupId),
        }),
      )
      peak = Math.max(peak, (await server.usage()).rss)
      return cpu / MEMBER_CHANGES / 1000
    }
  const measured = await interleave({ large: change(LARGE.id), small: change(SMALL.id) }, ROUNDS)
  return [
    {
      name: `PATCH of one member, group of ${LARGE.members}`,
      value: measured.get('large')?.median ?? NaN,
      unit: 'ms',
      limit: 0.5,
    },
    {
      name: `the same against a group of ${SMALL.members}`,
      value: ratio(measured, 'large', 'small'),
      unit: 'x',
      limit: 1.5,
    },
    { name: 'resident memory', value: before / 2 ** 20, unit: 'MiB', limit: 150 },
    { name: 'more of it in group PATCH', value: (peak - before) / 2 ** 20, unit: 'MiB', limit: 20 },
  ]
}

function us(measured: ReadonlyMap<string, Measured>, name: string): string {
  return (measured.get(name)?.median ?? NaN).toFixed(0)
}

/** Both servers answer one request with the same bytes. */
async function assertSame(wanted: LoadRequest, ...pair: ServerProcess[]): Promise<void> {
  const texts = await Promise.all(
    pair.map(async ({ port }) => {
      const { path, headers = {} } = wanted
      return (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).text()
    }),
  )
  if (new Set(texts).size !== 1) throw new Error(`${wanted.path}: ${texts.join('\n')}`)
}
