// Runs the stages of tools/ci-plan.mjs: two side by side where both use one core, all of them whatever fails.
// The output of each is printed when it has ended, in the order of the plan; then come what each took, and
// `N passed, N failed` over all tests. A stage that fails without a failed test counts as one.
//   node tools/ci.mjs                     all but `install`
//   node tools/ci.mjs --install           all
//   node tools/ci.mjs --only lint,unit    some of them
//   node tools/ci.mjs --night             those of the night
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { CHECK, NIGHT } from './ci-plan.mjs'

const CORES = 2
/** No run takes longer, on the worst of days. */
const MINUTES_OF_ALL = { check: 80, night: 420 }
/** Of a stage's output, in characters: its end is kept. */
const MOST_OUTPUT = 4_000_000
const ROOT = fileURLToPath(new URL('..', import.meta.url))

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    install: { type: 'boolean', default: false },
    night: { type: 'boolean', default: false },
  },
})
const plan = values.night ? NIGHT : CHECK
const only = values.only?.split(',')
const unknown = only?.filter((name) => !plan.some((stage) => stage.name === name)) ?? []
if (unknown.length > 0) {
  const known = plan.map(({ name }) => name).join(', ')
  throw new Error(`No stage ${unknown.join(', ')}. There are ${known}.`)
}
const stages = plan
  .filter(({ name }) => only?.includes(name) ?? (name !== 'install' || values.install))
  .map((stage) => ({ ...stage, state: 'waiting', output: '', isPrinted: false }))
const started = Date.now()
const running = new Set()

const ended = new Promise((resolve) => {
  const step = () => {
    printEnded()
    if (stages.every(({ state }) => state !== 'waiting' && state !== 'running')) resolve()
    else startReady(step)
  }
  step()
})
const overall = setTimeout(
  () => {
    for (const stage of stages) if (stage.state === 'waiting') finish(stage, 'no time was left')
    for (const stage of running) kill(stage, 'no time was left')
  },
  MINUTES_OF_ALL[values.night ? 'night' : 'check'] * 60_000,
)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    for (const stage of stages) if (stage.state === 'waiting') finish(stage, 'interrupted')
    for (const stage of running) kill(stage, 'interrupted')
  })
}
await ended
clearTimeout(overall)
summarize()

/** Starts each waiting stage whose needs have passed and for which cores are free, in the order of the plan. */
function startReady(step) {
  for (const stage of stages) {
    if (stage.state !== 'waiting') continue
    const needed = stages.filter(({ name }) => stage.needs?.includes(name) || name === 'install')
    const broken = needed.find(({ state }) => state === 'failed')
    if (broken !== undefined) {
      finish(stage, `${broken.name} failed`)
      queueMicrotask(step)
      continue
    }
    const used = [...running].reduce((sum, { cores }) => sum + cores, 0)
    const isReady = needed.every((other) => other === stage || other.state === 'passed')
    if (isReady && used + stage.cores <= CORES) start(stage, step)
  }
}

function start(stage, step) {
  stage.state = 'running'
  stage.began = Date.now()
  running.add(stage)
  console.log(`start  ${stage.name}`)
  // The shell tells the processor time of what it has waited for; it leads a group that can be ended whole.
  const script = '"$@"; code=$?; times >&3; exit $code'
  const child = spawn('sh', ['-c', script, 'sh', ...stage.command], {
    cwd: ROOT,
    detached: true,
    env: { ...process.env, NO_COLOR: '1', ...stage.environment },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  })
  stage.child = child
  let times = ''
  const [, out, err, told] = child.stdio
  for (const stream of [out, err]) {
    stream.setEncoding('utf8').on('data', (text) => {
      stage.output = (stage.output + text).slice(-MOST_OUTPUT)
    })
  }
  told.setEncoding('utf8').on('data', (text) => {
    times += text
  })
  const limit = setTimeout(
    () => kill(stage, `took more than ${stage.minutes} minutes`),
    stage.minutes * 60_000,
  )
  child.on('error', (error) => {
    stage.reason ??= error.message
  })
  child.on('exit', () => endGroup(child, 'SIGTERM'))
  child.on('close', (code) => {
    clearTimeout(limit)
    running.delete(stage)
    stage.seconds = Math.round((Date.now() - stage.began) / 1000)
    stage.cpu = processorSeconds(times)
    finish(stage, stage.reason ?? (code === 0 ? undefined : `ended with ${code ?? 'a signal'}`))
    step()
  })
}

function finish(stage, reason) {
  stage.state = reason === undefined ? 'passed' : 'failed'
  stage.reason = reason
  const [, passed = 0, failed = 0] =
    [...stage.output.matchAll(/^(\d+) passed, (\d+) failed$/gm)].at(-1)?.map(Number) ?? []
  stage.passed = passed
  stage.failed = reason === undefined ? failed : Math.max(failed, 1)
}

function kill(stage, reason) {
  stage.reason ??= reason
  endGroup(stage.child, 'SIGTERM')
  setTimeout(() => endGroup(stage.child, 'SIGKILL'), 5_000).unref()
}

/** Whatever a stage has started and left behind goes with it. */
function endGroup({ pid }, signal) {
  try {
    if (pid !== undefined) process.kill(-pid, signal)
  } catch {
    // The group is gone already.
  }
}

/** The second line of `times`: user and system time of children, such as `1m2.5s 0m3.1s`. */
function processorSeconds(times) {
  const [, children = ''] = times.trim().split('\n')
  const seconds = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, rest]) => Number(minutes) * 60 + Number(rest),
  )
  return Math.round(seconds.reduce((sum, part) => sum + part, 0))
}

function printEnded() {
  for (const stage of stages) {
    if (stage.state === 'waiting' || stage.state === 'running') return
    if (stage.isPrinted) continue
    stage.isPrinted = true
    const { name, seconds = 0, reason } = stage
    console.log(`\n=== ${name}: ${reason ?? 'passed'}, ${seconds} s`)
    console.log(stage.output.trimEnd())
  }
}

function summarize() {
  const rows = stages.map(({ name, seconds = 0, cpu = 0, cores, reason = 'passed' }) => [
    name,
    seconds,
    cpu,
    cores,
    reason,
  ])
  const total = Math.round((Date.now() - started) / 1000)
  const cpu = stages.reduce((sum, stage) => sum + (stage.cpu ?? 0), 0)
  const table = [
    ['stage', 'seconds', 'CPU s', 'cores', 'result'],
    ...rows,
    ['all', total, cpu, Math.min(CORES, availableParallelism()), ''],
  ]
  console.log('')
  for (const [name, ...others] of table) {
    const cells = others.slice(0, 3).map((cell) => String(cell).padStart(8))
    console.log(`${String(name).padEnd(12)}${cells.join('')}  ${others[3]}`.trimEnd())
  }
  const passed = stages.reduce((sum, stage) => sum + stage.passed, 0)
  const failed = stages.reduce((sum, stage) => sum + stage.failed, 0)
  if (failed > 0) process.exitCode = 1
  console.log(`\n${passed} passed, ${failed} failed`)
}
