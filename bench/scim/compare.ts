import { load, type LoadRequest } from '../lib/load.ts'
import { interleave, median, ratio, type Candidate, type Measured } from '../lib/measure.ts'
import type { Figure } from '../lib/report.ts'
import type { ServerProcess } from '../lib/server-process.ts'
import { memberChange, type Operation } from './operations.ts'

export const ROUNDS = { rounds: Number(process.env['ROUNDS'] ?? 5), warmUp: 2 }
// As many as of the other writes, so that their code is as warm.
const MEMBER_CHANGES = 2000

export interface Servers {
  readonly ours: ServerProcess
  readonly bound: ServerProcess
  readonly peer?: ServerProcess | undefined
}

/** One operation of our server beside the bound, and beside the peer where it takes part. */
export async function compare(
  operation: Operation,
  { ours, bound, peer }: Servers,
  limit = operation.limit,
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
  const { name } = operation
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

interface GroupOfBench {
  readonly id: string
  readonly members: number
}

/** One member more or less in a large and in a small group, over one connection. */
export async function memberFigures(
  server: ServerProcess,
  { large, small, limit }: { large: GroupOfBench; small: GroupOfBench; limit: number },
): Promise<{ readonly figures: Figure[]; readonly peak: number }> {
  let peak = 0
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
  const measured = await interleave({ large: change(large.id), small: change(small.id) }, ROUNDS)
  const figures: Figure[] = [
    {
      name: `PATCH of one member, group of ${large.members}`,
      value: measured.get('large')?.median ?? NaN,
      unit: 'ms',
      limit: 0.5,
    },
    {
      name: `the same against a group of ${small.members}`,
      value: ratio(measured, 'large', 'small'),
      unit: 'x',
      limit,
    },
  ]
  return { figures, peak }
}

function us(measured: ReadonlyMap<string, Measured>, name: string): string {
  return (measured.get(name)?.median ?? NaN).toFixed(0)
}

/** Both servers answer one request with the same bytes. */
export async function assertSame(wanted: LoadRequest, ...pair: ServerProcess[]): Promise<void> {
  const texts = await Promise.all(
    pair.map(async ({ port }) => {
      const { path, headers = {} } = wanted
      return (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).text()
    }),
  )
  if (new Set(texts).size !== 1) throw new Error(`${wanted.path}: ${texts.join('\n')}`)
}
