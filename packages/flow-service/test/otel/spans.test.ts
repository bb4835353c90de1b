import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import { afterEach, describe, expect, test } from 'vitest'
import { agent, chatInput, chatOutput } from '@x/flow-engine/components'
import { builtinComponents, mcpTools } from '@x/flow-components'
import { createRegistry, defineComponent, field, output, runFlow } from '@x/flow-engine'
import { createMemoryJobStore } from '@x/flow-engine/memory'
import { findEmbedder } from '@x/flow-engine/models'
import { createScriptedModel, flowBuilder } from '@x/flow-engine/testing'
import {
  begin,
  closeAll,
  component,
  flowOf,
  processOf,
  state,
} from '../../../flow-engine/test/jobs/asking.ts'
import { createTestEngine } from '@x/test-kit'
import { serve } from '@x/test-kit'
import { pathOf, recordedSpans } from '../../../flow-engine/test/otel/recorded-spans.ts'

afterEach(closeAll)

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const CALLER = 'b7ad6b7169203331'
const traceparent = `00-${TRACE}-${CALLER}-01`
const usage = { inputTokens: 3, outputTokens: 4 }

const look = defineComponent({
  type: 'Look',
  inputs: {
    at: field.text({ toolMode: true, required: true }),
    key: field.secret({ default: '', loadFromDb: false }),
  },
  outputs: {
    look: output.message({
      run: ({ at, key }) => `saw ${at} with ${key}`,
    }),
  },
})

const fetches = component('Fetches', async (ctx) => {
  const answer = await ctx.services.fetch?.('https://sky.example:8443/a?key=1')
  return (await answer?.text()) ?? ''
})

/** An agent with one tool, beside a component that asks an address. */
function agentFlow() {
  const flow = flowBuilder()
  const input = flow.add(chatInput)
  const tool = flow.add(look, { id: 'Look-1', toolMode: true, values: { key: 'sk-very-secret' } })
  const values = { add_current_date_tool: false, agent_llm: 'OpenAI', model_name: 'gpt-4o' }
  const asks = flow.add(agent, { id: 'Agent-1', values })
  flow.add(fetches, { id: 'Fetches-1' })
  flow.connect(`${input}.message`, 'Fetches-1.text')
  flow.connect(`${input}.message`, `${asks}.input_value`)
  flow.connect(`${tool}.component_as_tool`, `${asks}.tools`)
  flow.connect(`${asks}.response`, `${flow.add(chatOutput)}.input_value`)
  return flow.toJSON()
}

const services = () => ({
  models: createScriptedModel([
    { toolCalls: [{ name: 'look', args: { at: 'sky' } }], usage },
    { text: 'Blue', usage },
  ]),
  fetch: async () => new Response('page'),
})

const components = createRegistry([...builtinComponents, look, fetches])

