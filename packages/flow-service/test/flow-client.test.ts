import { builtinComponents } from '@x/flow-components'
import { createFlowClient } from '@x/flow-engine/client'
import {
  createFlow,
  createRegistry,
  isData,
  isMessage,
  runFlow,
  type Data,
  type FlowJson,
  type Message,
  type TypedFlow,
} from '@x/flow-engine'
import { chatInput, chatOutput, promptTemplate, webhook } from '@x/flow-engine/components'
import type { FlowServiceInstance } from '@x/flow-service'
import { createTestEngine } from '@x/test-kit'
import { afterEach, describe, expect, test } from 'vitest'

type Greeting = TypedFlow<{
  input: 'required'
  nodes: {
    'ChatInput-in': { name: 'Chat Input'; tweaks: { sender_name: string } }
    'Prompt-main': {
      name: 'Prompt Template'
      required: { tone: string }
      optional: { sign: string }
    }
    'ChatOutput-out': { name: 'Chat Output'; output: Message; tweaks: { sender_name: string } }
    'Prompt-side': { name: 'Side'; output: Message }
  }
  variables: 'WHO'
  session: 'required'
}>

const engines: FlowServiceInstance[] = []
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()))
})

function greeting(): unknown {
  const flow = createFlow('greeting')
  const question = flow.add(chatInput, { id: 'ChatInput-in' })
  const prompt = flow.add(promptTemplate, {
    id: 'Prompt-main',
    values: { template: '{tone} {question} {sign}' },
    fields: { tone: '', question: '', sign: 'Ada' },
  })
  const side = flow.add(promptTemplate, {
    id: 'Prompt-side',
    displayName: 'Side',
    values: { template: 'aside: {question}' },
    fields: { question: '' },
  })
  const answer = flow.add(chatOutput, { id: 'ChatOutput-out' })
  flow.connect(question.outputs.message, prompt.input('question'))
  flow.connect(question.outputs.message, side.input('question'))
  flow.connect(prompt.outputs.prompt, answer.inputs.input_value)
  return flow.toJSON().data
}

function hooked(): unknown {
  const flow = createFlow('hooked')
  flow.add(webhook, { id: 'Webhook-in' })
  return flow.toJSON().data
}

async function service() {
  const engine = await createTestEngine({ components: createRegistry(builtinComponents) })
  engines.push(engine)
  const seen: Request[] = []
  const admin = { userId: engine.adminId, isSuperuser: true }
  const post = async (path: string, body: unknown): Promise<Record<string, string>> => {
    const request = new Request(`http://flows.example/api/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return (await (await engine.handler(request, { user: admin })).json()) as Record<string, string>
  }
  await post('/flows/', { name: 'greeting', data: greeting(), endpoint_name: 'greeting' })
  await post('/flows/', { name: 'hooked', data: hooked(), endpoint_name: 'hooked' })
  const { api_key: apiKey = '' } = await post('/api_key/', { name: 'client' })
  const client = createFlowClient({
    url: 'http://flows.example/',
    apiKey,
    fetch(url, init) {
      const request = new Request(url, init)
      seen.push(request)
      return engine.handler(request)
    },
  })
  return { client, seen, engine }
}

describe('createFlowClient', () => {
  test('FC-20 runs a typed flow of a service', async () => {
    const { client, seen } = await service()
    const result = await client.run<Greeting>('greeting', {
      input: 'hello',
      inputs: { 'Prompt Template': { tone: 'calm', sign: 'Bob' } },
      tweaks: { 'Chat Output': { sender_name: 'Greeter' } },
      variables: { WHO: 'x' },
      sessionId: 'mine',
    })
    expect(result.text).toBe('calm hello Bob')
    expect(result.sessionId).toBe('mine')
    const answer: Message | undefined = result.output('Chat Output')
    expect(isMessage(answer)).toBe(true)
    expect([answer?.text, answer?.sessionId, answer?.senderName]).toEqual([
      'calm hello Bob',
      'mine',
      'Greeter',
    ])
    expect(result.output('ChatOutput-out')?.id).toBe(answer?.id)
    expect(result.output('Side')?.text).toBe('aside: hello')
    expect(seen[0]?.headers.get('x-service-global-var-WHO')).toBe('x')
  })

  test('FC-20 wrong options do not compile, and flows without types take any', async () => {
    const { client } = await service()
    const wrong = () => [
      // @ts-expect-error the input is missing
      client.run<Greeting>('greeting', { inputs: { 'Prompt-main': { tone: '' } }, sessionId: '' }),
      // @ts-expect-error so is the session
      client.run<Greeting>('greeting', { input: '', inputs: { 'Prompt-main': { tone: '' } } }),
      client.run<Greeting>('greeting', {
        input: '',
        inputs: { 'Prompt-main': { tone: '' } },
        sessionId: '',
        // @ts-expect-error there is no such node
        tweaks: { Nobody: { a: 1 } },
      }),
    ]
    expect(wrong).toBeInstanceOf(Function)
    const untyped = await client.run('greeting', {
      input: 'hello',
      inputs: { 'Prompt-main': { tone: 'calm' } },
    })
    const value: unknown = untyped.output('Chat Output')
    expect(isMessage(value)).toBe(true)
    expect(untyped.output('Nobody')).toBeUndefined()
  })

  test('FC-20 an empty session is one of this run alone', async () => {
    const { client } = await service()
    const options = { input: 'a', inputs: { 'Prompt-main': { tone: 'b' } }, sessionId: '' }
    const [first, second] = [
      await client.run<Greeting>('greeting', options),
      await client.run<Greeting>('greeting', options),
    ]
    expect(first.sessionId).not.toBe(second.sessionId)
  })

  test('FC-15 FC-20 the data of a webhook is JSON', async () => {
    const { client } = await service()
    const result = await client.run<
      TypedFlow<{
        input: 'none'
        nodes: { 'Webhook-in': { name: 'Webhook'; required: { data: unknown }; output: Data } }
        variables: never
        session: 'optional'
      }>
    >('hooked', { inputs: { Webhook: { data: { order: [1, 2] } } } })
    const value = result.output('Webhook')
    expect(isData(value) && value.data).toEqual({ order: [1, 2] })
    const inputs = { Webhook: { data: { order: [1, 2] } } }
    const here = await runFlow({ name: 'hooked', data: hooked() } as unknown as FlowJson, {
      components: createRegistry(builtinComponents),
      inputs,
    }).result
    expect(here.output('Webhook')).toMatchObject({ data: { order: [1, 2] } })
  })

  test('FC-20 other answers reject with their status and detail', async () => {
    const { client } = await service()
    await expect(client.run('nobody', { input: 'x' })).rejects.toMatchObject({
      name: 'FlowError',
      code: 'not_found',
      status: 404,
      detail: expect.stringContaining('nobody'),
    })
    await expect(
      client.run('greeting', {
        input: 'x',
        tweaks: [],
        sessionId: 'x'.repeat(900),
      }),
    ).rejects.toMatchObject({ status: 422, code: 'invalid_body' })
    const input = { value: 'x', files: ['a.txt'] }
    await expect(client.run('greeting', { input })).rejects.toThrow('run: input.files is not sent')
    const broken = createFlowClient({
      url: 'http://flows.example',
      fetch: async () => new Response('<html>', { status: 502, statusText: 'Bad Gateway' }),
    })
    await expect(broken.run('a', {})).rejects.toMatchObject({
      status: 502,
      code: 'internal',
      detail: 'Bad Gateway',
    })
  })
})
