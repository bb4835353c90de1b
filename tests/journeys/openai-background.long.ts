import type { FakeOpenAi } from '@x/flow-engine/testing'
import OpenAI, { BadRequestError, NotFoundError } from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFlow } from './flows.ts'
import { chatFlow, storeFlow } from './material.ts'
import { type Gate } from './model-gate.ts'
import { newPerson, type Person } from './people.ts'
import { type Service } from './service.ts'
import { approvalFlow } from './flow-calls.ts'
import { startChatService, failed } from './model-service.ts'

let service: Service
let model: FakeOpenAi
let gate: Gate
let bob: Person
let end: () => Promise<void>

beforeAll(async () => {
  ;({ service, model, gate, end } = await startChatService())
  bob = await newPerson(service, 'bob')
})
afterAll(() => end())

/** On a busy machine. */
const SOON = { timeout: 10_000 }

type Response = OpenAI.Responses.Response
type Event = OpenAI.Responses.ResponseStreamEvent

const responses = (apiKey = service.key) =>
  new OpenAI({ apiKey, baseURL: `${service.url}/api/openai/v1` }).responses
const allOf = async (stream: AsyncIterable<Event>): Promise<Event[]> => {
  const events: Event[] = []
  for await (const event of stream) events.push(event)
  return events
}
const numbersOf = (events: readonly Event[]) => events.map((event) => event.sequence_number)

async function until(id: string, ...states: string[]): Promise<Response> {
  let found: Response | undefined
  await expect
    .poll(async () => {
      found = await responses().retrieve(id)
      return states.includes(found.status ?? '')
    }, SOON)
    .toBe(true)
  if (found === undefined) throw new Error('no response')
  return found
}

describe('background responses', () => {
  test('RS-31 a background response is queued immediately and completed later with its usage', async () => {
    model.reply({ text: 'Hello', usage: { inputTokens: 4, outputTokens: 1 } })
    const given = { model: 'chat', input: 'Hi', background: true, metadata: { order: '17' } }
    const queued = await responses().create(given)
    expect(queued).toMatchObject({ status: 'queued', background: true, output: [] })
    const done = await until(queued.id, 'completed')
    expect(done).toMatchObject({
      id: queued.id,
      background: true,
      metadata: { order: '17' },
      output_text: 'Hello',
      usage: { input_tokens: 4, output_tokens: 1, total_tokens: 5 },
    })
    expect(done.completed_at).toBeGreaterThanOrEqual(done.created_at)
    const items = await responses().inputItems.list(queued.id)
    expect(items.data).toMatchObject([{ role: 'user', content: [{ text: 'Hi' }] }])
    const next = await responses().create({
      model: 'parrot',
      input: 'More',
      previous_response_id: queued.id,
    })
    expect(next.output_text).toBe('More')
  })

  test('RS-31 a failing run gives a failed response with the reason', async () => {
    const { id } = await responses().create({ model: 'chat', input: 'refuse', background: true })
    const done = await until(id, 'failed')
    expect(done.error).toMatchObject({
      code: 'server_error',
      message: expect.stringContaining('I will not.'),
    })
    const [, again] = (await allOf(await responses().retrieve(id, { stream: true }))).slice(-2)
    expect(again).toMatchObject({ type: 'response.failed', response: { status: 'failed' } })
  })

  test('RS-32 RS-53 a stream interrupted at any event and resumed yields the same events', async () => {
    const chunks = Array.from({ length: 20 }, (_, index) => `${index} `)
    model.reply({ chunks, usage: { inputTokens: 2, outputTokens: 20 } })
    const stream = await responses().create({
      model: 'chat',
      input: 'Count',
      background: true,
      stream: true,
    })
    const events = await allOf(stream)
    expect(numbersOf(events)).toEqual([...events.keys()])
    expect(events.filter(({ type }) => type === 'response.output_text.delta')).toHaveLength(20)
    const last = events.at(-1) as OpenAI.Responses.ResponseCompletedEvent
    expect(last.type).toBe('response.completed')
    const { id } = last.response
    const { output_text: _, ...found } = await responses().retrieve(id)
    expect(found).toEqual(last.response)
    for (const cut of events.keys()) {
      const rest = await responses().retrieve(id, { stream: true, starting_after: cut })
      expect(await allOf(rest)).toEqual(events.slice(cut + 1))
    }
    expect(await allOf(await responses().retrieve(id, { stream: true }))).toEqual(events)
  })

  test('RS-32 aborting a stream does not cancel the run, and a second reader can follow it', async () => {
    const given = { model: 'chat', input: 'wait', background: true, stream: true } as const
    const stream = await responses().create(given)
    let id = ''
    for await (const event of stream) {
      if (event.type === 'response.created') id = event.response.id
      if (event.type === 'response.in_progress') break
    }
    await expect.poll(() => gate.waiting, SOON).toBe(1)
    expect((await responses().retrieve(id)).status).toBe('in_progress')
    const reading = allOf(await responses().retrieve(id, { stream: true, starting_after: 0 }))
    expect(await responses().cancel(id)).toMatchObject({ id, background: true })
    expect(await until(id, 'cancelled')).toMatchObject({ output: [], error: null })
    const seen = await reading
    expect(seen.at(-1)).toMatchObject({ response: { id, status: 'cancelled' } })
    await expect.poll(() => gate.waiting, SOON).toBe(0)
  })

  test('RS-33 only background responses can be cancelled; finished ones stay unchanged', async () => {
    const sync = await responses().create({ model: 'parrot', input: 'x' })
    const refused = await failed(responses().cancel(sync.id))
    expect(refused).toBeInstanceOf(BadRequestError)
    expect(refused).toMatchObject({ message: /Cannot cancel a synchronous response\./ })
    expect(await failed(responses().retrieve(sync.id, { stream: true }))).toMatchObject({
      status: 400,
      param: 'stream',
    })
    const { id } = await responses().create({ model: 'parrot', input: 'y', background: true })
    await until(id, 'completed')
    expect(await responses().cancel(id)).toMatchObject({
      status: 'completed',
      output: [{ content: [{ text: 'y' }] }],
    })
  })

  test('RS-34 RS-35 other users cannot find a response; deleting it stops its run', async () => {
    const { id } = await responses().create({ model: 'chat', input: 'wait', background: true })
    await expect.poll(() => gate.waiting, SOON).toBe(1)
    const of = responses(bob.key)
    const refused = [
      of.retrieve(id),
      of.retrieve(id, { stream: true }),
      of.cancel(id),
      of.delete(id),
      of.inputItems.list(id),
    ].map((one) => failed(one as Promise<unknown>))
    for (const error of await Promise.all(refused)) expect(error).toBeInstanceOf(NotFoundError)
    expect(gate.waiting).toBe(1)
    await responses().delete(id)
    await expect.poll(() => gate.waiting, SOON).toBe(0)
    expect(await failed(responses().retrieve(id))).toBeInstanceOf(NotFoundError)
  })

  test('RS-35 deactivating a user stops their runs', async () => {
    const eve = await newPerson(service, 'eve')
    await storeFlow(service, chatFlow('hers'), { endpoint_name: 'hers' }, eve.key)
    await responses(eve.key).create({ model: 'hers', input: 'wait', background: true })
    await expect.poll(() => gate.waiting, SOON).toBe(1)
    const path = `/api/v1/users/${eve.id}`
    await service.call('PATCH', path, { body: { is_active: false } })
    await expect.poll(() => gate.waiting, SOON).toBe(0)
  })

  test('RS-31 a background response with `store: false` is refused', async () => {
    const given = { model: 'parrot', input: 'x', background: true, store: false }
    expect(await failed(responses().create(given))).toMatchObject({
      status: 400,
      param: 'background',
    })
  })
})

