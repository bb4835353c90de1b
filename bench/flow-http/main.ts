import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { joinSources } from '../../tools/join-sources.mjs'
import { load, type LoadRequest } from '../lib/load.ts'
import { interleave, median, ratio, type Candidate } from '../lib/measure.ts'
import { report, type Figure } from '../lib/report.ts'
import { startServer } from '../lib/server-process.ts'
import { startReference } from './reference.ts'
import { ask, signIn, type SavedFlow, type Service } from './service.ts'

interface Operation {
  readonly name: string
  /** How many times less CPU than the reference service is wanted. */
  readonly limit: number
  /** CPU milliseconds of the reference service 1.7.1 on another day, on a machine of the same class. */
  readonly reference: number
  readonly request: (service: Service) => LoadRequest
}

const headersOf = ({ token }: Service): Record<string, string> => ({
  authorization: `Bearer ${token}`,
  'content-type': 'application/json',
})

const OPERATIONS: readonly Operation[] = [
  {
    name: 'run',
    limit: 50,
    reference: 35,
    request: ({ flowId, key }) => ({
      method: 'POST',
      path: `/api/v1/run/${flowId}`,
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: '{"input_value":"hello"}',
    }),
  },
  {
    name: 'build',
    limit: 50,
    reference: 55,
    request: (service) => ({
      method: 'POST',
      path: `/api/v1/build/${service.flowId}/flow?event_delivery=direct`,
      headers: headersOf(service),
      body: '{"inputs":{"input_value":"hello"}}',
    }),
  },
  {
    name: 'read',
    limit: 30,
    reference: 5.5,
    request: (service) => ({
      path: `/api/v1/flows/${service.flowId}`,
      headers: headersOf(service),
    }),
  },
  {
    name: 'list',
    limit: 30,
    reference: 12,
    request: (service) => ({ path: '/api/v1/flows/', headers: headersOf(service) }),
  },
]

// A server that serves for months is compiled: what its first requests cost more is left out.
const WARM_UP = 2000
const ROUNDS = 7
/** How many requests make a round. The reference service compiles nothing, and takes its time. */
const REQUESTS = { ours: 400, reference: 40 }

const folder = mkdtempSync(join(tmpdir(), 'bench-flow-http-'))
const services: Service[] = []
try {
  const ours = await startOurs(join(folder, 'ours'))
  services.push(ours)
  const { data } = await ask<SavedFlow>(ours.server.port, `/flows/${ours.flowId}`, ours.token)
  const reference = await startReference(join(folder, 'reference'), { data })
  if (reference !== undefined) services.push(reference)
  for (const operation of OPERATIONS) {
    const { port } = ours.server
    await load({ port, requests: WARM_UP, request: operation.request(ours) })
  }
  const figures: Figure[] = []
  for (const operation of OPERATIONS) figures.push(await compare(operation, ours, reference))
  const { rss } = await ours.server.usage()
  report('flow-http', [
    ...figures,
    { name: 'resident memory', value: rss / 2 ** 20, unit: 'MiB', limit: 200 },
    ...(reference === undefined ? [] : [await memoryOf(reference)]),
  ])
} finally {
  await Promise.all(services.map(({ server }) => server.stop()))
  rmSync(folder, { recursive: true, force: true })
}

/** Joined into one file, as `npm start` runs it, where its relative addresses stay true. */
async function startOurs(data: string): Promise<Service> {
  const joined = new URL('../../examples/reference-server/dist/bench.js', import.meta.url)
  await joinSources(fileURLToPath(new URL('server.ts', import.meta.url)), fileURLToPath(joined))
  const server = await startServer(joined, { args: [data] })
  const signed = await signIn(server.port)
  const [flow] = await ask<{ id: string }[]>(server.port, '/flows/', signed.token)
  return { server, ...signed, flowId: flow?.id ?? '' }
}

async function compare(
  { name, limit, reference: bound, request }: Operation,
  ours: Service,
  reference: Service | undefined,
): Promise<Figure> {
  const p50: number[] = []
  const p99: number[] = []
  const candidates: Record<string, Candidate> = {
    ours: () =>
      cost(ours, { requests: REQUESTS.ours, request: request(ours) }, (times) => {
        p50.push(times.p50)
        p99.push(times.p99)
      }),
  }
  if (reference !== undefined) {
    const asked = { requests: REQUESTS.reference, request: request(reference) }
    candidates['reference'] = () => cost(reference, asked)
  }
  const measured = await interleave(candidates, { rounds: ROUNDS })
  const our = measured.get('ours')?.median ?? NaN
  const their = measured.get('reference')?.median ?? bound
  const times = `16 at once p50 ${median(p50).toFixed(0)} ms, p99 ${median(p99).toFixed(0)} ms`
  return {
    name: `${name}: times less CPU than the reference service`,
    value: reference === undefined ? bound / our : ratio(measured, 'reference', 'ours'),
    unit: 'x',
    limit,
    better: 'higher',
    note: `${our.toFixed(3)} ms against ${their.toFixed(1)} ms; ${times}`,
  }
}

/** CPU milliseconds of a request, 16 at once. */
async function cost(
  { server }: Service,
  { requests, request }: { readonly requests: number; readonly request: LoadRequest },
  onTimes: (times: { readonly p50: number; readonly p99: number }) => void = () => undefined,
): Promise<number> {
  const cpu = await server.cpuOf(async () => {
    onTimes(await load({ port: server.port, requests, request }))
  })
  return cpu / requests / 1000
}

async function memoryOf({ server }: Service): Promise<Figure> {
  const { rss } = await server.usage()
  return { name: 'resident memory of the reference service', value: rss / 2 ** 20, unit: 'MiB' }
}
