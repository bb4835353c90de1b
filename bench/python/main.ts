// Python components against the numbers they are promised to keep (PY-3, PY-4, PY-61), on this machine.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createPythonRunner } from '@x/flow-python'
import { isComponent } from '@x/flow-engine'
import { percentile } from '../lib/measure.ts'
import { report, type Figure } from '../lib/report.ts'

const CODE = `from langflow.custom import Component
from langflow.io import Output
from langflow.schema import Message
class Nothing(Component):
    outputs = [Output(name="result", method="work")]
    def work(self) -> Message:
        return Message(text="done")
`
const NODE = { template: {}, outputs: [{ name: 'result', method: 'work' }] }
const cacheDir = mkdtempSync(join(tmpdir(), 'bench-python-'))
const { signal } = new AbortController()
const megabytes = (): number => process.memoryUsage().rss / 1024 / 1024
const figures: Figure[] = []
const add = (name: string, value: number, unit: string, limit?: number, note?: string): void =>
  void figures.push({
    name,
    value,
    unit,
    ...(limit === undefined ? {} : { limit }),
    ...(note === undefined ? {} : { note }),
  })
/** CPU time of all threads of this process in milliseconds: what a busy machine does not lengthen much. */
const cpu = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

type Runner = ReturnType<typeof createPythonRunner>

async function call(runner: Runner): Promise<number> {
  const begun = performance.now()
  const component = await runner.load(CODE, { signal, node: NODE })
  if (!isComponent(component)) throw new Error('no component')
  const ctx = { connected: new Set(), services: {}, displayName: 'Nothing', signal }
  const quiet = { ...ctx, log: () => undefined, status: () => undefined }
  await component.outputs['result']?.run({}, quiet as never)
  return performance.now() - begun
}

const first = createPythonRunner({ cacheDir })
const cpuBefore = cpu()
const made = await call(first)
add('first call, snapshot made now', made, 'ms', 5000, `${(cpu() - cpuBefore).toFixed(0)} ms CPU`)
await first.close()

const before = megabytes()
const runner = createPythonRunner({ cacheDir })
const cpuKept = cpu()
const kept = await call(runner)
add('first call, snapshot kept', kept, 'ms', 2500, `${(cpu() - cpuKept).toFixed(0)} ms CPU`)
const warm: number[] = []
const warmCpu: number[] = []
for (let at = 0; at < 20; at += 1) {
  await sleep(1000)
  const began = cpu()
  warm.push(await call(runner))
  warmCpu.push(cpu() - began)
}
const warmNote = `${percentile(warmCpu, 50).toFixed(1)} ms CPU, with a part of the next start`
add('warm call, median of 20', percentile(warm, 50), 'ms', 30, warmNote)
await sleep(500)
const ofFirst = megabytes() - before
add('memory with one idle interpreter', ofFirst, 'MB', 200)

const begun = performance.now()
await runner.load(CODE, { signal })
add('reading a class', performance.now() - begun, 'ms')
const again = performance.now()
await runner.load(CODE, { signal })
add('reading it again', performance.now() - again, 'ms')

await sleep(400)
const many = performance.now()
for (let at = 0; at < 100; at += 1) await call(runner)
add('a hundred calls in a row, each', (performance.now() - many) / 100, 'ms')

await sleep(4000)
const alone = megabytes()
const several = createPythonRunner({ cacheDir, warm: 5 })
await call(several)
// V8 collects the garbage of a start when a thread has been idle for some seconds.
await sleep(12_000)
// The first one brings what all of them share.
add('each further idle interpreter', (megabytes() - alone - ofFirst) / 4, 'MB', 90)
const closing = performance.now()
await Promise.all([runner.close(), several.close()])
add('close', performance.now() - closing, 'ms', 1000)

report('python', figures)
rmSync(cacheDir, { recursive: true })
