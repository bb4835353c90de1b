import { runFlow, type FlowPlan } from '@x/flow-engine'
import {
  cpuPerOperation,
  heapUsed,
  interleave,
  median,
  ratio,
  type Candidate,
} from '../lib/measure.ts'
import { report, type Figure } from '../lib/report.ts'
import {
  chain,
  compile,
  fanOut,
  routerChain,
  sideBySide,
  step,
  talk,
  tokens,
  TOKENS,
} from './flows.ts'
import { langgraph } from './langgraph.ts'
import { startNodeRed } from './nodered.ts'

const CHAIN = 100
const WIDE = 1000
const RUNS = 1000

const hundred = compile(chain(CHAIN))
const wide = compile(fanOut(WIDE))
const ten = compile(chain(10))
const talking = compile(talk())

async function repeat(times: number, work: () => Promise<unknown>): Promise<void> {
  for (let index = 0; index < times; index += 1) await work()
}

/** CPU microseconds for each node. */
function perNode(nodes: number, times: number, work: () => Promise<unknown>): Candidate {
  return () => cpuPerOperation(nodes * times, () => repeat(times, work))
}

/** Median of several rounds, in milliseconds of CPU. */
async function medianOf(rounds: number, work: () => void | Promise<void>): Promise<number> {
  const samples: number[] = []
  for (let round = 0; round < rounds; round += 1) samples.push(await cpuPerOperation(1000, work))
  return median(samples)
}

async function plainTokens(): Promise<void> {
  let text = ''
  for await (const token of tokens()) text += token
  if (text.length < TOKENS) throw new Error('Tokens are missing')
}

async function plainChain(): Promise<void> {
  let value: unknown = 0
  for (let index = 0; index < CHAIN; index += 1) value = await step(value)
}

async function plainFanOut(): Promise<void> {
  const first = await step(0)
  await step(await Promise.all(Array.from({ length: WIDE }, () => step(first))))
}

async function manyRuns(plan: FlowPlan): Promise<void> {
  await Promise.all(Array.from({ length: RUNS }, () => runFlow(plan).result))
}

async function readTokens(): Promise<void> {
  for await (const event of runFlow(talking)) if (event.event === 'end') return
}

// Before anything else is loaded or measured: the peak is that of the process.
await manyRuns(ten)
const rss = process.resourceUsage().maxRSS / 1024

const nodeRed = await startNodeRed([10, CHAIN], WIDE)
/** A peer's case stands where it is installed. */
const peers: Record<string, Candidate> = {}
if (nodeRed !== undefined) {
  const { chain: send, fanOut: spread } = nodeRed
  const many = () => Promise.all(Array.from({ length: RUNS }, () => send(10)))
  peers['node-red, chain of 100'] = perNode(CHAIN, 500, () => send(CHAIN))
  peers['node-red, fan-out'] = perNode(WIDE + 2, 50, spread)
  peers['node-red, 1000 of 10 at once'] = perNode(RUNS * 10, 5, many)
}
// Several rounds of warming up: the cases are those of a service that has run for a while.
const measured = await interleave(
  {
    'plain awaits, chain': perNode(CHAIN, 500, plainChain),
    'chain of 100': perNode(CHAIN, 500, () => runFlow(hundred).result),
    'plain Promise.all, fan-out': perNode(WIDE + 2, 50, plainFanOut),
    'fan-out 1 -> 1000 -> 1': perNode(WIDE + 2, 50, () => runFlow(wide).result),
    '1000 runs of 10 at once': perNode(RUNS * 10, 5, () => manyRuns(ten)),
    'plain tokens': perNode(TOKENS, 5, plainTokens),
    'a token, one reader': perNode(TOKENS, 5, readTokens),
    ...peers,
  },
  { warmUp: 3, rounds: 7 },
)

const LIMITS: Readonly<Record<string, number>> = {
  'chain of 100': 3,
  'fan-out 1 -> 1000 -> 1': 2.5,
  '1000 runs of 10 at once': 4,
  'a token, one reader': 0.6,
}

/**
 * The same limits as parts of what Node-RED took where they were set (3.4, 1.7 and 0.9 us), and the limit
 * of a token as that of LangGraph (4.8 us): they hold on any machine.
 */
