// Runs each night (.ci/night).
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFlow, echoGraph } from './flows.ts'
import { chatFlow, storeFlow } from './material.ts'
import { type Gate } from './model-gate.ts'
import { type Service } from './service.ts'
import { startModelService } from './model-service.ts'

let service: Service
let gate: Gate
let project: string
let end: () => Promise<void>

beforeAll(async () => {
  ;({ service, gate, end } = await startModelService())
  const exposed = { mcp_enabled: true, action_name: 'parrot', action_description: 'Says it again.' }
  await createFlow(service, {
    name: 'Parrot',
    data: echoGraph(),
    endpoint_name: 'parrot',
    ...exposed,
  })
  await storeFlow(service, chatFlow(), { endpoint_name: 'chat' })
  const [first] = (await service.call('GET', '/api/v1/projects/')).json() as { id: string }[]
  project = first?.id ?? ''
})
afterAll(() => end())

const CROWD = 200
const crowd = <T>(ask: (n: number) => Promise<T>, size = CROWD): Promise<T[]> =>
  Promise.all(Array.from({ length: size }, (_, n) => ask(n)))

/** Resident memory of the server in MiB. */
function memory(): number {
  const status = readFileSync(`/proc/${service.pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024
}

/** By which part the memory after eight more crowds exceeds that after four. */
async function growth(come: () => Promise<unknown>): Promise<number> {
  for (let round = 0; round < 4; round += 1) await come()
  const before = memory()
  for (let round = 0; round < 8; round += 1) await come()
  return memory() / before - 1
}

async function callTool(n: number): Promise<string> {
  const { text } = await service.call('POST', `/api/v1/mcp/project/${project}/streamable`, {
    headers: { accept: 'application/json, text/event-stream' },
    body: {
      jsonrpc: '2.0',
      id: n,
      method: 'tools/call',
      params: { name: 'parrot', arguments: { input_value: `call ${n}.` } },
    },
  })
  return text
}

async function stream(n: number): Promise<string> {
  const body = { model: 'parrot', input: `stream ${n}.`, stream: true, store: false }
  return (await service.call('POST', '/api/openai/v1/responses', { body })).text
}

describe.skipIf(process.platform !== 'linux')('many concurrent clients', () => {
  test('MC-111 200 concurrent calls each get their own answer, and memory is released', async () => {
    const answers = await crowd(callTool)
    for (const [n, text] of answers.entries()) expect(text).toContain(`"call ${n}."`)
    expect(await growth(() => crowd(callTool))).toBeLessThan(0.5)
  })

  test('RS-52 200 concurrent streams each get their own answer, and memory is released', async () => {
    const answers = await crowd(stream)
    for (const [n, text] of answers.entries()) {
      expect(text).toContain(`"delta":"stream ${n}."`)
      expect(text).toContain('event: response.completed\n')
    }
    expect(await growth(() => crowd(stream))).toBeLessThan(0.5)
  })

  test('RS-52 aborting 1,000 concurrent streams ends all of their model calls', async () => {
    const rounds: number[] = []
    const leaveAtOnce = async (): Promise<void> => {
      const leaving = new AbortController()
      const body = { model: 'chat', input: 'wait', stream: true, store: false }
      const left = crowd(
        () =>
          service
            .call('POST', '/api/openai/v1/responses', { body, signal: leaving.signal })
            .catch(() => null),
        1_000,
      )
      await expect.poll(() => gate.waiting, { timeout: 60_000 }).toBeGreaterThan(0)
      await settled(() => gate.waiting)
      const started = performance.now()
      leaving.abort()
      await left
      await expect.poll(() => gate.waiting, { interval: 20 }).toBe(0)
      rounds.push(Math.round(performance.now() - started))
    }
    await leaveAtOnce()
    await leaveAtOnce()
    const before = memory()
    await leaveAtOnce()
    await leaveAtOnce()
    // oxlint-disable-next-line no-console -- the figures are what this journey is run for
    console.log(`1,000 streams left: no run at the model after ${rounds.join(', ')} ms`)
    expect(memory() / before - 1).toBeLessThan(0.5)
    expect(await stream(1)).toContain('response.completed')
  })
})

/** Resolves once the figure has stood still for a second. */
async function settled(read: () => number): Promise<void> {
  let last = -1
  while (last !== read()) {
    last = read()
    await new Promise((resolve) => setTimeout(resolve, 1_000))
  }
}
