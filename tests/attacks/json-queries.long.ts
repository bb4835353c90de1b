// Runs each night (.ci/night).
import { expect, test, vi } from 'vitest'
import type { Service } from '../journeys/service.ts'
import { besideHealth, HEALTH, stopwatch, useService } from './attack.ts'
import { addUser, run, saveFlow } from './flows.ts'

vi.setConfig({ testTimeout: 300_000 })
const running = useService({})

const query = (service: Service, expression: string, key?: string): Promise<string> =>
  saveFlow(
    service,
    [
      ['Webhook', { data: '{"a": "found"}' }],
      [
        'DataOperations',
        { operations: [{ name: 'JQ Expression' }], query: expression },
        'output_data>data',
      ],
    ],
    key === undefined ? {} : { key },
  )

test('AB-32: endless expressions of one user are stopped and do not delay those of another user', async () => {
  const service = running()
  const ada = await addUser(service, 'ada')
  const honest = await query(service, '{b: .a}', ada)
  const endless = await query(service, 'def f: f; f')
  const greedy = await query(service, '[range(1e9)]', ada)
  const { result, slowest, grown } = await besideHealth(service, async () => {
    const attack = Array.from({ length: 30 }, () => run(service, endless))
    const refused = Promise.any(
      attack.map(async (sent) => {
        const { text } = await sent
        if (!text.includes('Too many expressions are running')) throw new Error(text)
        return text
      }),
    )
    expect(await refused).toContain('Too many expressions are running')
    const elapsed = stopwatch(service)
    const answer = await run(service, honest, ada)
    const ms = elapsed()
    const filling = await run(service, greedy, ada)
    const first = await Promise.any(
      attack.map(async (sent) => {
        const { text } = await sent
        if (!text.includes('ran for more than 5000 ms')) throw new Error(text)
        return text
      }),
    )
    return { answer, ms, filling, first }
  })
  expect(result.answer.text).toContain('"b":"found"')
  expect(result.ms).toBeLessThan(3_000)
  expect(result.filling.text).toMatch(/too much memory|ran for more than 5000 ms/)
  expect(result.first).toContain('5000')
  expect(grown).toBeLessThan(600)
  expect(slowest).toBeLessThan(HEALTH)
})
