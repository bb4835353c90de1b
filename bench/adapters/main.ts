import { load, type LoadRequest } from '../lib/load.ts'
import { interleave, ratio, type Measured } from '../lib/measure.ts'
import { report, type Figure } from '../lib/report.ts'
import { startServer, type ServerProcess } from '../lib/server-process.ts'
import { join } from './join.ts'

/**
 * The figures of AD-28 for the built package: CPU for each request beside raw node:http in the same
 * run, and CPU for each event of a stream.
 */
const REQUESTS = 2000
const EVENTS = 50_000
const LIMITS = { node: 1.1, express: 1.7, fastify: 1.3 } as const
/**
 * Factor by which the mount may exceed the framework itself, where the framework exceeds the limit.
 */
const ADDED = 1.25

const GET: LoadRequest = { path: '/users/1' }
const POST: LoadRequest = {
  method: 'POST',
  path: '/users',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ text: 'x'.repeat(1013) }),
}

const names = ['raw', 'node', 'express-raw', 'express', 'fastify'] as const
const program = await join()
const started = await Promise.all(
  names.map(async (name) => {
    const server = await startServer(program, { args: [name] })
    return [name, server] as const
  }),
)
const servers = new Map<string, ServerProcess>(started)

try {
  await sameAnswers()
  const get = await interleave(candidates(GET, 200), { rounds: 7, warmUp: 7 })
  const post = await interleave(candidates(POST, 201), { rounds: 7, warmUp: 7 })
  const stream = await interleave({ events: eventCost }, { rounds: 5, warmUp: 1 })
  report('adapters', [
    ...figures('GET', get),
    ...figures('POST 1 KiB', post),
    {
      name: 'event of 120 bytes',
      value: stream.get('events')?.median ?? NaN,
      unit: 'us CPU',
      limit: 6,
    },
  ])
} finally {
  await Promise.all(Array.from(servers.values(), (server) => server.stop()))
}

function candidates(request: LoadRequest, status: number): Record<string, () => Promise<number>> {
  return Object.fromEntries(
    Array.from(servers, ([name, server]) => [
      name,
      async () => {
        const { port } = server
        const cpu = await server.cpuOf(() => load({ port, requests: REQUESTS, request, status }))
        return cpu / REQUESTS
      },
    ]),
  )
}

function figures(what: string, measured: ReadonlyMap<string, Measured>): Figure[] {
  const cost = (name: string): string => `${measured.get(name)?.median.toFixed(1)} us`
  const alone = ratio(measured, 'express-raw', 'raw')
  const isOver = alone > LIMITS.express
  return [
    ...(['node', 'express', 'fastify'] as const).map((name) => ({
      name: `${what} ${name}`,
      value: ratio(measured, name, 'raw'),
      unit: 'x',
      // If Express itself exceeds the limit, the line below bounds the mount's share.
      ...(name === 'express' && isOver ? {} : { limit: LIMITS[name] }),
      note: `${cost(name)} beside ${cost('raw')} of node:http`,
    })),
    {
      name: `${what} express mount / express with a raw listener`,
      value: ratio(measured, 'express', 'express-raw'),
      unit: 'x',
      ...(isOver ? { limit: ADDED } : {}),
      note: `Express alone is ${alone.toFixed(2)}x of node:http`,
    },
  ]
}

async function eventCost(): Promise<number> {
  const server = servers.get('node')
  if (server === undefined) return NaN
  const { port } = server
  const cpu = await server.cpuOf(() =>
    load({ port, requests: 1, connections: 1, request: { path: `/events?${EVENTS}` } }),
  )
  return cpu / EVENTS
}

/** The bound and every candidate answer the same. */
async function sameAnswers(): Promise<void> {
  for (const { method = 'GET', path, headers = {}, body } of [GET, POST]) {
    const texts = await Promise.all(
      Array.from(servers.values(), async ({ port }) => {
        const init = { method, headers, ...(body === undefined ? {} : { body: String(body) }) }
        const answer = await fetch(`http://127.0.0.1:${port}${path}`, init)
        return `${answer.status} ${answer.headers.get('content-type')} ${await answer.text()}`
      }),
    )
    if (new Set(texts).size !== 1) throw new Error(`Different answers: ${texts.join('\n')}`)
  }
}
