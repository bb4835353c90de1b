// Runs each night (.ci/night).
import { execFileSync } from 'node:child_process'
import { beforeAll, expect, test, vi } from 'vitest'
import type { Answer, Service } from '../journeys/service.ts'
import { besideHealth, HEALTH_NOTED, IN_TIME, stopwatch, useService } from './attack.ts'
import { addUser } from './flows.ts'

vi.setConfig({ testTimeout: 300_000 })
const running = useService({ SERVICE_CODE_RUNNER: 'true' })
let ada = ''
beforeAll(async () => {
  ada = await addUser(running(), 'ada')
})

const HONEST = `
import { defineComponent, output } from '@x/flow-engine'
export default defineComponent({
  type: 'Honest', displayName: 'Honest', inputs: {},
  outputs: { result: output.message({ displayName: 'Result', run: () => 'hi' }) },
})
`

function evaluate(service: Service, code: string, key: string, signal?: AbortSignal) {
  return service.call('POST', '/api/v1/custom_component', {
    key,
    body: { code },
    ...(signal === undefined ? {} : { signal }),
  })
}

/** Threads of the server; 0 where the system does not say. */
function threadsOf({ pid }: Service): number {
  try {
    return Number(execFileSync('ps', ['-o', 'nlwp=', '-p', String(pid)], { encoding: 'utf8' }))
  } catch {
    return 0
  }
}

test('AB-76: forty endless code runs of one user do not block code of another user', async () => {
  const service = running()
  const threads = threadsOf(service)
  const stop = new AbortController()
  const { result, slowest, wall, grown } = await besideHealth(service, async () => {
    const statuses: number[] = []
    const endless = Array.from({ length: 40 }, (_, at) =>
      evaluate(service, `while (true) {} // ${at}`, service.key, stop.signal).then(
        (answer: Answer) => statuses.push(answer.status),
        () => 0,
      ),
    )
    await vi.waitFor(() => expect(statuses.filter((status) => status === 429)).toHaveLength(19), {
      timeout: 20_000,
    })
    const elapsed = stopwatch(service)
    const honest = await evaluate(service, HONEST, ada)
    const ms = elapsed()
    const more = threadsOf(service) - threads
    stop.abort()
    await Promise.all(endless)
    return { honest, ms, more }
  })
  expect(result.honest.json()).toMatchObject({ type: 'Honest' })
  expect(result.ms).toBeLessThan(10_000)
  expect(result.more).toBeLessThanOrEqual(8)
  expect(grown).toBeLessThan(400)
  expect(slowest).toBeLessThan(HEALTH_NOTED)
  // The threads of the attack take processors too.
  expect(wall).toBeLessThan(IN_TIME)
})

test('AB-76: evaluating code times out after five seconds; disconnected callers occupy no slot', async () => {
  const service = running()
  const begun = performance.now()
  const answer = await evaluate(service, 'while (true) {}', ada)
  expect(performance.now() - begun).toBeLessThan(25_000)
  expect(answer.status).toBe(400)
  expect(answer.text).toContain('time limit of 5 seconds')
  expect((await evaluate(service, `${HONEST}// again`, service.key)).status).toBe(200)
})
