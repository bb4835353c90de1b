import { expect, test } from 'vitest'
import { builtinComponents } from '@x/flow-components'
import { createRegistry } from '@x/flow-engine'
import { flowBuilder } from '@x/flow-engine/testing'
import { createUserCalls } from '@x/test-kit'

/** Requests whose answers were compared with those of the reference service. */
const registry = createRegistry(builtinComponents)

/** A chat flow whose output has this sender name. */
function echo(senderName = 'AI') {
  const flow = flowBuilder('echo')
  flow.add('ChatInput', { id: 'ChatInput-1' })
  flow.add('ChatOutput', { id: 'ChatOutput-1', values: { sender_name: senderName } })
  flow.connect('ChatInput-1.message', 'ChatOutput-1.input_value')
  const { nodes = [], edges = [] } = flow.toJSON().data ?? {}
  return { nodes, edges }
}

interface Detail {
  readonly detail: unknown
}

async function refusals(send: (value: unknown) => Promise<{ body: unknown }>, values: object) {
  const found = await Promise.all(
    Object.entries(values).map(async ([name, value]) => {
      const { detail } = (await send(value)).body as Detail
      const [first] = Array.isArray(detail) ? (detail as { type: string; loc: unknown[] }[]) : []
      return [name, first === undefined ? detail : `${first.type} ${first.loc.join('.')}`]
    }),
  )
  return Object.fromEntries(found) as Record<string, unknown>
}

test('FE-8: of two nodes with the same id a run and a build take the last', async () => {
  const { call, create, engine } = await createUserCalls()
  const data = echo('first')
  const id = await create({ ...data, nodes: [...data.nodes, ...echo('last').nodes.slice(1)] })
  const run = await call('POST', `/api/v1/run/${id}`, { input_value: 'hi' })
  expect([run.status, run.text.includes('"last"'), run.text.includes('"first"')]).toEqual([
    200,
    true,
    false,
  ])
  const build = await call('POST', `/api/v1/build/${id}/flow?event_delivery=direct`, {})
  expect(build.text).not.toContain('"error", ')
  const problems = await call('GET', `/api/v1/flows/${id}/problems`)
  expect(problems.text).toContain('duplicate_node_id')
  await engine.close()
})

test('FE-12: with two chat inputs a run starts at the first, and a build is refused', async () => {
  const { call, create, engine } = await createUserCalls()
  const flow = flowBuilder('two')
  for (const n of [1, 2]) {
    flow.add('ChatInput', { id: `ChatInput-${n}` })
    flow.add('ChatOutput', { id: `ChatOutput-${n}` })
    flow.connect(`ChatInput-${n}.message`, `ChatOutput-${n}.input_value`)
  }
  const id = await create(flow.toJSON().data)
  const run = await call('POST', `/api/v1/run/${id}`, { input_value: 'hi' })
  expect(run.status).toBe(200)
  expect(run.text).toContain('ChatOutput-1')
  expect(run.text).not.toContain('ChatOutput-2')
  const build = await call('POST', `/api/v1/build/${id}/flow?event_delivery=direct`, {})
  expect(build.text).toContain('Only one chat input is allowed in the graph\\n')
  const order = await call('POST', `/api/v1/build/${id}/vertices`)
  expect(order).toMatchObject({
    status: 400,
    body: { detail: 'Only one chat input is allowed in the graph' },
  })
  await engine.close()
})

test('a list of a project that is null is refused', async () => {
  const { call, engine } = await createUserCalls()
  const { body } = await call('POST', '/api/v1/projects/', { name: 'p' })
  const path = `/api/v1/projects/${(body as { id: string }).id}`
  expect(
    await refusals((value) => call('PATCH', path, value), {
      components: { components: null },
      flows: { flows: null },
    }),
  ).toEqual({ components: 'list_type body.components', flows: 'list_type body.flows' })
  expect(await call('PATCH', path, { flows: [] })).toMatchObject({ status: 200 })
  await engine.close()
})

test('an API key with an empty time of creation is made now, one with a wrong time is refused', async () => {
  const { call, engine } = await createUserCalls()
  const make = (value: unknown) =>
    call('POST', '/api/v1/api_key/', { name: 'k', created_at: value })
  for (const value of ['', [], {}, 0, false, null]) {
    expect([value, await make(value)]).toMatchObject([value, { status: 200 }])
  }
  for (const value of ['yesterday', [1], { a: 1 }, true]) {
    expect([value, await make(value)]).toMatchObject([value, { status: 422 }])
  }
  await engine.close()
})

