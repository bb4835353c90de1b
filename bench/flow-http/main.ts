import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { load, type LoadRequest } from '../lib/load.ts'
import { interleave, median, pairRatio, ratio, type Candidate } from '../lib/measure.ts'
import { report, type Figure } from '../lib/report.ts'
import { startShipped } from '../lib/shipped-server.ts'
import { OPERATIONS, RUN, type Operation } from './operations.ts'
import { startReference } from './reference.ts'
import { ask, PASSWORD, signIn, type SavedFlow, type Service } from './service.ts'

// The server of `npm start` with default settings beside the reference service (OP-22): the first 500
// operations after the start, and the steady state.

const FIRST = 500
const WARM_UP = 2000
const ROUNDS = Number(process.env['ROUNDS'] ?? 7)
/** Requests per round. The reference service compiles nothing and is slow. */
const REQUESTS = { ours: 400, reference: 40 }

const folder = mkdtempSync(join(tmpdir(), 'bench-flow-http-'))
const services: Service[] = []
try {
  const first = await firstOperations()
  const ours = await startOurs('ours')
  const { data } = await ask<SavedFlow>(ours.server.port, `/flows/${ours.flowId}`, ours.token)
  const reference = await startReference(join(folder, 'reference'), { data })
  if (reference !== undefined) services.push(reference)
  for (const operation of OPERATIONS) await warmUp(ours, operation)
  const figures: Figure[] = []
  for (const operation of OPERATIONS) {
    const { our, their, value, note } = await compare(operation, ours, reference)
    const { name, limit, coldLimit } = operation
    const against = (spent: number): string =>
      `${spent.toFixed(3)} ms against ${their.toFixed(1)} ms`
    const cold = first.get(name)
    if (cold !== undefined && coldLimit !== undefined)
      figures.push({
        ...factor(`${name}, first ${FIRST}`, their / cold, coldLimit),
        note: against(cold),
      })
    figures.push({ ...factor(name, value, limit), note: `${against(our)}; ${note}` })
  }
  report('flow-http', [
    ...figures,
    await spread(ours),
    await costOfHooks(),
    ...(await memoryOf(ours, reference)),
  ])
} finally {
  await Promise.all(services.map(({ server }) => server.stop()))
  rmSync(folder, { recursive: true, force: true })
}

function factor(name: string, value: number, limit: number): Figure {
  const shown = `${name}: times less CPU than the reference service`
  return { name: shown, value, unit: 'x', limit, better: 'higher' }
}

async function startOurs(
  name: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<Service> {
  const own = join(folder, name)
  mkdirSync(own)
  const server = await startShipped({
    folder: own,
    log: join(folder, `${name}.log`),
    environment: { SERVICE_SUPERUSER_PASSWORD: PASSWORD, ...environment },
  })
  const signed = await signIn(server.port)
  const [flow] = await ask<{ id: string }[]>(server.port, '/flows/', signed.token)
  const service = { server, ...signed, flowId: flow?.id ?? '' }
  services.push(service)
  return service
}

/** CPU milliseconds of the first operations of each kind, of a server that has done nothing else. */
async function firstOperations(): Promise<ReadonlyMap<string, number>> {
  const costs = new Map<string, number>()
  for (const { name, coldLimit, request } of OPERATIONS) {
    if (coldLimit === undefined) continue
    const fresh = await startOurs(`first-${name}`)
    costs.set(name, await cost(fresh, { requests: FIRST, request: request(fresh) }))
    await fresh.server.stop()
  }
  return costs
}

async function warmUp(service: Service, { request }: Operation): Promise<void> {
  await load({ port: service.server.port, requests: WARM_UP, request: request(service) })
}

async function compare(
  { reference: bound, request }: Operation,
  ours: Service,
  reference: Service | undefined,
): Promise<{ our: number; their: number; value: number; note: string }> {
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
  const value = reference === undefined ? bound / our : ratio(measured, 'reference', 'ours')
  const note = `16 at once p50 ${median(p50).toFixed(0)} ms, p99 ${median(p99).toFixed(0)} ms`
  return { our, their, value, note }
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

/** The slowest of a hundred runs beside the usual one, four at once. */
async function spread(service: Service): Promise<Figure> {
  const { port } = service.server
  const ratios: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const request = RUN.request(service)
    const { p50, p99 } = await load({ port, requests: REQUESTS.ours, connections: 4, request })
    ratios.push(p99 / p50)
  }
  return {
    name: 'run: p99 at 4 connections against p50',
    value: median(ratios),
    unit: 'x',
    limit: 5,
  }
}

/**
 * A server whose metrics hook into requests, runs, vertices and calls, beside one without. Both are new, so
 * that their code is equally warm; even two equal servers differ by a few percent.
 */
async function costOfHooks(): Promise<Figure> {
  const plain = await startOurs('plain')
  const hooked = await startOurs('hooked', { SERVICE_METRICS: 'true' })
  for (const service of [plain, hooked]) await warmUp(service, RUN)
  const of = (service: Service) => () =>
    cost(service, { requests: REQUESTS.ours / 8, request: RUN.request(service) })
  const { median: more, quartiles } = await pairRatio(of(hooked), of(plain), { rounds: 40 })
  const percent = (value: number): string => ((value - 1) * 100).toFixed(0)
  const note = `half of the turns: ${quartiles.map(percent).join(' to ')} %`
  return { name: 'run: more CPU with metrics', value: (more - 1) * 100, unit: '%', note }
}

async function memoryOf(ours: Service, reference: Service | undefined): Promise<Figure[]> {
  const { rss } = await ours.server.usage()
  const own: Figure = { name: 'resident memory', value: rss / 2 ** 20, unit: 'MiB', limit: 200 }
  if (reference === undefined) return [own]
  const theirs = (await reference.server.usage()).rss
  const note = `the reference service: ${(theirs / 2 ** 20).toFixed(0)} MiB`
  const less = {
    name: 'times less resident memory',
    value: theirs / rss,
    unit: 'x',
    limit: 15,
    note,
  }
  return [own, { ...less, better: 'higher' }]
}
