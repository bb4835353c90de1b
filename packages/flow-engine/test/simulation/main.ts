import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { createSystemRuntime } from '@x/wire'
import { BREAKS } from './breaks.ts'
import { FULL, simulate, type Outcome } from './simulate.ts'
import { shrink } from './shrink.ts'

const USAGE =
  'npm run simulate -- [--seeds 200] [--from 1] [--minutes N] [--break NAME] [--list-breaks] [--shrunk SIZE] [--trace] [--json FILE]'
const SHRINK_MS = 30_000

process.exitCode = await main()

/** 0: all seeds passed; 1: one failed; 2: wrong options. */
async function main(): Promise<number> {
  const options = readOptions()
  if (options === undefined) {
    console.error(USAGE)
    return 2
  }
  if (options.listBreaks) {
    console.log(Object.keys(BREAKS).join('\n'))
    return 0
  }
  const { runtime, from, seeds, broken, size, minutes } = options
  const clock = (): number => runtime.now().getTime()
  const begin = clock()
  const outcomes: Outcome[] = []
  const trace = options.trace ? { trace: (step: string) => console.log(step) } : {}
  for (let seed = from; seed < from + seeds; seed += 1) {
    if (minutes !== undefined && clock() - begin > minutes * 60_000) break
    const outcome = await simulate(seed, { size, broken, ...trace })
    outcomes.push(outcome)
    if (options.trace) console.log(`trace ${seed} ${outcome.hash}`)
    if (outcome.failure === undefined) continue
    console.log(`seed ${seed} failed: ${outcome.failure}`)
    if (!options.trace) console.log(outcome.steps.join('\n'))
    const as = options.breakName === undefined ? '' : ` --break ${options.breakName}`
    console.log(`Repeat: npm run simulate -- --from ${seed} --seeds 1 --trace${as}`)
    if (broken !== undefined) break
    const small = await shrink(seed, size, () => clock() - begin > SHRINK_MS)
    if (small !== undefined)
      console.log(`Smaller: npm run simulate -- --from ${seed} --seeds 1 --trace --shrunk ${small}`)
  }
  const failed = outcomes.filter(({ failure }) => failure !== undefined)
  const sum = (kind: string): number =>
    outcomes.reduce((total, { counts }) => total + (counts.get(kind) ?? 0), 0)
  const seconds = ((clock() - begin) / 1000).toFixed(1)
  console.log(
    `simulate: ${outcomes.length} seeds, ${failed.length} failed, ${sum('crash')} crashes, ${sum('lost-reply')} lost replies, ${sum('partition')} partitions, ${seconds} s`,
  )
  if (options.json !== undefined)
    writeFileSync(
      options.json,
      JSON.stringify(outcomes.map(({ seed, failure, hash }) => ({ seed, failure, hash }))),
    )
  return failed.length === 0 ? 0 : 1
}

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        seeds: { type: 'string', default: '200' },
        from: { type: 'string', default: '1' },
        minutes: { type: 'string' },
        break: { type: 'string' },
        'list-breaks': { type: 'boolean', default: false },
        shrunk: { type: 'string' },
        trace: { type: 'boolean', default: false },
        json: { type: 'string' },
      },
    })
    const [from, seeds] = [Number(values.from), Number(values.seeds)]
    const minutes = values.minutes === undefined ? undefined : Number(values.minutes)
    const [jobs = FULL.jobs, hosts = FULL.hosts, faults = FULL.faults] =
      values.shrunk?.split('.').map(Number) ?? []
    const numbers = [from, seeds, minutes ?? 1, jobs, hosts, faults]
    const isKnown = values.break === undefined || values.break in BREAKS
    if (!isKnown || !numbers.every((one) => Number.isFinite(one) && one >= 0)) return undefined
    return {
      runtime: createSystemRuntime(),
      from,
      seeds,
      minutes,
      size: { jobs, hosts, faults },
      breakName: values.break,
      broken: values.break === undefined ? undefined : BREAKS[values.break],
      listBreaks: values['list-breaks'],
      trace: values.trace,
      json: values.json,
    }
  } catch {
    return undefined
  }
}