const AGAINST: Readonly<Record<string, { readonly peer: string; readonly limit: number }>> = {
  'chain of 100': { peer: 'node-red, chain of 100', limit: 0.88 },
  'fan-out 1 -> 1000 -> 1': { peer: 'node-red, fan-out', limit: 1.47 },
  '1000 runs of 10 at once': { peer: 'node-red, 1000 of 10 at once', limit: 4.44 },
}

/** The baseline of each case: the same nodes without an engine. */
const BOUNDS: Readonly<Record<string, string>> = {
  'chain of 100': 'plain awaits, chain',
  'fan-out 1 -> 1000 -> 1': 'plain Promise.all, fan-out',
  '1000 runs of 10 at once': 'plain awaits, chain',
  'a token, one reader': 'plain tokens',
}

function noteOf(name: string): { readonly note?: string } {
  const bound = BOUNDS[name]
  if (bound === undefined) return {}
  return { note: `${ratio(measured, name, bound).toFixed(1)} times ${bound}` }
}

const figures: Figure[] = [...measured.values()].map(({ name, median: value }) => ({
  name,
  value,
  unit: 'us',
  ...(LIMITS[name] === undefined ? {} : { limit: LIMITS[name] }),
  ...noteOf(name),
}))
if (nodeRed !== undefined) {
  for (const [name, { peer, limit }] of Object.entries(AGAINST)) {
    const value = ratio(measured, name, peer)
    figures.push({ name: `${name}, against node-red`, value, unit: 'x', limit })
  }
  await nodeRed.stop()
}
figures.push({ name: 'RSS peak, 1000 runs at once', value: rss, unit: 'MiB', limit: 250 })

const large = chain(10_000)
const plan = compile(large)
const compiled = await medianOf(9, () => void compile(large))
const ran = await medianOf(5, async () => void (await runFlow(plan).result))
figures.push(
  { name: 'compile 10,000 nodes', value: compiled, unit: 'ms', limit: 150 },
  { name: 'run 10,000 nodes', value: ran, unit: 'ms', limit: 300 },
)

const routed = async (flow: unknown): Promise<number> =>
  medianOf(5, async () => void (await runFlow(compile(flow)).result))
const [many, few] = [await routed(sideBySide(2000)), await routed(sideBySide(200))]
const routers = compile(routerChain(400))
const decided = await interleave({
  'chain of 400 routers': () =>
    cpuPerOperation(1, async () => void (await runFlow(routers).result)),
  'without joins': () =>
    cpuPerOperation(1, async () => void (await runFlow(routers, { compat: 'strict' }).result)),
})
figures.push(
  {
    name: '2,000 routers side by side, an edge',
    value: many / few / 10,
    unit: 'x',
    limit: 1.2,
    note: `compile and run of 60,000 edges ${many.toFixed(0)} ms, of 6,000 ${few.toFixed(0)} ms`,
  },
  {
    name: '400 routers in a row',
    value: ratio(decided, 'chain of 400 routers', 'without joins'),
    unit: 'x',
    limit: 1.5,
    note: "against compat: 'strict'",
  },
)

await repeat(500, () => runFlow(ten).result)
const before = heapUsed()
await repeat(10_000, () => runFlow(ten).result)
const grown = (heapUsed() - before) / 2 ** 20
figures.push({ name: 'heap after 10,000 runs', value: Math.max(0, grown), unit: 'MiB', limit: 5 })
// Last: it follows asynchronous contexts, which makes every promise of its process dearer.
const others = await langgraph(CHAIN)
if (others === undefined || nodeRed === undefined) {
  console.log('Peers are missing: run `npm ci --legacy-peer-deps` in bench/engine/peers to compare')
}
if (others !== undefined) {
  const token = 'langgraph, a token'
  const timed = await interleave({
    'langgraph, chain of 100': perNode(CHAIN, 5, others.chain),
    [token]: perNode(TOKENS, 1, others.read),
  })
  for (const { name, median: value } of timed.values()) figures.push({ name, value, unit: 'us' })
  const ours = measured.get('a token, one reader')?.median ?? NaN
  const theirs = timed.get(token)?.median ?? NaN
  figures.push({
    name: 'a token, against langgraph',
    value: ours / theirs,
    unit: 'x',
    limit: 0.125,
  })
}
report('engine', figures)
