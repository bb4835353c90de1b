import { afterEach, describe, expect, test } from 'vitest'
import { builtinComponents } from '@x/flow-components'
import { createRegistry, defineComponent, field, output } from '@x/flow-engine'
import { flowBuilder } from '@x/flow-engine/testing'
import type { FlowServiceInstance } from '@x/flow-service'
import { createTestEngine } from '@x/test-kit'

const engines: FlowServiceInstance[] = []
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()))
})

/** A service whose flow counts how often it charges a card. */
async function service() {
  const charged: string[] = []
  const charge = defineComponent({
    type: 'Charge',
    inputs: { text: field.message({}) },
    outputs: {
      result: output.message({
        run({ text }) {
          const order = typeof text?.text === 'string' ? text.text : ''
          charged.push(order)
          if (order === 'refused') throw new Error('The card was refused')
          return order
        },
      }),
    },
  })
  const engine = await createTestEngine({
    components: createRegistry([...builtinComponents, charge]),
  })
  engines.push(engine)
  const userOf = async (username: string) => {
    const { id } = await engine.services.users.create({
      username,
      password: 'secret-1',
      isActive: true,
    })
    return { userId: id, isSuperuser: false }
  }
  const send = async (
    user: { userId: string; isSuperuser: boolean },
    path: string,
    body: unknown,
    key?: string,
  ) => {
    const request = new Request(`http://host.example/api/v1${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      body: JSON.stringify(body),
    })
    const response = await engine.handler(request, { user })
    const replayed = response.headers.get('idempotency-replayed')
    return { status: response.status, replayed, text: await response.text() }
  }
  const flowOf = async (user: { userId: string; isSuperuser: boolean }): Promise<string> => {
    const flow = flowBuilder('charge')
    const input = flow.add('ChatInput')
    const card = flow.add(charge)
    const answer = flow.add('ChatOutput')
    flow.connect(`${input}.message`, `${card}.text`)
    flow.connect(`${card}.result`, `${answer}.input_value`)
    const { data } = flow.toJSON() as { data: unknown }
    const { text } = await send(user, '/flows/', { name: 'charge', data })
    return (JSON.parse(text) as { id: string }).id
  }
  const ada = await userOf('ada')
  return { engine, charged, send, userOf, flowOf, ada, flow: await flowOf(ada) }
}

const withoutIds = (text: string): unknown =>
  JSON.parse(text.replaceAll(/"(id|timestamp|run_id|session_id)":"[^"]*"/g, '"$1":""'))

describe('FL-32 requests with an Idempotency-Key', () => {
  test.each([
    ['/run', { input_value: 'order 17' }],
    ['/run/advanced', { inputs: [{ input_value: 'order 17', type: 'chat' }] }],
  ])('%s: at once and again there is one run and one answer', async (path, body) => {
    const { charged, send, ada, flow } = await service()
    const both = await Promise.all([1, 2].map(() => send(ada, `${path}/${flow}`, body, 'k')))
    const third = await send(ada, `${path}/${flow}`, body, 'k')
    expect(charged).toEqual(['order 17'])
    expect(new Set(both.map(({ replayed }) => replayed))).toEqual(new Set([null, 'true']))
    expect(third.replayed).toBe('true')
    for (const { status, text } of both) expect([status, text]).toEqual([200, third.text])
    const plain = await send(ada, `${path}/${flow}`, body)
    expect(withoutIds(third.text)).toEqual(withoutIds(plain.text))
  })

  test('a failed run fails again, with the same answer', async () => {
    const { charged, send, ada, flow } = await service()
    const body = { input_value: 'refused' }
    const first = await send(ada, `/run/${flow}`, body, 'k')
    const second = await send(ada, `/run/${flow}`, body, 'k')
    const plain = await send(ada, `/run/${flow}`, body)
    expect(charged).toHaveLength(2)
    expect([first.status, first.text]).toEqual([plain.status, plain.text])
    expect(second).toEqual({ ...first, replayed: 'true' })
  })

  test('a stream that comes again has all events', async () => {
    const { charged, send, ada, flow } = await service()
    const first = await send(ada, `/run/${flow}?stream=true`, { input_value: 'x' }, 'k')
    const second = await send(ada, `/run/${flow}?stream=true`, { input_value: 'x' }, 'k')
    const whole = await send(ada, `/run/${flow}`, { input_value: 'x' }, 'k')
    expect(charged).toEqual(['x'])
    expect(second).toEqual({ ...first, replayed: 'true' })
    expect(first.text).toContain('"event": "add_message"')
    expect(first.text).toContain(`"event": "end", "data": {"result":${whole.text}}`)
  })

  test('builds give one job', async () => {
    const { charged, send, ada, flow, engine } = await service()
    const body = { inputs: { input_value: 'x' } }
    const first = await send(ada, `/build/${flow}/flow`, body, 'k')
    const second = await send(ada, `/build/${flow}/flow`, body, 'k')
    expect(second).toEqual({ ...first, replayed: 'true' })
    const { job_id: id } = JSON.parse(first.text) as { job_id: string }
    await engine.jobs.result(id)
    expect(charged).toEqual(['x'])
  })

  test('another request, flow or way with the key is refused; other users do not meet', async () => {
    const { charged, send, userOf, flowOf, ada, flow } = await service()
    await send(ada, `/run/${flow}`, { input_value: 'x' }, 'k')
    const other = await flowOf(ada)
    for (const [path, body] of [
      [`/run/${flow}`, { input_value: 'y' }],
      [`/run/${other}`, { input_value: 'x' }],
      [`/build/${flow}/flow`, { inputs: { input_value: 'x' } }],
    ] as const) {
      const { status, text } = await send(ada, path, body, 'k')
      const detail = 'This Idempotency-Key was used with another request.'
      expect([status, JSON.parse(text)]).toEqual([422, { detail }])
    }
    const bob = await userOf('bob')
    const his = await send(bob, `/run/${await flowOf(bob)}`, { input_value: 'y' }, 'k')
    expect([his.status, his.replayed]).toEqual([200, null])
    expect(charged).toEqual(['x', 'y'])
  })

  test('a request that is refused before it starts leaves the key free', async () => {
    const { charged, send, ada, flow } = await service()
    expect((await send(ada, `/run/${flow}`, { input_type: 'x' }, 'k')).status).toBe(422)
    expect((await send(ada, '/run/unknown', {}, 'k')).status).toBe(404)
    const { status, replayed } = await send(ada, `/run/${flow}`, { input_value: 'x' }, 'k')
    expect([status, replayed, charged]).toEqual([200, null, ['x']])
  })

  test.each(['', 'two words', 'x'.repeat(256)])('bad input: the key %j', async (key) => {
    const { send, ada, flow } = await service()
    const { status, text } = await send(ada, `/run/${flow}`, {}, key)
    const detail = 'Idempotency-Key must be 1 to 255 visible ASCII characters'
    expect([status, JSON.parse(text)]).toEqual([400, { detail }])
  })
})
