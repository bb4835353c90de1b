import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { BuildRequest } from '@x/flow-engine'
import { createMemoryJobStore, createMemoryServices } from '@x/flow-engine/memory'
import { createSecretBox } from '../../src/services/crypto/secret-box.ts'
import { collectEvents, createTestRuntime, flowBuilder } from '@x/flow-engine/testing'
import { gated } from '../../../flow-engine/test/engine/gated.ts'
import {
  begin,
  closeAll,
  component,
  processOf,
  state,
} from '../../../flow-engine/test/jobs/asking.ts'
import { kinds } from '../../../flow-engine/test/engine/dependencies.ts'

afterEach(closeAll)

describe('suspension', () => {
  test('DR-1: while another vertex runs, the job is running, keeps its lease and accepts no answer', async () => {
    const asks = component('Asks', async (ctx) => String(await ctx.suspend('sure?')))
    const gate = gated()
    const jobs = processOf([asks, gate.component])
    const flow = flowBuilder()
    flow.add(asks, { id: 'Asks-1' })
    flow.add(gate.component, { id: 'Gated-1' })
    const { id } = await jobs.start({ flow: flow.toJSON(), resumable: true })
    await gate.begun(1)
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect((await jobs.get(id))?.state).toBe('running')
    await expect(jobs.resume(id, 'early')).rejects.toMatchObject({ code: 'conflict' })
    expect(await jobs.pending()).toEqual([])
    gate.open('-')
    await state(jobs, id, 'suspended')
    await jobs.resume(id, 'yes')
    const events = await collectEvents(jobs.events(id))
    expect(events.filter(({ event }) => event === 'end_vertex')).toHaveLength(2)
    expect(gate.started).toEqual(['-'])
  })

  test('DR-2: a vertex that failed before the suspension stays failed and is reported once', async () => {
    let runs = 0
    const asks = component('Asks', async (ctx) => String(await ctx.suspend('sure?')))
    const fails = component('Fails', async () => {
      runs += 1
      throw new Error('no luck')
    })
    const jobs = processOf([asks, fails])
    const { id } = await begin(jobs, [asks, fails])
    await state(jobs, id, 'suspended')
    await jobs.resume(id, 'yes')
    const events = await collectEvents(jobs.events(id))
    expect(runs).toBe(1)
    expect(events.filter(({ event }) => event === 'error')).toHaveLength(1)
    expect(events.filter(({ event }) => event === 'end_vertex')).toHaveLength(2)
    expect(await jobs.get(id)).toMatchObject({
      state: 'failed',
      error: { code: 'component_failed' },
    })
    expect((await jobs.result(id)).text('Asks-1')).toBe('yes')
  })

  test('DR-3: the result waits for the end, across two questions', async () => {
    const asks = component(
      'Asks',
      async (ctx) => `${String(await ctx.suspend(1))}${String(await ctx.suspend(2))}`,
    )
    const jobs = processOf([asks])
    const { id } = await begin(jobs, [asks])
    const result = jobs.result(id)
    for (const answer of ['a', 'b']) {
      await state(jobs, id, 'suspended')
      await jobs.resume(id, answer)
    }
    expect((await result).text('Asks-1')).toBe('ab')
  })

  test('DR-4: a cancel while a question is held in memory ends the job with one end event', async () => {
    const asks = component('Asks', async (ctx) => String(await ctx.suspend('sure?')))
    const gate = gated()
    const errors: unknown[] = []
    const jobs = processOf([asks, gate.component], {
      onError: (error) => errors.push(error),
    })
    const flow = flowBuilder()
    flow.add(asks, { id: 'Asks-1' })
    flow.add(gate.component, { id: 'Gated-1' })
    const { id } = await jobs.start({ flow: flow.toJSON(), resumable: true })
    await gate.begun(1)
    expect(await jobs.cancel(id)).toEqual({ success: true })
    const events = await collectEvents(jobs.events(id))
    expect(kinds(events).filter((kind) => kind === 'end' || kind === 'suspended')).toEqual(['end'])
    expect(await jobs.get(id)).toMatchObject({ state: 'cancelled' })
    expect(errors).toEqual([])
  })

  test('DR-5: suspend rejects with SuspendedError, the signal aborts, and later output is dropped', async () => {
    const seen: unknown[] = []
    const asks = component('Asks', async (ctx) => {
      ctx.signal.addEventListener('abort', () => seen.push('signal'))
      try {
        return String(await ctx.suspend('sure?'))
      } catch (error) {
        seen.push(Reflect.get(error as object, 'code'))
        ctx.log('late', 'dropped')
        return 'swallowed'
      } finally {
        seen.push('finally')
      }
    })
    const jobs = processOf([asks])
    const { id } = await begin(jobs, [asks])
    await state(jobs, id, 'suspended')
    expect(seen).toEqual(['signal', 'suspended', 'finally'])
    expect(kinds((await jobs.poll(id, { after: -1 })).events)).toEqual([
      'vertices_sorted',
      'add_message',
      'suspended',
    ])
    await jobs.resume(id, 'yes')
    expect((await jobs.result(id)).text('Asks-1')).toBe('yes')
  })

  test('DR-6: the time limit of a vertex is paused while it waits for an answer', async () => {
    const runtime = createTestRuntime()
    const asks = component('Asks', async (ctx) => String(await ctx.suspend('sure?')))
    const jobs = processOf([asks], {
      runtime,
      limits: { vertexTimeoutMs: 1000, runTimeoutMs: 2000 },
    })
    const { id } = await begin(jobs, [asks])
    await state(jobs, id, 'suspended')
    await runtime.advance(60_000)
    await jobs.resume(id, 'yes')
    expect((await jobs.result(id)).status).toBe('succeeded')
  })
})

