import { afterEach, describe, expect, test } from 'vitest'
import { builtinComponents } from '@x/flow-components'
import { defineComponent } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { createRegistry } from '@x/flow-engine'
import type { FlowService } from '@x/flow-service'
import { flowBuilder } from '@x/flow-engine/testing'
import type { FlowEngineOptions } from '../src/options.ts'
import { createTestEngine } from '@x/test-kit'

const engines: FlowService[] = []
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()))
})

/** A service with one flow that hangs until it is stopped, at the endpoint name `held`. */
async function service(options: Partial<FlowEngineOptions> = {}) {
  let begin = (): void => undefined
  let stop = (_: string): void => undefined
  const begun = new Promise<void>((resolve) => (begin = resolve))
  const stopped = new Promise<string>((resolve) => (stop = resolve))
  const stuck = defineComponent({
    type: 'Stuck',
    inputs: { text: field.message({}) },
    outputs: {
      result: output.message({
        run: (_, ctx) =>
          new Promise((_resolve, reject) => {
            begin()
            ctx.signal.addEventListener('abort', () => {
              stop('stopped')
              reject(ctx.signal.reason as Error)
            })
          }),
      }),
    },
  })
  const components = createRegistry([...builtinComponents, stuck])
  const engine = await createTestEngine({ components, ...options })
  engines.push(engine)
  const user = { userId: engine.adminId, isSuperuser: true }
  const post = (path: string, body: object, signal?: AbortSignal): Promise<Response> =>
    engine.handler(
      new Request(`http://host${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        ...(signal === undefined ? {} : { signal }),
      }),
      { user },
    )
  const flow = flowBuilder('held')
  const input = flow.add('ChatInput')
  const held = flow.add(stuck)
  const answer = flow.add('ChatOutput')
  flow.connect(`${input}.message`, `${held}.text`)
  flow.connect(`${held}.result`, `${answer}.input_value`)
  const { data } = flow.toJSON()
  await post('/api/v1/flows/', { name: 'held', data, endpoint_name: 'held' })
  return { post, begun, stopped }
}

describe('POST /api/v1/responses', () => {
  test('RS-10 a client that disconnects ends the run', async () => {
    const { post, begun, stopped } = await service()
    const leaving = new AbortController()
    void post('/api/v1/responses', { model: 'held', input: 'x' }, leaving.signal)
    await begun
    leaving.abort()
    expect(await stopped).toBe('stopped')
  })

  test('RS-10 a client that cancels the stream ends the run', async () => {
    const { post, begun, stopped } = await service()
    const response = await post('/api/v1/responses', { model: 'held', input: 'x', stream: true })
    const reader = response.body?.getReader()
    await reader?.read()
    void reader?.read()
    await begun
    await reader?.cancel()
    expect(await stopped).toBe('stopped')
  })

  test('RS-6 failures have error status codes when the host enables them', async () => {
    const { post } = await service({ responses: { statusCodes: true } })
    const bodies = [
      { model: 'held', input: 'x', tools: [] },
      { model: 'none', input: 'x' },
    ]
    const answers = await Promise.all(bodies.map((body) => post('/api/v1/responses', body)))
    expect(answers.map(({ status }) => status)).toEqual([400, 404])
  })
})

describe('/api/openai/v1/chat/completions', () => {
  const path = '/api/openai/v1/chat/completions'
  const body = { model: 'held', messages: [{ role: 'user', content: 'x' }] }

  test('RS-29 a client that cancels the stream ends the run', async () => {
    const { post, begun, stopped } = await service()
    const reader = (await post(path, { ...body, stream: true })).body?.getReader()
    await reader?.read()
    void reader?.read()
    await begun
    await reader?.cancel()
    expect(await stopped).toBe('stopped')
  })

  test('RS-21 RS-50 a run over the limit of one user is 429 until another run has ended', async () => {
    const { post, begun, stopped } = await service({ openai: { maxRuns: 1 } })
    const leaving = new AbortController()
    const first = post(path, body, leaving.signal)
    await begun
    for (const stream of [false, true]) {
      const answer = await post(path, { ...body, stream })
      expect([answer.status, await answer.json()]).toMatchObject([
        429,
        { error: { type: 'rate_limit_error', code: 'rate_limit_exceeded' } },
      ])
      expect(answer.headers.get('retry-after')).toBe('5')
      expect(answer.headers.get('x-should-retry')).toBeNull()
    }
    leaving.abort()
    await stopped
    await first
    const next = await post(path, { ...body, stream: true })
    expect(next.status).toBe(200)
    await next.body?.cancel()
  })

  test('RS-1 `openai: false` removes the interface', async () => {
    const { post } = await service({ openai: false })
    const answer = await post(path, body)
    expect([answer.status, await answer.json()]).toEqual([404, { detail: 'Not Found' }])
  })
})
