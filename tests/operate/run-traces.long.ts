import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFlow, echoGraph, eventsOf } from '../journeys/flows.ts'
import { chatFlow, storeFlow } from '../journeys/material.ts'
import { startModelService, type ModelService } from '../journeys/model-service.ts'
import { newPerson } from '../journeys/people.ts'

interface Span {
  readonly component_id: string
  readonly name: string
  readonly type: string
  readonly status: string
  readonly startTime: string
  readonly endTime: string | null
  readonly latencyMs: number
  readonly error: string | null
  readonly outputs: object | null
  readonly tokenUsage: object | null
}

interface Trace {
  readonly id: string
  readonly name: string
  readonly status: string
  readonly state: string
  readonly startTime: string
  readonly endTime: string | null
  readonly totalTokens: number
  readonly flowId: string
  readonly sessionId: string
  readonly error: string | null
  readonly input: object | null
  readonly output: object | null
  readonly spans: readonly Span[]
}

interface TracePage {
  readonly traces: readonly Trace[]
  readonly total: number
  readonly pages: number
}

interface Graph {
  readonly nodes: readonly {
    readonly id: string
    readonly data: {
      readonly type: string
      readonly node: { readonly template: Record<string, object> }
    }
  }[]
}

let started: ModelService
beforeAll(async () => {
  started = await startModelService()
})
afterAll(() => started.end(), 60_000)

/** Builds a flow to its end; gives the id of the job. */
async function build(flowId: string, inputs: object, key?: string): Promise<string> {
  const { service } = started
  const as = key === undefined ? {} : { key }
  const answer = await service.call('POST', `/api/v1/build/${flowId}/flow`, {
    body: { inputs },
    ...as,
  })
  const { job_id: job } = answer.json() as { job_id: string }
  const path = `/api/v1/build/${job}/events?event_delivery=streaming`
  expect(eventsOf(await service.call('GET', path, as)).at(-1)?.event).toBe('end')
  return job
}

async function page(query: string, key?: string): Promise<TracePage> {
  const as = key === undefined ? {} : { key }
  const answer = await started.service.call('GET', `/api/v1/monitor/traces${query}`, as)
  expect(answer).toMatchObject({ status: 200 })
  return answer.json() as TracePage
}

async function trace(id: string): Promise<Trace> {
  const answer = await started.service.call('GET', `/api/v1/monitor/traces/${id}`)
  expect(answer).toMatchObject({ status: 200 })
  return answer.json() as Trace
}

