import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createSurfaceStore, validateMessage, type JsonObject } from '@x/surface-protocol'
import { parseCatalog } from '@x/surface-protocol/catalog'
import type { HostFunction } from '@x/surface-protocol/functions'
import { createTestRuntime } from '@x/surface-protocol/testing'
import {
  basicCatalogV1,
  createRpc,
  v1,
  withFunctions,
  type RpcOptions,
} from '@x/surface-protocol/v1'

const declare = (name: string, more: object = {}) => ({
  type: 'object',
  returnType: 'any',
  ...more,
  properties: {
    '@call': { const: name },
    args: {
      type: 'object',
      properties: {
        n: { type: 'number' },
        text: { $ref: 'common_types.json#/$defs/DynamicString' },
      },
      additionalProperties: false,
    },
  },
})
const SHARED = { allowedCallers: 'rendererOrAgent' }
const shop = parseCatalog(
  {
    catalogId: 'urn:shop',
    protocolVersion: '1.0',
    components: { Box: { type: 'object' } },
    functions: {
      play: declare('play', SHARED),
      add: declare('add', SHARED),
      slow: declare('slow', SHARED),
      secret: declare('secret', { allowedCallers: 'agentOnly' }),
      own: declare('own'),
    },
  },
  { version: v1 },
)

function setUp(functions: Record<string, HostFunction> = {}, options: Partial<RpcOptions> = {}) {
  const clock = createTestRuntime()
  let timers = 0
  const runtime = {
    ...clock,
    async sleep(ms: number, signal?: AbortSignal) {
      timers += 1
      await clock.sleep(ms, signal).finally(() => {
        timers -= 1
      })
    },
  }
  const store = createSurfaceStore({ version: v1 })
  store.apply({ version: 'v1.0', createSurface: { surfaceId: 's', catalogId: 'urn:none' } })
  const created = { surfaceId: 's', catalogId: basicCatalogV1.catalogId, dataModel: { a: 'x' } }
  store.apply({ version: 'v1.0', createSurface: created })
  const sent: JsonObject[] = []
  const errors: unknown[] = []
  const rpc = createRpc({
    store,
    catalogs: [basicCatalogV1, withFunctions(shop, functions)],
    send: (message) => {
      sent.push(message)
    },
    runtime,
    onError: (error) => errors.push(error),
    ...options,
  })
  const answer = (functionCallId: string, more: object) =>
    rpc.handle({ version: 'v1.0', rendererFunctionResponse: { functionCallId, ...more } })
  const ask = (functionCallId: string, name: string, more: object = {}) =>
    rpc.handle({
      version: 'v1.0',
      callAgentFunction: {
        surfaceId: 's',
        functionCallId,
        callFunction: { '@call': name, catalogId: 'urn:shop', ...more },
      },
    })
  const play = (callId: string, more: object = {}) =>
    rpc.callRenderer({ call: 'play', catalogId: 'urn:shop', callId, ...more })
  const responses = () => sent.map((one) => one.agentFunctionResponse as JsonObject)
  return { runtime, timers: () => timers, store, sent, errors, rpc, answer, ask, play, responses }
}

const rejected = (promise: Promise<unknown>) =>
  promise.then(
    () => 'resolved',
    (error: { code: string; detail: string }) => ({ code: error.code, detail: error.detail }),
  )

