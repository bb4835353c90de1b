import { flowBuilder } from '@x/flow-engine/testing'
import { createRegistry, defineComponent, output } from '@x/flow-engine'
import { createUserCalls } from '@x/test-kit'
import { describe, expect, test } from 'vitest'
import { builtinComponents } from '@x/flow-components'

const failing = defineComponent({
  type: 'Failing',
  inputs: {},
  outputs: {
    out: output.message({
      run() {
        throw new Error('broken')
      },
    }),
  },
})

async function service() {
  const reported: unknown[] = []
  const { engine, create, call, record } = await createUserCalls({
    components: createRegistry([...builtinComponents, failing]),
    onError: (error: unknown) => void reported.push(error),
  })
  const events: Record<string, unknown>[] = []
  engine.events.on('*', (event) => {
    if (event.type === 'run.started' || event.type === 'run.finished') events.push({ ...event })
  })
  const echo = flowBuilder('echo')
  echo.connect(`${echo.add('ChatInput')}.message`, `${echo.add('ChatOutput')}.input_value`)
  const id = await create(echo.toJSON().data, { name: 'Echo' })
  return { engine, call, create, record, id, events, reported }
}

const shown = (events: readonly Record<string, unknown>[]) =>
  events.map(({ type, door, status }) => [type, door, ...(status === undefined ? [] : [status])])

describe('HO-67: events of runs', () => {
  test('each door tells one start and one end, with one id', async () => {
    const { engine, call, id, events, record } = await service()
    await call('POST', `/api/v1/run/${id}`, { input_value: 'hello', session_id: 's' })
    expect(shown(events)).toEqual([
      ['run.started', 'run'],
      ['run.finished', 'run', 'succeeded'],
    ])
    const [started, finished] = events
    expect(started).toMatchObject({
      flowId: id,
      flowName: 'Echo',
      sessionId: 's',
      userId: record.id,
      resumed: false,
    })
    expect(started?.['requestId']).toEqual(expect.any(String))
    expect(finished?.['id']).toBe(started?.['id'])
    expect(finished?.['durationMs']).toEqual(expect.any(Number))
    expect(JSON.stringify(events)).not.toContain('hello')
    events.length = 0
    await call('POST', '/api/v1/responses', { model: id, input: 'hello' })
    const chat = { model: id, messages: [{ role: 'user', content: 'hello' }] }
    await call('POST', '/api/openai/v1/chat/completions', chat)
    await call('POST', `/api/v1/build/${id}/flow?event_delivery=direct`, {
      inputs: { input_value: 'x' },
    })
    await expect.poll(() => events).toHaveLength(6)
    expect(shown(events)).toEqual([
      ['run.started', 'responses'],
      ['run.finished', 'responses', 'succeeded'],
      ['run.started', 'chat'],
      ['run.finished', 'chat', 'succeeded'],
      ['run.started', 'build'],
      ['run.finished', 'build', 'succeeded'],
    ])
    expect(events.at(-1)?.['jobId']).toBe(events.at(-1)?.['id'])
    await engine.close()
  })

  test('a refused request tells nothing, a failed run its error', async () => {
    const { engine, call, create, events } = await service()
    await call('POST', '/api/v1/run/nothing', { input_value: 'hello' })
    const broken = flowBuilder('broken')
    const node = broken.add(failing, { id: 'Failing-1' })
    broken.connect(`${node}.out`, `${broken.add('ChatOutput')}.input_value`)
    const id = await create(broken.toJSON().data, { name: 'Broken' })
    await call('POST', `/api/v1/run/${id}`, { input_value: 'hello' })
    expect(shown(events)).toEqual([
      ['run.started', 'run'],
      ['run.finished', 'run', 'failed'],
    ])
    expect(events[1]?.['error']).toMatchObject({ componentId: 'Failing-1' })
    expect(String(Object(events[1]?.['error']).message)).toContain('broken')
    await engine.close()
  })

  test('HO-66 a listener that throws costs the others nothing', async () => {
    const { engine, call, id, reported } = await service()
    let ends = 0
    let turn = 0
    engine.events.on('run.finished', () => {
      turn += 1
      if (turn % 2 === 0) throw new Error('of the listener')
    })
    engine.events.on('run.finished', () => void (ends += 1))
    const runs = 50
    await Promise.all(
      Array.from({ length: runs }, () => call('POST', `/api/v1/run/${id}`, { input_value: 'x' })),
    )
    expect([ends, reported.length]).toEqual([runs, runs / 2])
    await engine.close()
  })

  test('jobs of the host and direct cancellations end too', async () => {
    const { engine, events, id, record } = await service()
    const flow = flowBuilder('job')
    flow.connect(`${flow.add('ChatInput')}.message`, `${flow.add('ChatOutput')}.input_value`)
    const job = await engine.jobs.start({ flow: flow.toJSON(), flowId: id, userId: record.id })
    await expect.poll(() => events).toHaveLength(2)
    expect(shown(events)).toEqual([
      ['run.started', 'job'],
      ['run.finished', 'job', 'succeeded'],
    ])
    expect(events[0]).toMatchObject({ id: job.id, jobId: job.id })
    await engine.close()
  })
})