describe("OP-5 traces of a user's own runs", () => {
  test('a build that calls a model has spans with times, state and tokens', async () => {
    const { service, model } = started
    const flowId = await storeFlow(service, chatFlow(), { endpoint_name: 'traced' })
    model.reply({ text: 'Fine, thanks.', usage: { inputTokens: 11, outputTokens: 4 } })
    const job = await build(flowId, { input_value: 'How are you?', session: 'monday' })
    const found = await page(`?flow_id=${flowId}`)
    expect(found).toMatchObject({ total: 1, pages: 1 })
    expect(found.traces[0]).toMatchObject({
      id: job,
      name: 'flow chat',
      status: 'ok',
      state: 'succeeded',
      flowId,
      sessionId: 'monday',
      totalTokens: 15,
      error: null,
    })
    const { spans, ...facts } = await trace(job)
    expect(facts).toMatchObject({
      id: job,
      totalTokens: 15,
      sessionId: 'monday',
      input: { input_value: 'How are you?' },
      output: { message: 'Fine, thanks.' },
      truncated: false,
    })
    const asked = spans.filter(({ tokenUsage }) => tokenUsage !== null)
    expect(asked).toMatchObject([
      {
        type: 'llm',
        status: 'ok',
        tokenUsage: { promptTokens: 11, completionTokens: 4, totalTokens: 15 },
      },
    ])
    expect(spans.map(({ name }) => name)).toContain('Chat Output')
    const stored = await service.call('GET', `/api/v1/flows/${flowId}`)
    const { data } = stored.json() as { data: { nodes: { id: string }[] } }
    const nodes = new Set(data.nodes.map(({ id }) => id))
    expect(spans.filter(({ component_id: id }) => !nodes.has(id))).toEqual([])
    for (const span of spans) {
      const [from, to] = [Date.parse(span.startTime), Date.parse(span.endTime ?? '')]
      expect(to - from).toBe(span.latencyMs)
      expect(from).toBeGreaterThanOrEqual(Date.parse(facts.startTime))
      expect(to).toBeLessThanOrEqual(Date.parse(facts.endTime ?? ''))
    }
  })

  test('a failed build has its error on the span and on the trace', async () => {
    const { service } = started
    const flowId = await storeFlow(service, chatFlow('broken'), { endpoint_name: 'broken' })
    const job = await build(flowId, { input_value: 'x' })
    const { spans, ...facts } = await trace(job)
    expect(facts).toMatchObject({ status: 'error', state: 'failed', totalTokens: 0 })
    expect(facts.error).toContain('The script is used up')
    const failed = spans.filter(({ status }) => status === 'error')
    expect(failed).toMatchObject([{ outputs: null, tokenUsage: null }])
    expect(failed[0]?.error).toContain('The script is used up')
    const errors = await page(`?flow_id=${flowId}&status=error`)
    expect(errors.traces.map(({ id }) => id)).toEqual([job])
    expect((await page(`?flow_id=${flowId}&status=ok`)).total).toBe(0)
  })

  test('traces are listed newest first, paged, and filtered by session and time', async () => {
    const { service } = started
    const { id } = await createFlow(service, { name: 'Paged', data: echoGraph() })
    const jobs: string[] = []
    for (const session of ['a', 'b', 'a'])
      jobs.push(await build(id, { input_value: session, session }))
    const [first, second, third] = jobs
    const two = await page(`?flow_id=${id}&size=2`)
    expect(two).toMatchObject({ total: 3, pages: 2 })
    expect(two.traces.map((found) => found.id)).toEqual([third, second])
    const rest = await page(`?flow_id=${id}&size=2&page=2`)
    expect(rest.traces.map((found) => found.id)).toEqual([first])
    const same = await page(`?flow_id=${id}&session_id=a`)
    expect(same.traces.map((found) => found.id)).toEqual([third, first])
    expect((await page(`?flow_id=${id}&end_time=2020-01-01T00:00:00Z`)).total).toBe(0)
    expect((await page(`?flow_id=${id}&start_time=2020-01-01T00:00:00Z`)).total).toBe(3)
  })

  test('a run through /run has a trace with spans, texts, tokens and times', async () => {
    const { service, model } = started
    const flowId = await storeFlow(service, chatFlow(), { endpoint_name: 'traced-run' })
    model.reply({ text: 'Well.', usage: { inputTokens: 7, outputTokens: 2 } })
    const body = { input_value: 'And you?', session_id: 'tuesday' }
    const answer = await service.call('POST', `/api/v1/run/${flowId}`, { body })
    expect(answer).toMatchObject({ status: 200 })
    await expect.poll(async () => (await page(`?flow_id=${flowId}`)).total).toBe(1)
    const [found] = (await page(`?flow_id=${flowId}`)).traces
    expect(found).toMatchObject({
      name: expect.stringMatching(/^flow chat/) as string,
      status: 'ok',
      state: 'succeeded',
      flowId,
      sessionId: 'tuesday',
      totalTokens: 9,
      input: null,
    })
    const { spans, ...facts } = await trace(found?.id ?? '')
    expect(facts).toMatchObject({
      ...found,
      input: { input_value: 'And you?' },
      output: { message: 'Well.' },
      truncated: false,
    })
    expect(facts).not.toHaveProperty('warnings')
    expect(spans.map(({ name }) => name)).toContain('Chat Output')
    expect(spans.filter(({ tokenUsage }) => tokenUsage !== null)).toMatchObject([
      { type: 'llm', tokenUsage: { promptTokens: 7, completionTokens: 2, totalTokens: 9 } },
    ])
    for (const span of spans)
      expect(Date.parse(span.endTime ?? '') - Date.parse(span.startTime)).toBe(span.latencyMs)
  })

  test('failed and streamed runs have traces too, in one list with builds', async () => {
    const { service } = started
    const broken = await storeFlow(service, chatFlow('broken run'), { endpoint_name: 'broken-run' })
    const failed = await service.call('POST', `/api/v1/run/${broken}`, { body: {} })
    expect(failed.status).toBe(500)
    await expect.poll(async () => (await page(`?flow_id=${broken}&status=error`)).total).toBe(1)
    const [found] = (await page(`?flow_id=${broken}`)).traces
    expect(found?.error).toContain('The script is used up')
    const { spans } = await trace(found?.id ?? '')
    expect(spans.find(({ status }) => status === 'error')?.error).toContain('The script is used up')

    const { id } = await createFlow(service, { name: 'Mixed', data: echoGraph() })
    const job = await build(id, { input_value: 'x' })
    const path = `/api/v1/run/${id}?stream=true`
    const streamed = await service.call('POST', path, { body: { input_value: 'y' } })
    expect(streamed.text).toContain('"end"')
    await expect.poll(async () => (await page(`?flow_id=${id}`)).total).toBe(2)
    const ids = (await page(`?flow_id=${id}`)).traces.map((one) => one.id)
    expect(ids[1]).toBe(job)
    const pages = await Promise.all([1, 2, 3].map((n) => page(`?flow_id=${id}&size=1&page=${n}`)))
    expect(pages.map(({ traces }) => traces.map((one) => one.id))).toEqual([[ids[0]], [job], []])
    expect((await page(`?flow_id=${id}&status=unset`)).total).toBe(0)
  })

  test('FE-23: a tweak that matches no node is reported in the trace, not in the response', async () => {
    const { service } = started
    const { id } = await createFlow(service, { name: 'Tweaked', data: echoGraph() })
    const body = { input_value: 'x', tweaks: { 'Nobody-1': { a: 1 } } }
    const answer = await service.call('POST', `/api/v1/run/${id}`, { body })
    expect(Object.keys(answer.json() as object).toSorted()).toEqual(['outputs', 'session_id'])
    await expect.poll(async () => (await page(`?flow_id=${id}`)).total).toBe(1)
    const [found] = (await page(`?flow_id=${id}`)).traces
    expect(await trace(found?.id ?? '')).toMatchObject({
      warnings: [
        { code: 'unmatched_tweak', message: expect.stringContaining('Nobody-1') as string },
      ],
    })
  })

  test('FE-19: a warning of a build is in its trace, and in its end event when asked for', async () => {
    const { service } = started
    const data = echoGraph() as Graph
    const input = data.nodes.find((node) => node.data.type === 'ChatInput')
    const name = { load_from_db: true, value: 'NO_SUCH_NAME' }
    Object.assign(input?.data.node.template['sender_name'] ?? {}, name)
    const { id } = await createFlow(service, { name: 'Warned', data })
    const warning = {
      code: 'unresolved_field',
      message: expect.stringMatching(/NO_SUCH_NAME .* not found$/) as string,
      component_id: input?.id,
    }
    const path = `/api/v1/build/${id}/flow?event_delivery=direct`
    const plain = eventsOf(await service.call('POST', path, { body: {} }))
    expect(plain.at(-1)).toEqual({ event: 'end', data: {} })
    const events = eventsOf(await service.call('POST', `${path}&warnings=true`, { body: {} }))
    expect(events.at(-1)).toEqual({ event: 'end', data: { warnings: [warning] } })
    await expect.poll(async () => (await page(`?flow_id=${id}`)).total).toBe(2)
    const [found] = (await page(`?flow_id=${id}`)).traces
    expect(await trace(found?.id ?? '')).toMatchObject({ warnings: [warning] })
  })

  test('invalid queries are refused with the name of the field', async () => {
    for (const query of ['size=0', 'size=201', 'page=-1', 'status=fine', 'flow_id=x'])
      await expect(
        started.service.call('GET', `/api/v1/monitor/traces?${query}`),
      ).resolves.toMatchObject({
        status: 422,
        text: expect.stringContaining(query.split('=')[0] ?? '') as string,
      })
  })

  test('users see neither runs of other users nor those of visitors', async () => {
    const { service } = started
    const { id } = await createFlow(service, {
      name: 'Mine',
      data: echoGraph(),
      access_type: 'PUBLIC',
    })
    await build(id, { input_value: 'secret' })
    const { key } = await newPerson(service, 'stranger')
    await service.call('POST', `/api/v1/run/${id}`, { body: { input_value: 'secret' } })
    await expect.poll(async () => (await page(`?flow_id=${id}`)).total).toBe(2)
    expect(await page('', key)).toEqual({ traces: [], total: 0, pages: 0 })
    expect(await page(`?flow_id=${id}`, key)).toEqual({ traces: [], total: 0, pages: 0 })
    for (const { id: one } of (await page(`?flow_id=${id}`)).traces) {
      const refused = await service.call('GET', `/api/v1/monitor/traces/${one}`, { key })
      expect([refused.status, refused.json()]).toEqual([404, { detail: 'Trace not found' }])
    }
    const visited = await service.call('POST', `/api/v1/build_public_tmp/${id}/flow`, {
      key: null,
      headers: { cookie: 'client_id=visitor' },
      body: { inputs: { input_value: 'hello' } },
    })
    const { job_id: visit } = visited.json() as { job_id: string }
    expect(visited).toMatchObject({ status: 200 })
    expect((await page('?size=200')).traces.map((found) => found.id)).not.toContain(visit)
    expect((await service.call('GET', `/api/v1/monitor/traces/${visit}`)).status).toBe(404)
  })

  test('traces survive a restart and are deleted with their flow', async () => {
    const { service } = started
    const { id } = await createFlow(service, { name: 'Kept', data: echoGraph() })
    const job = await build(id, { input_value: 'x' })
    await service.call('POST', `/api/v1/run/${id}`, { body: { input_value: 'y' } })
    await expect.poll(async () => (await page(`?flow_id=${id}`)).total).toBe(2)
    const before = await trace(job)
    const list = await page(`?flow_id=${id}`)
    await service.restart()
    expect(await trace(job)).toEqual(before)
    expect(await page(`?flow_id=${id}`)).toEqual(list)
    expect((await service.call('DELETE', `/api/v1/flows/${id}`)).status).toBe(200)
    expect((await page(`?flow_id=${id}&status=ok`)).traces.map((one) => one.id)).toEqual([job])
  })
})
