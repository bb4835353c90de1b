// Runs each night (.ci/night).
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startCanary, type Canary } from '../../packages/flow-engine/test/abuse/canary.ts'
import { material } from '../journeys/material.ts'
import { besideHealth, HEALTH } from './attack.ts'
import { useBuiltHost } from './built-host.ts'
import { keepsAnswering } from './keeps-answering.ts'

const host = useBuiltHost('engine-host.ts', ['flow-engine', 'flow-components'])

let canary: Canary
beforeAll(async () => {
  canary = await startCanary()
})
afterAll(() => canary.close())

test('AB-43: without a fetch of the host, the built engine cannot reach private addresses', () =>
  keepsAnswering(host(), async () => {
    const reach = (url: string, allowPrivate = false) =>
      host().call<string>('reach', JSON.stringify({ url, allowPrivate }))
    for (const name of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '0x7f.1', '2130706433']) {
      const text = await reach(`http://${name}:${canary.port}/secret`)
      expect([name, text.includes('canary secret')]).toEqual([name, false])
    }
    expect(await reach('http://169.254.169.254/latest/meta-data')).toContain('not allowed')
    expect([canary.connections(), canary.requests]).toEqual([0, []])
    await reach(`${canary.url}/opened`, true)
    expect(canary.requests.map(({ path }) => path)).toEqual(['/opened'])
  }))

test('AB-90: unlimited time limits set no timer; invalid ones are refused', async () => {
  const run = (ms: unknown) => host().call<string>('limits', JSON.stringify(ms))
  const { slowest } = await besideHealth(host(), async () => {
    // A timer of 1 ms would end each of them, whose work takes 30 ms.
    const wanted = Array.from(
      { length: 200 },
      (_, n) => ['Infinity', null, 2 ** 31, 2 ** 40][n % 4],
    )
    expect(new Set(await Promise.all(wanted.map(run)))).toEqual(new Set(['succeeded']))
  })
  expect(slowest).toBeLessThan(HEALTH)
  for (const ms of [-1, 'long'])
    expect(await run(ms)).toContain('TimeoutMs must be a number of 0 or more')
  const lease = JSON.stringify({ leaseMs: 5_000, heartbeatMs: 10_000 })
  expect(await host().call('lease', lease)).toContain('leaseMs (5000) must be at least')
})

test('AB-91: a log write error cancels the run, and the job fails as soon as writing works again', async () => {
  const { result } = await besideHealth(host(), () => host().call('brokenLog'))
  expect(result).toEqual({ later: 0, state: 'failed' })
})

test('AB-36: worker threads of the built package read a workbook and a PDF document', async () => {
  const read = async (name: string): Promise<string> => {
    const body = Buffer.from(await material(name)).toString('base64')
    const { result } = await besideHealth(host(), () => host().call('read', body))
    return JSON.stringify(result)
  }
  expect(await read('ships.xlsx')).toContain('Aurora')
  expect(await read('tide.pdf')).toMatch(/[a-z]{4}/i)
})