describe('a flow with human input', () => {
  beforeAll(async () => {
    const flow = await approvalFlow(service)
    await createFlow(service, { name: 'Approve', data: flow.data, endpoint_name: 'approve' })
  })
  const given = { model: 'approve', input: 'Send it?' }

  test('RS-31 waits in the background as incomplete and continues with the answer', async () => {
    const stream = await responses().create({ ...given, background: true, stream: true })
    const before = await allOf(stream)
    const asked = before.at(-1) as OpenAI.Responses.ResponseIncompleteEvent
    expect(asked.type).toBe('response.incomplete')
    const { id } = asked.response
    expect(await responses().retrieve(id)).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'input_required' },
    })
    const [question] = (await service.call('GET', '/api/v2/workflows/pending')).json() as {
      job_id: string
      request_id: string
    }[]
    await service.call('POST', `/api/v2/workflows/${question?.job_id}/resume`, {
      body: { request_id: question?.request_id, decision: { action_id: 'approve' } },
    })
    const rest = await allOf(
      await responses().retrieve(id, { stream: true, starting_after: before.length - 1 }),
    )
    expect(rest[0]).toMatchObject({ type: 'response.in_progress', sequence_number: before.length })
    expect(rest.at(-1)).toMatchObject({ type: 'response.completed' })
    expect(await responses().retrieve(id)).toMatchObject({ output_text: 'Send it?' })
  })

  test('RS-31 DR-45 is refused where human input is impossible', async () => {
    expect(await failed(responses().create(given))).toMatchObject({
      status: 400,
      code: 'unsupported_parameter',
      param: 'model',
      message: '400 This flow asks a person. Use background: true.',
    })
    const chat = await service.call('POST', '/api/openai/v1/chat/completions', {
      body: { model: 'approve', messages: [{ role: 'user', content: 'x' }] },
    })
    expect([chat.status, chat.json()]).toMatchObject([
      400,
      { error: { param: 'model', message: /^This flow asks a person\. Start it with POST / } },
    ])
    const older = await service.call('POST', '/api/v1/responses', { body: given })
    expect([older.status, older.json()]).toMatchObject([
      200,
      { error: { type: 'processing_error', message: /^This flow asks a person\./ } },
    ])
  })
})

test('RS-31 a background response survives a restart of the server', async () => {
  const queued = await responses().create({ model: 'parrot', input: 'kept', background: true })
  const done = await until(queued.id, 'completed')
  const events = await allOf(await responses().retrieve(queued.id, { stream: true }))
  await service.restart()
  expect(await responses().retrieve(queued.id)).toEqual(done)
  expect(await allOf(await responses().retrieve(queued.id, { stream: true }))).toEqual(events)
})