describe('service spans', () => {
  test('OP-2, OP-3: one trace reaches from the traceparent of a request to the tool calls', async () => {
    const { hooks, requestHooks, spans, named } = recordedSpans()
    const engine = await createTestEngine({ components, services: services(), hooks, requestHooks })
    const key = await engine.services.apiKeys.create(
      { id: engine.adminId } as Parameters<typeof engine.services.apiKeys.create>[0],
      { name: 'k', createdAt: null },
    )
    const headers = {
      'x-api-key': key.key,
      'content-type': 'application/json',
      'x-request-id': 'r-1',
    }
    const served = await serve(engine.handler)
    const post = (path: string, body: unknown, more: Record<string, string> = {}) =>
      fetch(`${served.url}/api/v1/${path}`, {
        method: 'POST',
        headers: { ...headers, ...more },
        body: JSON.stringify(body),
      })
    const created = await post('flows/', { name: 'Sky', data: agentFlow().data })
    const { id } = (await created.json()) as { id: string }
    const before = spans().length
    const answer = await post(
      `run/${id}?stream=false`,
      { input_value: 'Look up' },
      { traceparent, tracestate: 'vendor=1' },
    )
    expect(answer.status).toBe(200)
    await served.close()
    await engine.close()
    const all = spans().slice(before)
    for (const span of all) {
      expect(span.spanContext().traceId).toBe(TRACE)
      expect(span.attributes['flow.request.id']).toBe('r-1')
    }
    const request = named('POST /api/v1/run/{flow_id_or_name}')
    expect(request.parentSpanContext?.spanId).toBe(CALLER)
    expect(request.parentSpanContext?.traceState?.get('vendor')).toBe('1')
    expect(request.kind).toBe(SpanKind.SERVER)
    expect(request.attributes).toMatchObject({
      'http.route': '/api/v1/run/{flow_id_or_name}',
      'http.response.status_code': 200,
      'user.id': engine.adminId,
    })
    const top = ['vertex Agent', 'invoke_workflow', 'POST /api/v1/run/{flow_id_or_name}']
    expect(pathOf(named('chat gpt-4o'), all)).toEqual(['chat gpt-4o', ...top])
    const tool = 'execute_tool look'
    expect(pathOf(named(tool), all)).toEqual([tool, ...top])
    expect(pathOf(named('GET'), all)).toEqual(['GET', 'vertex Fetches', ...top.slice(1)])
    expect(named('GET').attributes).toMatchObject({
      'server.address': 'sky.example',
      'server.port': 8443,
    })
    expect(named('invoke_workflow').attributes).toMatchObject({
      'flow.run.status': 'succeeded',
      'gen_ai.workflow.name': 'Sky',
      'flow.id': id,
    })
    const models = all.filter(({ name }) => name === 'chat gpt-4o')
    expect(models).toHaveLength(2)
    for (const { attributes, kind } of models) {
      expect(kind).toBe(SpanKind.CLIENT)
      expect(attributes).toMatchObject({
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'openai',
        'gen_ai.system': 'openai',
        'gen_ai.request.model': 'gpt-4o',
        'gen_ai.usage.input_tokens': 3,
        'gen_ai.usage.output_tokens': 4,
      })
    }
    const counted = all.filter((span) => 'gen_ai.usage.input_tokens' in span.attributes)
    expect(counted).toHaveLength(2)
    expect(JSON.stringify(all.map(({ attributes }) => attributes))).not.toMatch(/Blue|saw|Look up/)
  })

  test('OP-2: the run of a build job is a child of the span of the request that started it', async () => {
    const { hooks, requestHooks, spans, named } = recordedSpans()
    const engine = await createTestEngine({ components, services: services(), hooks, requestHooks })
    const user = { userId: engine.adminId, isSuperuser: true }
    const post = (path: string, body: unknown) =>
      engine.handler(
        new Request(`http://h/api/v1/${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', traceparent },
          body: JSON.stringify(body),
        }),
        { user },
      )
    const created = await post('flows/', { name: 'Sky', data: agentFlow().data })
    const { id } = (await created.json()) as { id: string }
    const started = await post(`build/${id}/flow`, { inputs: { input_value: 'Look up' } })
    const { job_id: jobId } = (await started.json()) as { job_id: string }
    await engine.jobs.result(jobId)
    await engine.close()
    expect(pathOf(named('chat gpt-4o'), spans())).toEqual([
      'chat gpt-4o',
      'vertex Agent',
      'invoke_workflow',
      'POST /api/v1/build/{flow_id}/flow',
    ])
    expect(named('invoke_workflow').attributes['flow.job.id']).toBe(jobId)
  })
})

describe('run spans', () => {
  test('OP-3: each attempt has its own span; failed ones record the error', async () => {
    let tries = 0
    const flaky = component('Flaky', async () => {
      tries += 1
      if (tries < 3) throw new Error('not yet')
      return 'ok'
    })
    const { hooks, spans } = recordedSpans()
    await runFlow(flowOf(flaky), {
      components: createRegistry([flaky]),
      outputType: 'debug',
      retry: { attempts: 3, delayMs: 0 },
      hooks,
    }).result
    const attempts = spans().filter(({ name }) => name === 'vertex Flaky')
    expect(
      attempts.map(({ attributes, status }) => [attributes['flow.vertex.attempt'], status.code]),
    ).toEqual([
      [1, SpanStatusCode.ERROR],
      [2, SpanStatusCode.ERROR],
      [3, SpanStatusCode.UNSET],
    ])
    expect(attempts[0]?.events[0]?.attributes?.['exception.message']).toContain('not yet')
  })

  test('OP-2, DR-71: spans that the host creates in a component are children of its vertex span', async () => {
    const { hooks, tracer, spans, named } = recordedSpans()
    const works = component('Works', async () => {
      await new Promise((resolve) => setTimeout(resolve, 1))
      return tracer.startActiveSpan('query', (span) => {
        span.end()
        return 'ok'
      })
    })
    await runFlow(flowOf(works), {
      components: createRegistry([works]),
      outputType: 'debug',
      hooks,
    }).result
    expect(pathOf(named('query'), spans())).toEqual(['query', 'vertex Works', 'invoke_workflow'])
  })

  test('OP-2: a job keeps its trace in another process; after an answer it continues in a linked span', async () => {
    const asks = component('Asks', async (ctx) => String(await ctx.suspend('sure?')))
    const store = createMemoryJobStore()
    const shared = { ...store, queue: { ...store.queue, shared: true } }
    const first = recordedSpans()
    const other = recordedSpans()
    const starts = processOf([asks], { hooks: first.hooks, store: shared, concurrency: 0 })
    const runs = processOf([asks], { hooks: other.hooks, store: shared })
    const { id } = await begin(starts, [asks], { carrier: { traceparent } })
    await state(runs, id, 'suspended')
    const asked = other.named('invoke_workflow')
    expect(first.spans()).toEqual([])
    expect(asked.parentSpanContext).toMatchObject({ traceId: TRACE, spanId: CALLER })
    expect(asked.attributes['flow.run.status']).toBe('suspended')
    expect(other.named('vertex Asks').attributes['flow.vertex.status']).toBe('suspended')
    await starts.resume(id, 'yes')
    await runs.result(id)
    const [, goesOn] = other.spans().filter(({ name }) => name === 'invoke_workflow')
    expect(goesOn?.parentSpanContext).toBeUndefined()
    expect(goesOn?.spanContext().traceId).not.toBe(TRACE)
    expect(goesOn?.links.map(({ context }) => context.spanId)).toEqual([
      CALLER,
      asked.spanContext().spanId,
    ])
    expect(goesOn?.attributes['flow.run.status']).toBe('succeeded')
  })

  test('OP-2: an invalid carrier starts a new trace', async () => {
    const up = component('Up', async () => 'ok')
    const bad = [
      '',
      'nonsense',
      `ff-${TRACE}-${CALLER}-01`,
      `00-${'0'.repeat(32)}-${CALLER}-01`,
      `00-${TRACE}-${CALLER}-01-more`,
    ]
    for (const given of bad) {
      const { hooks, named } = recordedSpans()
      await runFlow(flowOf(up), {
        components: createRegistry([up]),
        outputType: 'debug',
        hooks,
        carrier: { traceparent: given },
      }).result
      expect(named('invoke_workflow').parentSpanContext).toBeUndefined()
    }
  })
})

test('OP-3: embeddings and MCP calls have spans', async () => {
  const embeds = component('Embeds', async (ctx) => {
    const spec = { provider: 'OpenAI', model: 'small', apiKey: '', options: {} }
    const embedder = await findEmbedder(ctx, spec)
    await embedder.embed(['a'])
    return 'ok'
  })
  const flow = flowBuilder()
  flow.add(embeds, { id: 'Embeds-1' })
  flow.add(mcpTools, {
    id: 'Tools-1',
    values: { mcp_server: { name: 's', config: {} }, tool: 'add' },
  })
  flow.connect('Tools-1.response', `${flow.add(chatOutput)}.input_value`)
  const { hooks, spans, named } = recordedSpans()
  await runFlow(flow.toJSON(), {
    components: createRegistry([embeds, mcpTools, chatOutput]),
    services: {
      models: {
        chatModel: () => createScriptedModel([]),
        embedder: () => ({ embed: async () => [[1]] }),
      },
      mcp: {
        connect: async () => ({
          listTools: async () => [
            { name: 'add', description: '', inputSchema: { type: 'object' } },
          ],
          callTool: async () => ({ content: [{ type: 'text', text: '3' }] }),
          close: async () => undefined,
        }),
      },
    },
    inputs: { 'Tools-1': { tool: 'add' } },
    outputType: 'debug',
    hooks,
  }).result
  expect(pathOf(named('embeddings small'), spans())).toEqual([
    'embeddings small',
    'vertex Embeds',
    'invoke_workflow',
  ])
  const call = named('tools/call add')
  expect(pathOf(call, spans())).toEqual(['tools/call add', 'vertex MCPTools', 'invoke_workflow'])
  expect(call.attributes).toMatchObject({
    'mcp.method.name': 'tools/call',
    'gen_ai.tool.name': 'add',
  })
})

describe('content in spans', () => {
  const run = async (content: 'none' | 'truncated' | 'full', text = 'Look up') => {
    const recorded = recordedSpans({ content })
    const result = await runFlow(agentFlow(), {
      components,
      services: services(),
      input: text,
      mode: 'build',
      hooks: recorded.hooks,
    }).result
    expect(result.text()).toBe('Blue')
    return recorded
  }

  test('OP-4: spans contain no inputs or outputs by default', async () => {
    const { spans } = await run('none')
    const told = JSON.stringify(spans().map(({ attributes }) => attributes))
    expect(told).not.toMatch(/Look up|Blue|saw|very-secret/)
  })

  test('OP-4: with `full`, spans contain messages, arguments, results, inputs and outputs, secrets masked', async () => {
    const { spans, named } = await run('full')
    const [asked, answered] = spans().filter(({ name }) => name === 'chat gpt-4o')
    const parsed = (name: string, of = answered): unknown =>
      JSON.parse(String(of?.attributes[name]))
    expect(parsed('gen_ai.output.messages')).toEqual([
      { role: 'assistant', parts: [{ type: 'text', content: 'Blue' }] },
    ])
    expect(parsed('gen_ai.output.messages', asked)).toEqual([
      {
        role: 'assistant',
        parts: [
          expect.objectContaining({ type: 'tool_call', name: 'look', arguments: { at: 'sky' } }),
        ],
      },
    ])
    expect(parsed('gen_ai.input.messages')).toEqual(
      expect.arrayContaining([
        { role: 'user', parts: [{ type: 'text', content: 'Look up' }] },
        expect.objectContaining({ role: 'tool' }),
      ]),
    )
    const { attributes } = named('execute_tool look')
    expect(attributes['gen_ai.tool.call.arguments']).toBe('{"at":"sky"}')
    expect(attributes['gen_ai.tool.call.result']).toContain('saw sky with *****')
    expect(named('vertex ChatInput').attributes['flow.vertex.input']).toContain('Look up')
    expect(named('vertex ChatOutput').attributes['flow.vertex.output']).toContain('Blue')
    expect(JSON.stringify(spans().map((span) => span.attributes))).not.toContain('very-secret')
  })

  test('OP-4: with `truncated`, spans contain the first 1,000 characters', async () => {
    const { named } = await run('truncated', 'x'.repeat(5000))
    expect(String(named('vertex ChatInput').attributes['flow.vertex.input'])).toHaveLength(1000)
    expect(String(named('chat gpt-4o').attributes['gen_ai.input.messages'])).toHaveLength(1000)
  })
})
