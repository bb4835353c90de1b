import { createTestRuntime } from '@x/wire'
import { smallAndFull } from '@x/test-kit/small-and-full'
import { expect, test } from 'vitest'
import { apiRequest, builtinComponents } from '@x/flow-components'
import { parseCurl } from '@x/flow-components/internal'
import { pollEvents } from '../../flow-engine/src/jobs/poll-events.ts'
import { LiveJob } from '../../flow-engine/src/jobs/live-job.ts'
import { JobEvent } from '../../flow-engine/src/jobs/job-event.ts'
import { parseHtmlPage } from '@x/flow-components/internal'
import { descendantsOf, parseXml } from '@x/flow-components/internal'
import { createNode } from '@x/flow-engine'
import { checkFlow, createRegistry } from '@x/flow-engine'
import { createMemoryJobStore, createMemoryVectorStore } from '@x/flow-engine/memory'
import { adminToken, send } from '@x/test-kit'
import { createTestEngine } from '@x/test-kit'

const MANY = 150_000

test('source code with a very long list is validated', { tags: ['long'] }, async () => {
  const engine = await createTestEngine()
  const token = await adminToken(engine)
  const code = `export const list = [${'1,1,1,1,1,\n'.repeat(5_900)}]`
  const answer = await send(engine, '/api/v1/validate/code', { token, json: { code } })
  expect(answer.body).toEqual({ imports: { errors: [] }, function: { errors: [] } })
  await engine.close()
})

for (const [text, count, options] of smallAndFull(15_000, 150_000))
  test(`HTML pages and XML documents with ${text} siblings are parsed`, options, async () => {
    const siblings = '<b>a</b>'.repeat(count)
    const page = await parseHtmlPage(`<p>${siblings}</p>`)
    expect(page.texts()).toHaveLength(count)
    expect(descendantsOf(await parseXml(`<p>${siblings}</p>`), 'b')).toHaveLength(count)
  })

for (const [text, count, options] of smallAndFull(15_000, 150_000))
  test(`a flow with ${text} edges into removed fields is checked`, options, () => {
    const edges = Array.from({ length: count }, (_, n) => ({
      source: 'a',
      target: 'b',
      data: {
        sourceHandle: {
          id: 'a',
          dataType: 'ChatInput',
          name: 'message',
          output_types: ['Message'],
        },
        targetHandle: { id: 'b', fieldName: `f${n}`, type: 'str', inputTypes: ['Message'] },
      },
    }))
    const fields = edges.map(
      (_, n) => [`f${n}`, { type: 'str', input_types: ['Message'] }] as const,
    )
    const template = Object.fromEntries(fields)
    const nodes = [
      { id: 'a', data: { id: 'a', type: 'ChatInput', node: { template: {} } } },
      { id: 'b', data: { id: 'b', type: 'ChatOutput', node: { template } } },
    ]
    const problems = checkFlow({ nodes, edges }, { components: createRegistry(builtinComponents) })
    expect(problems.filter(({ code }) => code === 'ignored_edge')).toHaveLength(count)
  })

test('a vector store in memory takes very many rows at once', async () => {
  const store = createMemoryVectorStore()
  const row = { id: '', text: '', metadata: {}, vector: [1] }
  await store.add(Array.from({ length: MANY }, () => row))
  expect(await store.all()).toHaveLength(MANY)
})

test('a curl command with very long credentials is read', () => {
  const user = `ada:${'é'.repeat(MANY)}`
  const { headers } = parseCurl(`curl -u '${user}' https://host.example/`)
  expect(headers).toEqual([['Authorization', `Basic ${Buffer.from(user).toString('base64')}`]])
})

test('CO-52: a curl command with very many short options fills in the fields', async () => {
  const engine = await createTestEngine()
  const token = await adminToken(engine)
  const { code, ...template } = createNode(apiRequest, { values: { mode: 'cURL' } }).data.node
    .template
  const answer = await send(engine, '/api/v1/custom_component/update', {
    token,
    json: {
      code: code?.value,
      template: { code, ...template },
      field: 'curl_input',
      field_value: `curl -${'k'.repeat(MANY)} https://host.example/`,
    },
  })
  expect(answer).toMatchObject({
    status: 200,
    body: { template: { url_input: { value: 'https://host.example/' } } },
  })
  await engine.close()
})

test('FE-69: a poll returns very many events of a run in this process', async () => {
  const limits = { bufferedTokens: 1_024, eventBytes: 1_000_000 }
  const job = new LiveJob({ jobId: 'a', limits })
  for (let seq = 0; seq < MANY; seq += 1)
    job.publish(new JobEvent({ seq, event: 'vertices_sorted', data: { ids: [], to_run: [] } }))
  const context = {
    store: createMemoryJobStore(),
    runtime: createTestRuntime(),
    live: () => job,
    expects: () => false,
    read: async () => [],
    get: async () => null,
    patienceMs: 1,
    closed: new AbortController().signal,
  }
  const polling = pollEvents(context, { jobId: 'a', after: -1, waitMs: 1 })
  job.close()
  expect((await polling).events).toHaveLength(MANY)
})