describe('questions and answers', () => {
  const asks = component('Asks', async (ctx) => {
    const { ok, why } = await ctx.suspend(
      { offer: 7 },
      {
        schema: z.object({ ok: z.boolean(), why: z.string().default('no reason') }),
        prompt: 'Send this offer?',
      },
    )
    return `${String(ok)}: ${why}`
  })

  test('DR-30, DR-33: pending lists open questions with everything an inbox needs', async () => {
    const jobs = processOf([asks])
    const ada = await begin(jobs, [asks], { userId: 'ada', flowId: 'f1', sessionId: 's' })
    await state(jobs, ada.id, 'suspended')
    const bob = await begin(jobs, [asks], { userId: 'bob', flowId: 'f2' })
    await state(jobs, bob.id, 'suspended')
    const [question] = await jobs.pending({ userId: 'ada' })
    expect(question).toMatchObject({
      jobId: ada.id,
      requestId: `Asks-1:${ada.id}:1`,
      vertexId: 'Asks-1',
      flowId: 'f1',
      userId: 'ada',
      sessionId: 's',
      kind: 'question',
      prompt: 'Send this offer?',
      options: [],
      allowedDecisions: [],
      question: { offer: 7 },
      schema: { type: 'object', required: ['ok'] },
    })
    expect((await jobs.get(ada.id))?.question).toEqual(question)
    expect((await jobs.pending()).map(({ jobId }) => jobId)).toEqual([ada.id, bob.id])
    expect((await jobs.pending({ after: ada.id })).map(({ jobId }) => jobId)).toEqual([bob.id])
    await expect(jobs.pending({ limit: 1001 })).rejects.toMatchObject({ code: 'invalid_request' })
  })

  test('DR-31: an invalid answer is refused with its problems; a valid one is completed', async () => {
    const jobs = processOf([asks])
    const { id } = await begin(jobs, [asks])
    await state(jobs, id, 'suspended')
    await expect(jobs.resume(id, { ok: 'perhaps', why: 1 })).rejects.toMatchObject({
      code: 'invalid_answer',
      status: 422,
      problems: [
        { path: 'ok', message: 'must be boolean' },
        { path: 'why', message: 'must be string' },
      ],
    })
    expect((await jobs.get(id))?.state).toBe('suspended')
    await jobs.resume(id, { ok: true })
    expect((await jobs.result(id)).text('Asks-1')).toBe('true: no reason')
  })

  test('DR-31: an unsupported schema fails the vertex, naming the keyword', async () => {
    const odd = component('Odd', async (ctx) =>
      String(await ctx.suspend('?', { schema: { type: 'string', not: {} } })),
    )
    const jobs = processOf([odd])
    const { id } = await begin(jobs, [odd])
    await collectEvents(jobs.events(id))
    const { error } = await jobs.result(id)
    expect([error?.code, error?.detail]).toEqual([
      'invalid_request',
      expect.stringContaining('keyword not'),
    ])
  })

  test('DR-19: questions over 256 KiB and answers over 1 MiB are refused', async () => {
    const long = component('Long', async (ctx) => String(await ctx.suspend('x'.repeat(300_000))))
    const jobs = processOf([long, asks])
    const first = await begin(jobs, [long])
    await collectEvents(jobs.events(first.id))
    expect((await jobs.get(first.id))?.error).toMatchObject({ code: 'limit_exceeded' })
    const { id } = await begin(jobs, [asks])
    await state(jobs, id, 'suspended')
    const answer = { ok: true, why: 'x'.repeat(1_100_000) }
    await expect(jobs.resume(id, answer)).rejects.toMatchObject({ code: 'too_large', status: 413 })
  })

  test('DR-42, DR-4: a cancelled question is superseded in the conversation, and in the log before its end', async () => {
    const services = createMemoryServices()
    const jobs = processOf([asks], { services })
    const { id } = await begin(jobs, [asks], { sessionId: 's', flowId: 'f' })
    await state(jobs, id, 'suspended')
    await jobs.cancel(id)
    const rows = await services.messages?.list({ sessionId: 's' })
    const cards = rows?.flatMap(({ contentBlocks }) =>
      contentBlocks.flatMap((block) => Reflect.get(block, 'contents') as unknown[]),
    )
    expect(cards).toMatchObject([{ superseded: true, submitted_action: null }])
    const events = await collectEvents(jobs.events(id))
    expect(kinds(events)).toEqual([
      'vertices_sorted',
      'add_message',
      'suspended',
      'add_message',
      'end',
    ])
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, seq) => seq))
  })

  test('DR-32, DR-42: the event and the card contain the question; the card later shows the answer', async () => {
    const chooses = component('Chooses', async (ctx) => {
      const options = [{ actionId: 'yes', label: 'Yes' }]
      const { action_id } = await ctx.suspend<{ action_id: string }>(null, {
        options,
        prompt: 'Go?',
      })
      return action_id
    })
    const services = createMemoryServices()
    const jobs = processOf([chooses], { services })
    const { id } = await begin(jobs, [chooses], { sessionId: 's', flowId: 'f' })
    await state(jobs, id, 'suspended')
    const { events } = await jobs.poll(id, { after: -1 })
    expect(events.at(-1)).toMatchObject({
      event: 'suspended',
      data: {
        job_id: id,
        request_id: `Chooses-1:${id}:1`,
        vertex_id: 'Chooses-1',
        kind: 'question',
        prompt: 'Go?',
        options: [{ action_id: 'yes', label: 'Yes' }],
        allowed_decisions: ['yes'],
        schema: null,
        question: null,
        expires_at: expect.stringMatching(/Z$/) as unknown,
      },
    })
    const cards = async () =>
      (await services.messages?.list({ sessionId: 's' }))?.flatMap(({ contentBlocks }) =>
        contentBlocks.flatMap((block) => Reflect.get(block, 'contents') as unknown[]),
      )
    expect(await cards()).toMatchObject([
      { type: 'human_input', request_id: `Chooses-1:${id}:1`, submitted_action: null },
    ])
    await expect(jobs.resume(id, { action_id: 'no' })).rejects.toMatchObject({
      code: 'invalid_answer',
    })
    await jobs.resume(id, { action_id: 'yes' })
    await jobs.result(id)
    expect(await cards()).toMatchObject([{ submitted_action: 'yes', superseded: false }])
    const shown = (await collectEvents(jobs.events(id))).filter(
      ({ event }) => event === 'add_message',
    )
    expect(new Set(shown.map(({ data }) => Reflect.get(data, 'id'))).size).toBe(1)
    expect(shown).toHaveLength(2)
  })

  test('DR-34: one of several answers is accepted; a stale request id is a conflict', async () => {
    const twice = component(
      'Twice',
      async (ctx) => `${String(await ctx.suspend(1))}${String(await ctx.suspend(2))}`,
    )
    const store = createMemoryJobStore()
    const jobs = processOf([twice], { store })
    const { id } = await begin(jobs, [twice])
    await state(jobs, id, 'suspended')
    const [first] = await jobs.pending()
    const requestId = first?.requestId ?? ''
    const answers = await Promise.allSettled(
      ['a', 'b', 'c'].map((answer) => jobs.resume(id, answer, { requestId })),
    )
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await state(jobs, id, 'suspended')
    await expect(jobs.resume(id, 'x', { requestId })).rejects.toMatchObject({ code: 'conflict' })
    const [second] = await jobs.pending()
    expect(second?.requestId).not.toBe(requestId)
    await jobs.resume(id, 'z', { requestId: second?.requestId ?? '' })
    expect((await jobs.result(id)).text('Twice-1')).toMatch(/^[abc]z$/)
  })

  test('DR-37: a job continues only while its owner is allowed to run it', async () => {
    let allowed = false
    const jobs = processOf([asks], { authorize: ({ userId }) => allowed || userId !== 'ada' })
    const { id } = await begin(jobs, [asks], { userId: 'ada' })
    await state(jobs, id, 'suspended')
    await jobs.resume(id, { ok: true })
    const events = await collectEvents(jobs.events(id))
    expect(kinds(events).slice(-2)).toEqual(['error', 'end'])
    expect(await jobs.get(id)).toMatchObject({ state: 'failed', error: { code: 'forbidden' } })
    allowed = true
    const second = await begin(jobs, [asks], { userId: 'ada' })
    await state(jobs, second.id, 'suspended')
    await jobs.resume(second.id, { ok: true })
    expect((await jobs.result(second.id)).status).toBe('succeeded')
  })

  test('DR-38: a question not answered in time takes its fallback or fails as expired', async () => {
    const runtime = createTestRuntime()
    const falls = component('Falls', async (ctx) =>
      ctx.suspend('?', { expiresInMs: 180_000, fallback: 'later' }),
    )
    const fails = component('Fails', async (ctx) =>
      String(await ctx.suspend('?', { expiresInMs: 180_000 })),
    )
    const jobs = processOf([falls, fails], { runtime })
    const first = await begin(jobs, [falls])
    const second = await begin(jobs, [fails])
    await state(jobs, first.id, 'suspended')
    await state(jobs, second.id, 'suspended')
    expect((await jobs.get(first.id))?.wakeAt).toEqual(new Date(runtime.now().getTime() + 180_000))
    await runtime.advance(186_000)
    await state(jobs, first.id, 'succeeded')
    await state(jobs, second.id, 'failed')
    expect((await jobs.result(first.id)).text('Falls-1')).toBe('later')
    expect((await jobs.result(second.id)).error).toMatchObject({
      code: 'expired',
      detail: expect.stringContaining('Nobody answered within 3 minutes') as unknown,
    })
    await expect(jobs.resume(second.id, 'late')).rejects.toMatchObject({ code: 'conflict' })
  })

  test('DR-22: variables, questions and answers are sealed at rest; variables need a SecretBox', async () => {
    const whispers = component('Whispers', async (ctx) => {
      const name = await ctx.variable('token')
      return `${String(name?.value)}/${String(await ctx.suspend({ about: 'the merger' }))}`
    })
    const store = createMemoryJobStore()
    const request: Partial<BuildRequest> = { variables: { token: 'tok-12345' } }
    const bare = processOf([whispers])
    await expect(begin(bare, [whispers], request)).rejects.toMatchObject({
      code: 'invalid_request',
      detail: 'Jobs with variables need a SecretBox',
    })
    const secrets = createSecretBox(new Uint8Array(32), createTestRuntime())
    const jobs = processOf([whispers], { store, secrets })
    const { id } = await begin(jobs, [whispers], request)
    await state(jobs, id, 'suspended')
    const atRest = JSON.stringify(await store.queue.get(id))
    expect(atRest).not.toMatch(/tok-12345|merger/)
    expect((await jobs.pending())[0]?.question).toEqual({ about: 'the merger' })
    await jobs.resume(id, 'agreed privately')
    expect(JSON.stringify(await store.queue.get(id))).not.toContain('privately')
    expect((await jobs.result(id)).text('Whispers-1')).toBe('tok-12345/agreed privately')
  })
})
