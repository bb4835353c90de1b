import { describe, expect, test } from 'vitest'
import { chatOutput } from '../../src/components/built-in/input-output/chat-output.ts'
import {
  checkFlow,
  compileFlow,
  createMessage,
  createRegistry,
  runFlow,
  type Component,
  type RunEvent,
} from '@x/flow-engine'
import { collectEvents, createTestRuntime, flowBuilder } from '@x/flow-engine/testing'
import { failing, start, kinds, giving } from './dependencies.ts'

function flowOf(component: Component) {
  const flow = flowBuilder()
  flow.add(component, { id: 'Giving-1' })
  flow.add(chatOutput, { id: 'ChatOutput-1' })
  return flow.connect('Giving-1.out', 'ChatOutput-1.input_value').toJSON()
}

/** Runs until an event comes, then lets the time of the vertex pass. */
async function timedOut(component: Component, after: RunEvent['event']) {
  const runtime = createTestRuntime()
  const options = { more: [component], runtime, limits: { vertexTimeoutMs: 20 } }
  const started = start(flowOf(component), { ...options, mode: 'build' })
  for await (const { event } of started) if (event === after) await runtime.advance(20)
  return { events: await collectEvents(started), result: await started.result }
}

describe('a vertex over its time limit (FE-67)', () => {
  test('FE-67: its signal fires; later messages, tokens and values are dropped', async () => {
    let late: Promise<unknown> = Promise.resolve()
    const slow = giving(
      (_inputs, ctx) =>
        new Promise((resolve) => {
          const sendLate = async (): Promise<void> => {
            const sent = await ctx.sendMessage(createMessage('late'))
            ctx.token('late', sent.id ?? 'x')
            resolve('late')
          }
          ctx.signal.addEventListener('abort', () => {
            late = sendLate()
          })
        }),
    )
    const { events, result } = await timedOut(slow, 'vertices_sorted')
    await late
    expect(result.error).toMatchObject({
      code: 'timeout',
      detail: 'Component Giver timed out after 20 ms',
      vertexId: 'Giving-1',
    })
    expect(kinds(events)).toEqual(['vertices_sorted', 'error', 'end_vertex', 'end'])
    expect(JSON.stringify(result.messages)).not.toContain('late')
    expect(result.vertices.get('Giving-1')).toMatchObject({ valid: false, outputs: {} })
  })

  test('FE-67, FE-51: in mid-stream the message is withdrawn', async () => {
    const hangs = giving(() =>
      createMessage(
        (async function* () {
          yield 'half'
          await new Promise(() => undefined)
        })(),
      ),
    )
    const { events, result } = await timedOut(hangs, 'token')
    expect(kinds(events)).toEqual([
      'vertices_sorted',
      'add_message',
      'token',
      'remove_message',
      'error',
      'end_vertex',
      'end',
    ])
    expect(result.messages.map(({ category }) => category)).toEqual(['error'])
  })
})

test('FE-18, FE-60: a build cancelled after a failure has failed, and its end event is marked as cancelled', async () => {
  const hangs = giving(() => new Promise(() => undefined))
  const flow = flowBuilder()
  flow.add(failing, { id: 'Failing-1' })
  flow.add(hangs, { id: 'Giving-1' })
  const started = start(flow.toJSON(), { more: [hangs], mode: 'build' })
  for await (const { event } of started) if (event === 'end_vertex') started.cancel()
  const result = await started.result
  expect(result).toMatchObject({ status: 'failed', error: { code: 'component_failed' } })
  expect((await collectEvents(started)).at(-1)?.data).toEqual({ cancelled: true })
})

test('FE-18: an unobserved failure raises no unhandledRejection', async () => {
  const unhandled: unknown[] = []
  const listener = (reason: unknown): void => void unhandled.push(reason)
  process.on('unhandledRejection', listener)
  try {
    start({ nothing: 1 })
    await new Promise((resolve) => void setImmediate(resolve))
    expect(unhandled).toEqual([])
  } finally {
    process.off('unhandledRejection', listener)
  }
})

test('HO-24 FE-18: a wrong option rejects the result, the texts and the events, and throws nothing', async () => {
  const run = runFlow({ nodes: [], edges: [] }, { components: undefined })
  const error: unknown = await run.result.catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(TypeError)
  expect(error).toMatchObject({
    code: 'invalid_option',
    option: 'components',
    message: 'runFlow: option "components" is required',
  })
  await expect(run[Symbol.asyncIterator]().next()).rejects.toBe(error)
  await expect(run.textStream[Symbol.asyncIterator]().next()).rejects.toBe(error)
  run.cancel()
})

test.each([
  [
    { components: [] },
    'option "components" must be a registry, got an array; write createRegistry(components)',
  ],
  [{ sesionId: 's' }, 'unknown option "sesionId". Did you mean "sessionId"?'],
  [
    { services: { fetsh: fetch } },
    'unknown option "services.fetsh". Did you mean "services.fetch"?',
  ],
  [
    { outputType: 'chats' },
    `option "outputType" must be 'chat', 'text', 'any' or 'debug', got 'chats'`,
  ],
  [
    { limits: { vertises: 1 } },
    'unknown option "limits.vertises". Did you mean "limits.vertices"?',
  ],
])('HO-21 HO-24: %o is told', async (options, message) => {
  const run = runFlow({ nodes: [], edges: [] }, options as never)
  await expect(run.result).rejects.toThrow(`runFlow: ${message}`)
})

test('HO-21: compileFlow and checkFlow check their options when they are called', () => {
  const flow = { nodes: [], edges: [] }
  const unknown = { components: createRegistry([]), edit: 'warn' } as never
  const message = 'unknown option "edit". Known options: '
  expect(() => compileFlow(flow, unknown)).toThrow(`compileFlow: ${message}`)
  expect(() => checkFlow(flow, unknown)).toThrow(`checkFlow: ${message}`)
  expect(() => checkFlow(flow, {} as never)).toThrow('checkFlow: option "components" is required')
})
