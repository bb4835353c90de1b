import { expect, test } from 'vitest'
import { flowBuilder, startFakeOpenAi } from '@x/flow-engine/testing'
import { createRegistry } from '@x/flow-engine'
import { builtinComponents } from '@x/flow-components'
import { createUserCalls } from '@x/test-kit'

/** Question -> Model without a key -> Answer. */
function blank(values: object = {}): unknown {
  const flow = flowBuilder('blank')
  flow.add('ChatInput', { id: 'ChatInput-1' })
  const model = builtinComponents.find(({ type }) => type === 'OpenAIModel')
  if (model === undefined) throw new RangeError('no model')
  flow.add(model, { id: 'OpenAIModel-1', values: { model_name: 'gpt-4o-mini', ...values } })
  flow.add('ChatOutput', { id: 'ChatOutput-1' })
  flow
    .connect('ChatInput-1.message', 'OpenAIModel-1.input_value')
    .connect('OpenAIModel-1.text_output', 'ChatOutput-1.input_value')
  const { data } = flow.toJSON()
  const template = data?.nodes?.[1]?.data.node.template
  Object.assign(template?.api_key ?? {}, { value: '', load_from_db: false })
  return data
}

async function calls(values: object = {}) {
  const model = await startFakeOpenAi({ script: [{ text: 'hi' }] })
  const made = await createUserCalls({
    ssrfAllow: ['127.0.0.1'],
    components: createRegistry(builtinComponents),
  })
  const { call, create, engine } = made
  const id = await create(blank(values))
  return {
    model,
    run: async (path = id) => call('POST', `/api/v1/run/${path}`, { input_value: 'hello' }),
    store: (name: string, value: string, fields: string[] = [], type = 'Credential') =>
      call('POST', '/api/v1/variables/', { name, value, type, default_fields: fields }),
    put: async (base: string) => create(blank({ openai_api_base: base })),
    close: async () => {
      await engine.close()
      await model.close()
    },
  }
}

test('FF-22: a blank key without a variable names the variable to set', async () => {
  const { run, close } = await calls()
  const { status, text } = await run()
  expect(status).toBe(500)
  expect(text).toContain(
    'Component OpenAI needs OpenAI API Key. Give it in the node or as the variable OPENAI_API_KEY.',
  )
  await close()
})

test('FF-24: a stored key is not sent to an address of the flow', async () => {
  const { run, store, put, model, close } = await calls()
  await store('OPENAI_API_KEY', 'sk-mine-1')
  const { text } = await run(await put(model.url))
  expect(text).toContain(
    `Component OpenAI needs OpenAI API Key for the address ${new URL(model.url).host}. Give it in the node, or choose the variable OPENAI_API_KEY there.`,
  )
  expect(model.requests).toEqual([])
  await close()
})

/** A server whose vendors are played; `environment` is what its operator set. */
async function played(environment: Record<string, string> = {}) {
  const sent: { readonly host: string; readonly key: string | null }[] = []
  const answer = { choices: [{ index: 0, message: { role: 'assistant', content: 'hi' } }] }
  const made = await createUserCalls({
    components: createRegistry(builtinComponents),
    services: {
      environment,
      fetch: async (input, init) => {
        const { url, headers } = new Request(input, init)
        sent.push({ host: new URL(url).host, key: headers.get('authorization') })
        return Response.json(answer)
      },
    },
  })
  const { call, request } = made
  return {
    ...made,
    sent,
    upload: async (data: unknown) => {
      const body = new FormData()
      body.set('file', new File([JSON.stringify({ name: 'of a stranger', data })], 'flow.json'))
      const { body: flows } = await request('POST', '/api/v1/flows/upload/', { body })
      return (flows as { id: string }[])[0]?.id ?? ''
    },
    store: (name: string, value: string, fields: string[] = []) =>
      call('POST', '/api/v1/variables/', {
        name,
        value,
        type: 'Credential',
        default_fields: fields,
      }),
    run: (id: string) => call('POST', `/api/v1/run/${id}?stream=false`, { input_value: 'hello' }),
    problems: async (id: string) => {
      const { body } = await call('GET', `/api/v1/flows/${id}/problems`)
      return (body as { problems: Record<string, unknown>[] }).problems
    },
  }
}

test('J2, FF-20, FF-25: an uploaded flow with a blank key runs once the variable is stored, and keeps no key', async () => {
  const { upload, store, run, problems, sent, call, engine } = await played()
  const id = await upload(blank())
  const missing = {
    code: 'missing_key',
    severity: 'warning',
    node_id: 'OpenAIModel-1',
    field: 'api_key',
    variable: 'OPENAI_API_KEY',
  }
  expect(await problems(id)).toMatchObject([missing])
  await store('OPENAI_API_KEY', 'sk-of-ada-123')
  expect(await problems(id)).toEqual([])
  const { status, text } = await run(id)
  expect([status, text.includes('"hi"')]).toEqual([200, true])
  expect(sent).toEqual([{ host: 'api.openai.com', key: 'Bearer sk-of-ada-123' }])
  const kept = [
    await call('GET', `/api/v1/flows/${id}`),
    await call('GET', `/api/v1/monitor/traces?flow_id=${id}`),
    await call('GET', `/api/v1/monitor/builds?flow_id=${id}`),
    await call('GET', `/api/v1/monitor/transactions?flow_id=${id}`),
    await call('GET', '/api/v1/monitor/messages'),
  ]
  for (const answer of kept) {
    expect(answer.status).toBe(200)
    expect(answer.text).not.toContain('sk-of-ada-123')
  }
  await engine.close()
})

test('FF-23: a variable of the user is the user’s, also where the environment holds the same text', async () => {
  const { create, store, run, sent, problems, engine } = await played({
    OPENAI_API_KEY: 'sk-shared',
  })
  const openai_api_base = 'https://gateway.example/v1'
  const named = (name: string) => {
    const data = blank({ openai_api_base }) as { nodes: { data: { node: { template: object } } }[] }
    const template = data.nodes[1]?.data.node.template as { api_key: object }
    Object.assign(template.api_key, { value: name, load_from_db: true })
    return data
  }
  const operators = await run(await create(named('OPENAI_API_KEY')))
  expect(operators.text).toContain('The key OPENAI_API_KEY of the server is not sent')
  expect(sent).toEqual([])
  await store('MY_GATEWAY', 'sk-shared')
  const id = await create(named('MY_GATEWAY'))
  expect((await run(id)).status).toBe(200)
  expect(sent).toEqual([{ host: 'gateway.example', key: 'Bearer sk-shared' }])
  expect(await problems(id)).toMatchObject([
    { code: 'key_to_other_host', host: 'gateway.example', variable: 'MY_GATEWAY' },
  ])
  await engine.close()
})
