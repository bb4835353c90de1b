import { createTestRuntime } from '@x/wire'
import * as undici from 'undici'
import { describe, expect, test } from 'vitest'
import { createOpenAiModel } from './openai-compatible.ts'
import { redact } from './model-error.ts'
import { sendModelRequest } from './send-model-request.ts'

type Answer = Response | Error

/** Sends a request until it succeeds and records the pauses in milliseconds. */
async function send(answers: Answer[], maxRetries = 2) {
  const runtime = createTestRuntime({ start: new Date('2030-01-01T00:00:00Z') })
  const asked: number[] = []
  const given = [...answers]
  const sending = sendModelRequest({
    url: 'http://llm.test/v1',
    headers: {},
    body: {},
    runtime,
    signal: new AbortController().signal,
    maxRetries,
    timeoutMs: 1e9,
    secrets: ['sk-very-secret'],
    async fetch() {
      asked.push(runtime.now().getTime())
      const answer = given.shift() ?? new Error('nothing left')
      if (answer instanceof Error) throw answer
      return answer
    },
  }).catch((error: unknown) => error)
  for (let second = 0; second < 200; second += 1) await runtime.advance(1000)
  const pauses = asked.slice(1).map((at, index) => at - (asked[index] ?? 0))
  return { outcome: await sending, pauses }
}

const status = (code: number, headers = {}) => new Response('{}', { status: code, headers })

describe('sendModelRequest (FE-50)', () => {
  test('FE-50: 429, 5xx and broken connections are retried up to the given number of times', async () => {
    for (const answer of [() => status(429), () => status(500), () => new TypeError('broken')]) {
      const { outcome, pauses } = await send([answer(), answer(), status(200)])
      expect(outcome).toBeInstanceOf(Response)
      expect(pauses).toHaveLength(2)
      expect((await send([answer(), status(200)], 0)).pauses).toEqual([])
      const failed = await send([answer(), answer(), answer(), status(200)])
      expect(failed.outcome).toMatchObject({ code: 'model_failed' })
    }
  })

  test('FE-50: an answer is accepted whatever its class: the fetch of undici has its own Response', async () => {
    const answer = new undici.Response('{}') as unknown as Response
    expect(answer).not.toBeInstanceOf(Response)
    expect(await send([answer])).toEqual({ outcome: answer, pauses: [] })
  })

  test('FE-50: other error statuses are final', async () => {
    for (const code of [400, 401, 403, 404, 422]) {
      const { outcome, pauses } = await send([status(code), status(200)])
      expect(outcome).toMatchObject({ status: code })
      expect(pauses).toEqual([])
    }
  })

  test('FE-50: clients retry twice by default', async () => {
    const runtime = createTestRuntime()
    let asked = 0
    const model = createOpenAiModel({
      model: 'm',
      runtime,
      fetch: async () => ((asked += 1), status(503, { 'retry-after': '0' })),
    })
    const request = { messages: [], signal: new AbortController().signal }
    const answer = model.stream(request)[Symbol.asyncIterator]().next().catch(String)
    for (let pause = 0; pause < 5; pause += 1) await runtime.advance(1)
    expect(await answer).toContain('Error code: 503')
    expect(asked).toBe(3)
  })

  test('FE-50: pauses grow or follow Retry-After, in seconds or as a date, a minute at most', async () => {
    const [first = 0, second = 0] = (await send([status(500), status(500), status(200)])).pauses
    expect(second).toBeGreaterThan(1.4 * first)
    const wanted = async (value: string) =>
      (await send([status(429, { 'retry-after': value }), status(200)])).pauses
    expect(await wanted('7')).toEqual([7000])
    expect(await wanted('Tue, 01 Jan 2030 00:00:09 GMT')).toEqual([9000])
    expect(await wanted('3600')).toEqual([60_000])
  })

  test('FE-50: the error of a broken connection contains its cause and no secret', async () => {
    const cause = new Error('refused by sk-very-secret')
    const { outcome } = await send([new TypeError('fetch failed', { cause })], 0)
    expect(outcome).toMatchObject({
      message: 'Connection error: fetch failed: refused by *****',
      provider: { status: null, code: 'connection' },
    })
  })

  test('FE-50: the code of a failure is the code of the error, else its type', async () => {
    const failing = async (error: object) =>
      (await send([Response.json({ error }, { status: 400 })])).outcome
    expect(await failing({ message: 'm', type: 't' })).toMatchObject({ provider: { code: 't' } })
    expect(await failing({ message: 'm', type: 't', code: 'c' })).toMatchObject({
      provider: { status: 400, code: 'c', message: 'm' },
    })
  })
})

describe('redact (FE-50)', () => {
  test('FE-50: keys of four characters or more are masked everywhere', () => {
    expect(redact('key abcd, abcd and abc', ['abcd', 'abc'])).toBe('key *****, ***** and abc')
  })
})