describe('SN-60 SN-61: calls of functions of the client', () => {
  test('the message, and the value that comes back', async () => {
    const { play, answer, sent } = setUp()
    const value = play('c1', { args: { n: 1 }, surfaceId: 's' })
    expect(sent).toEqual([
      {
        version: 'v1.0',
        callRendererFunction: {
          functionCallId: 'c1',
          callFunction: { '@call': 'play', catalogId: 'urn:shop', args: { n: 1 } },
          surfaceId: 's',
        },
      },
    ])
    expect(validateMessage(sent[0], { version: v1 }).diagnostics).toEqual([])
    expect(await answer('c1', { value: { playing: true } })).toEqual([])
    expect(await value).toEqual({ playing: true })
    expect(await answer('c1', { value: 1 })).toMatchObject([{ code: 'call_not_found' }])
  })

  test('refusals before sending', async () => {
    const { rpc, sent, play } = setUp()
    const call = (options: object) =>
      rejected(rpc.callRenderer({ call: 'play', catalogId: 'urn:shop', ...options }))
    expect(await call({ catalogId: 'urn:x' })).toMatchObject({ code: 'unknown_catalog' })
    expect(await call({ call: 'x' })).toMatchObject({ code: 'unknown_function' })
    expect(await call({ call: 'own' })).toMatchObject({ code: 'invalid_argument' })
    expect(await call({ args: { n: 'x' } })).toMatchObject({ code: 'invalid_argument' })
    expect(await call({ args: { m: 1 } })).toMatchObject({ code: 'invalid_argument' })
    expect(await call({ args: { text: { '@path': '/a' } } })).toMatchObject({
      code: 'invalid_argument',
    })
    expect(await call({ surfaceId: 'x' })).toMatchObject({ code: 'surface_not_found' })
    await expect(play('c', { timeoutMs: 0 })).rejects.toThrow(TypeError)
    expect(sent).toEqual([])
  })

  test('errors of the client, cut and without control characters; also an error message', async () => {
    const { rpc, play, answer } = setUp()
    const first = rejected(play('c1'))
    await answer('c1', { error: { code: 'NO\n', message: 'x'.repeat(1000) } })
    expect(await first).toEqual({
      code: 'call_failed',
      detail: `NO?: ${'x'.repeat(295)}`,
    })
    const second = rejected(play('c2'))
    const error = { code: 'BAD', message: 'no', functionCallId: 'c2' }
    await rpc.handle({ version: 'v1.0', error })
    expect(await second).toEqual({ code: 'call_failed', detail: 'BAD: no' })
  })

  test('SN-63: time limits, signals, deleted surfaces, duplicates, the limit, and closing', async () => {
    const { rpc, play, runtime, timers, store } = setUp({}, { maxPending: 2, timeoutMs: 100 })
    const late = rejected(play('late'))
    const soon = rejected(play('soon', { timeoutMs: 5 }))
    expect(await rejected(play('late'))).toMatchObject({ code: 'call_duplicate' })
    expect(await rejected(play('third'))).toMatchObject({ code: 'limit_exceeded' })
    await runtime.advance(5)
    expect(await soon).toMatchObject({ code: 'call_timeout' })
    await runtime.advance(95)
    expect(await late).toMatchObject({ code: 'call_timeout' })
    const controller = new AbortController()
    const given = rejected(play('a', { signal: controller.signal }))
    controller.abort()
    expect(await given).toMatchObject({ code: 'call_cancelled' })
    const [gone, other] = [rejected(play('b', { surfaceId: 's' })), rejected(play('c'))]
    store.apply({ version: 'v1.0', deleteSurface: { surfaceId: 's' } })
    expect(await gone).toMatchObject({ code: 'call_cancelled' })
    rpc.close()
    expect(await other).toMatchObject({ code: 'call_cancelled' })
    expect(await rejected(play('d'))).toMatchObject({ code: 'call_cancelled' })
    await runtime.advance(0)
    expect(timers()).toBe(0)
  })

  test('a call that cannot be sent fails', async () => {
    const { play } = setUp({}, { send: () => Promise.reject(new Error('password: x')) })
    expect(await rejected(play('c'))).toEqual({
      code: 'call_failed',
      detail: 'The call could not be sent.',
    })
  })
})

describe('SN-62: calls of functions of the server', () => {
  test('one answer for each call, also of asynchronous functions and of basic ones', async () => {
    const add: HostFunction = async ({ n }, { surfaceId }) => {
      await Promise.resolve()
      return { sum: Number(n) + 1, surfaceId }
    }
    const { ask, responses } = setUp({ add, play: () => undefined })
    await ask('1', 'add', { args: { n: 4 } })
    await ask('2', 'play')
    await ask('3', 'formatString', {
      catalogId: basicCatalogV1.catalogId,
      args: { value: 'see ${/a}' },
    })
    expect(responses()).toEqual([
      { functionCallId: '1', value: { sum: 5, surfaceId: 's' } },
      { functionCallId: '2', value: null },
      { functionCallId: '3', value: 'see x' },
    ])
  })

  test('forbidden calls of a client are answered without secrets', async () => {
    const { ask, rpc, responses, errors } = setUp({
      add: () => {
        throw new Error('password: x')
      },
      play: () => 1n,
    })
    const codes: [string, object][] = []
    const look = async (name: string, more: object = {}) => {
      await ask('c', name, more)
      const { error = {} } = responses().at(-1) ?? {}
      codes.push([name, error as object])
    }
    await look('play', { catalogId: 'urn:x\u0000' })
    await look('x')
    await look('__proto__')
    await look('secret')
    await look('add', { args: { n: 'x' } })
    await look('add', { args: { text: { '@path': '/a' } } })
    await look('add')
    await look('play')
    await look('own')
    expect(codes).toEqual([
      ['play', { code: 'INVALID_FUNCTION_CALL', message: 'Catalog not found: urn:x?' }],
      ['x', { code: 'INVALID_FUNCTION_CALL', message: 'Function not found: x' }],
      ['__proto__', { code: 'INVALID_FUNCTION_CALL', message: 'Function not found: __proto__' }],
      [
        'secret',
        {
          code: 'INVALID_FUNCTION_CALL',
          message: "Function 'secret' cannot be called by renderer (allowedCallers is agentOnly).",
        },
      ],
      ['add', { code: 'INVALID_ARGUMENTS', message: 'This must be a number.' }],
      [
        'add',
        {
          code: 'INVALID_ARGUMENTS',
          message: 'Arguments of a call to another party are values.',
        },
      ],
      ...['add', 'play', 'own'].map((name) => [
        name,
        { code: 'EXECUTION_ERROR', message: 'An error occurred during function execution.' },
      ]),
    ])
    expect(errors).toHaveLength(3)
    const call = { functionCallId: 'c', surfaceId: 'x', callFunction: { '@call': 'add' } }
    await rpc.handle({ version: 'v1.0', callAgentFunction: call })
    expect(responses().at(-1)?.error).toMatchObject({ code: 'INVALID_FUNCTION_CALL' })
    expect(await rpc.handle({ version: 'v1.0', callAgentFunction: {} })).not.toEqual([])
    expect(await rpc.handle(null)).toMatchObject([{ code: 'malformed_message' }])
  })

  test('SN-63: slow, repeated and too many calls; closing and a deleted surface stop functions', async () => {
    const signals: AbortSignal[] = []
    const slow: HostFunction = (_, { signal }) => {
      if (signal !== undefined) signals.push(signal)
      return new Promise(() => undefined)
    }
    const { ask, rpc, responses, runtime, timers, store } = setUp(
      { slow },
      { maxPending: 1, timeoutMs: 50 },
    )
    const first = ask('1', 'slow')
    await ask('1', 'slow')
    await ask('2', 'slow')
    expect(responses()).toMatchObject([
      { functionCallId: '1', error: { code: 'DUPLICATE' } },
      { functionCallId: '2', error: { code: 'BUSY' } },
    ])
    await runtime.advance(50)
    await first
    expect(responses().at(-1)).toMatchObject({ functionCallId: '1', error: { code: 'TIMEOUT' } })
    void ask('3', 'slow')
    store.apply({ version: 'v1.0', deleteSurface: { surfaceId: 's' } })
    rpc.close()
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
    await runtime.advance(0)
    expect(responses()).toHaveLength(3)
    expect(timers()).toBe(0)
  })

  test('SN-60: wrong options', () => {
    const store = createSurfaceStore({ version: v1 })
    const send = () => undefined
    const create = (options: Partial<RpcOptions>) => () =>
      createRpc({ store, catalogs: [], send, ...options })
    for (const options of [
      { timeoutMs: 0 },
      { maxPending: 0.5 },
      { store: createSurfaceStore() },
    ]) {
      expect(create(options)).toThrow(TypeError)
    }
    expect(() => withFunctions(shop, { nothing: send })).toThrow(/no function "nothing"/)
  })
})

