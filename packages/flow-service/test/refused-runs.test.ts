import { afterEach, describe, expect, test } from 'vitest'
import { builtinComponents } from '@x/flow-components'
import { createRegistry, defineComponent, field, output } from '@x/flow-engine'
import { flowBuilder } from '@x/flow-engine/testing'
import type { FlowService } from '@x/flow-service'
import { createTestEngine } from '@x/test-kit'

/** Hangs until it is stopped. */
const stuck = defineComponent({
  type: 'Stuck',
  inputs: { text: field.message({}) },
  outputs: {
    result: output.message({
      run: (_, ctx) =>
        new Promise((_resolve, reject) => {
          ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason as Error))
        }),
    }),
  },
})

const engines: FlowService[] = []
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()))
})

/** A service whose only user may start `perDay` runs a day, one at once, and have one job waiting. */
async function service(perDay: number) {
  const engine = await createTestEngine({
    components: createRegistry([...builtinComponents, stuck]),
    settings: { maxRunsPerUser: 1, maxRunsPerDayPerUser: perDay, maxWebhookRuns: 1 },
    queue: { concurrency: 1, maxQueued: 1 },
  })
  engines.push(engine)
  const { id } = await engine.services.users.create({
    username: 'ada',
    password: 'secret-1',
    isActive: true,
  })
  const user = { userId: id, isSuperuser: false }
  const call = (path: string, body: unknown, signal?: AbortSignal): Promise<Response> =>
    engine.handler(
      new Request(`http://host.example${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        ...(signal === undefined ? {} : { signal }),
      }),
      { user },
    )
  const create = async (data: unknown): Promise<string> => {
    const answer = await call('/api/v1/flows/', { name: 'f', data })
    return ((await answer.json()) as { id: string }).id
  }
  return { engine, call, create }
}

type Service = Awaited<ReturnType<typeof service>>

function graphOf(held: boolean): unknown {
  const flow = flowBuilder('f')
  const input = flow.add('ChatInput', { id: 'ChatInput-1' })
  if (held) flow.connect(`${input}.message`, `${flow.add(stuck)}.text`)
  else flow.connect(`${input}.message`, `${flow.add('ChatOutput')}.input_value`)
  return (flow.toJSON() as { data: unknown }).data
}

/** Runs of the echo that are admitted until the quota refuses one. */
async function admitted({ call }: Service, flowId: string): Promise<number> {
  for (let count = 0; ; count += 1) {
    const answer = await call(`/api/v1/run/${flowId}`, { input_value: 'Hi' })
    await answer.text()
    if (answer.status === 429) return count
    expect(answer.status).toBe(200)
  }
}

/** Doors that hold a run in the process of the request. */
const DIRECT: Readonly<Record<string, (flowId: string) => readonly [path: string, body: unknown]>> =
  {
    run: (id) => [`/api/v1/run/${id}`, { input_value: 'Hi' }],
    'advanced run': (id) => [`/api/v1/run/advanced/${id}`, {}],
    vertex: (id) => [`/api/v1/build/${id}/vertices/ChatInput-1`, {}],
    responses: (id) => ['/api/v1/responses', { model: id, input: 'Hi' }],
    'chat completion': (id) => [
      '/api/openai/v1/chat/completions',
      { model: id, messages: [{ role: 'user', content: 'Hi' }] },
    ],
  }

describe('OP-18: a refused run costs nothing', () => {
  test.each(Object.entries(DIRECT))(
    '%s: what is refused because too many go on is not counted as one of the day',
    async (_door, requestOf) => {
      const ada = await service(3)
      const echo = await ada.create(graphOf(false))
      const leave = new AbortController()
      const held = ada.call(
        `/api/v1/run/${await ada.create(graphOf(true))}?stream=true`,
        { input_value: 'Hi' },
        leave.signal,
      )
      const reader = (await held).body?.getReader()
      await reader?.read()
      for (let n = 0; n < 5; n += 1) {
        const [path, body] = requestOf(echo)
        const answer = await ada.call(path, body)
        expect(await answer.text()).toContain('in progress, which is the limit')
      }
      leave.abort()
      await reader?.cancel().catch(() => undefined)
      // The place is free as soon as the run that was left has ended.
      await expect
        .poll(async () => (await ada.call(`/api/v1/run/${echo}`, { input_value: 'Hi' })).status)
        .toBe(200)
      expect(await admitted(ada, echo)).toBe(1)
    },
  )

  test('build: what is refused because too many wait is not counted, nor what does not compile', async () => {
    const ada = await service(4)
    const echo = await ada.create(graphOf(false))
    const held = await ada.create(graphOf(true))
    const broken = await ada.create({ nodes: [], edges: [{ source: 'a', target: 'b' }] })
    const build = (id: string) => ada.call(`/api/v1/build/${id}/flow`, { inputs: {} })
    for (let n = 0; n < 5; n += 1) await (await build(broken)).text()
    const jobs = [await build(held), await build(held)]
    for (let n = 0; n < 5; n += 1) expect((await build(held)).status).toBe(429)
    for (const job of jobs) {
      const { job_id: id } = (await job.json()) as { job_id: string }
      await (await ada.call(`/api/v1/build/${id}/cancel`, {})).text()
    }
    expect(await admitted(ada, echo)).toBe(2)
  })
})