test('the node of a prompt is validated field by field', async () => {
  const { call, engine } = await createUserCalls()
  const node = { template: {}, base_classes: ['Message'] }
  const check = (more: unknown) =>
    call('POST', '/api/v1/validate/prompt', {
      name: 'template',
      template: '{x}',
      frontend_node: { ...node, ...(more as object) },
    })
  const at = 'body.frontend_node'
  expect(
    await refusals(check, {
      classes: { base_classes: [null] },
      name: { name: 5 },
      icon: { icon: [] },
      lists: { custom_fields: 'x' },
      flag: { beta: 'maybe' },
      priority: { priority: 'x' },
      outputs: { outputs: [{}] },
      order: { field_order: {} },
      metadata: { metadata: [] },
    }),
  ).toEqual({
    classes: `string_type ${at}.base_classes.0`,
    name: `string_type ${at}.name`,
    icon: `string_type ${at}.icon`,
    lists: `dict_type ${at}.custom_fields`,
    flag: `bool_parsing ${at}.beta`,
    priority: `int_parsing ${at}.priority`,
    outputs: `missing ${at}.outputs.0.name`,
    order: `list_type ${at}.field_order`,
    metadata: `dict_type ${at}.metadata`,
  })
  expect(await check({ display_name: null, custom_fields: null, name: 'n' })).toMatchObject({
    status: 200,
    body: { frontend_node: { display_name: 'n', custom_fields: null } },
  })
  await engine.close()
})

test('MC-83: an installation is refused after its request was validated', async () => {
  const { call, engine } = await createUserCalls()
  const { body } = await call('POST', '/api/v1/projects/', { name: 'p' })
  const path = `/api/v1/mcp/project/${(body as { id: string }).id}/install`
  expect(
    await refusals((value) => call('POST', path, value), {
      nothing: undefined,
      empty: {},
      number: { client: 5 },
      transport: { client: 'cursor', transport: 'pigeon' },
      good: { client: 'cursor', transport: 'sse' },
    }),
  ).toEqual({
    nothing: 'missing body',
    empty: 'missing body.client',
    number: 'string_type body.client',
    transport: 'literal_error body.transport',
    good: 'Unsupported client',
  })
  await engine.close()
})

test('an update without a field value sets null', async () => {
  const { call, engine } = await createUserCalls()
  const node = registry.catalogue().input_output?.ChatInput as { template: Record<string, object> }
  const { template } = node
  const { value: code } = template.code as { value: string }
  const sent = { code, template, field: 'input_value', tool_mode: false }
  expect(await call('POST', '/api/v1/custom_component/update', sent)).toMatchObject({
    status: 200,
    body: { template: { input_value: { value: null } } },
  })
  await engine.close()
})

test('RS-7: an empty previous_response_id is echoed and continues nothing', async () => {
  const { call, create, engine } = await createUserCalls()
  const id = await create(echo())
  const { body } = await call('POST', '/api/v1/responses', {
    model: id,
    input: 'hi',
    previous_response_id: '',
  })
  expect(body).toMatchObject({ status: 'completed', previous_response_id: '' })
  expect((body as { id: string }).id).toMatch(/^[0-9a-f-]{36}$/)
  await engine.close()
})

test('MC-1: the MCP server of the caller has a second address under /api/mcp', async () => {
  const { call, create, engine } = await createUserCalls()
  await create(echo(), { name: 'Second door', mcp_enabled: true })
  const key = (await call('POST', '/api/v1/api_key/', { name: 'k' })).body as { api_key: string }
  for (const path of ['/api/v1/mcp/streamable', '/api/mcp/streamable', '/api/mcp/streamable/']) {
    const response = await engine.handler(
      new Request(`http://host.example${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': key.api_key },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      }),
    )
    expect([path, response.status, await response.text()]).toMatchObject([
      path,
      200,
      expect.stringContaining('"second_door"') as string,
    ])
  }
  const stream = await engine.handler(
    new Request('http://host.example/api/mcp/sse', { headers: { 'x-api-key': key.api_key } }),
  )
  const first = await stream.body?.getReader().read()
  expect(new TextDecoder().decode(first?.value)).toContain('/api/mcp/?session_id=')
  await engine.close()
})

test('results.md 4: of an odd number of line breaks the last is doubled', async () => {
  const { call, create, engine } = await createUserCalls()
  const id = await create(echo())
  const texts = ['a\nb', 'a\n\nb', 'a\n\n\nb', 'a\n\n\n\nb'].map(async (text) => {
    const { body } = await call('POST', `/api/v1/run/${id}`, { input_value: text })
    const { outputs } = body as {
      outputs: { outputs: { artifacts: { message: string }; messages: { message: string }[] }[] }[]
    }
    const [shown] = outputs[0]?.outputs ?? []
    return [shown?.artifacts.message, shown?.messages[0]?.message]
  })
  const even = (count: number) => ['\n', '\n'].map((line) => `a${line.repeat(count)}b`)
  expect(await Promise.all(texts)).toEqual([even(2), even(2), even(4), even(4)])
  await engine.close()
})