const folder = new URL('../../../../shared/reference/a2ui/', import.meta.url)
const file = new URL('conformance/rpc_functions.json', folder)
type Case = {
  name: string
  message: JsonObject
  functionMetadata: Record<string, { allowedCallers?: string; requiresUserActivation?: boolean }>
  expect?: { rendererFunctionResponse: JsonObject }
  expectError?: { message: string }
}
const cases: Case[] = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).cases : []

describe.runIf(existsSync(file))('public cases of RPC, told from the side of the server', () => {
  const calls = cases.filter(
    ({ message, expect: wanted, name }) =>
      message?.callRendererFunction !== undefined &&
      wanted !== undefined &&
      !/activation/.test(name),
  )
  const mirrored: Record<string, string> = { rendererOnly: 'agentOnly', agentOnly: 'rendererOnly' }
  test.each(calls)('SN-62: $name', async ({ message, functionMetadata, expect: wanted }) => {
    const names = Object.keys(functionMetadata)
    const response = wanted?.rendererFunctionResponse ?? {}
    const open = { ...declare('x'), properties: { args: { type: 'object' } } }
    const functions = Object.fromEntries(
      names.map((name) => {
        const { allowedCallers = 'rendererOnly' } = functionMetadata[name] ?? {}
        return [name, { ...open, allowedCallers: mirrored[allowedCallers] ?? allowedCallers }]
      }),
    )
    const call = message.callRendererFunction as { callFunction: JsonObject }
    const ids = ['basic', 'media_catalog', 'system_catalog']
    const catalogs = ids.map((catalogId) =>
      withFunctions(
        parseCatalog({ catalogId, components: {}, functions }, { version: v1 }),
        Object.fromEntries(
          names.map((name) => [
            name,
            () => {
              if (name === 'failingFunction') throw new Error('secret')
              return response.value
            },
          ]),
        ),
      ),
    )
    const { rpc, responses } = setUp({}, { catalogs })
    await rpc.handle({ version: 'v1.0', callAgentFunction: { surfaceId: 's', ...call } })
    const text = JSON.stringify(response)
      .replace('by agent', 'by renderer')
      .replace('is rendererOnly', 'is agentOnly')
    expect(responses()).toEqual([JSON.parse(text)])
  })

  test('messages of the cases are read', () => {
    const [wrong] = cases.filter(({ expectError }) => expectError !== undefined)
    const { diagnostics } = validateMessage(wrong?.message, { version: v1 })
    expect(diagnostics).toMatchObject([{ path: '/callRendererFunction/callFunction' }])
    const inbound = cases.find(({ message }) => message?.agentFunctionResponse !== undefined)
    expect(validateMessage(inbound?.message, { version: v1 }).diagnostics).toEqual([])
  })
})
