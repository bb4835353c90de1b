import { afterEach, describe, expect, test } from 'vitest'
import { builtinComponents } from '@x/flow-components'
import { defineComponent } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { createRegistry } from '@x/flow-engine'
import type { FlowService, ResponseCreated, ResponseFinished } from '@x/flow-service'
import type { FlowEngineOptions } from '../src/options.ts'
import { flowBuilder } from '@x/flow-engine/testing'
import { createTestEngine } from '@x/test-kit'

const engines: FlowService[] = []
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()))
})

/** Fails when it is told to, waits when it is told to, else repeats. */
const moody = defineComponent({
  type: 'Moody',
  inputs: { text: field.message({}) },
  outputs: {
    result: output.message({
      async run({ text }, ctx) {
        if (text?.text === 'fail') throw new Error('in a bad mood')
        if (text?.text === 'wait') await ctx.runtime.sleep(60_000, ctx.signal)
        return `${typeof text?.text === 'string' ? text.text : ''} with ${text?.files.length ?? 0} files`
      },
    }),
  },
})

async function service(options: Partial<FlowEngineOptions> = {}) {
  const components = createRegistry([...builtinComponents, moody])
  const engine = await createTestEngine({ components, ...options })
  engines.push(engine)
  const user = { userId: engine.adminId, isSuperuser: true }
  const post = async (path: string, body: object) => {
    const request = new Request(`http://host${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const answer = await engine.handler(request, { user })
    return { status: answer.status, text: await answer.text() }
  }
  const flow = flowBuilder('moody')
  const input = flow.add('ChatInput')
  const middle = flow.add(moody)
  const answer = flow.add('ChatOutput')
  flow.connect(`${input}.message`, `${middle}.text`)
  flow.connect(`${middle}.result`, `${answer}.input_value`)
  const given = { name: 'moody', data: flow.toJSON().data, endpoint_name: 'moody' }
  const { id: flowId } = JSON.parse((await post('/api/v1/flows/', given)).text) as { id: string }
  const ask = (said: unknown, more: object = {}) =>
    post('/api/openai/v1/responses', { model: 'moody', input: said, ...more })
  return { engine, post, ask, flowId }
}

describe('options of the OpenAI interface', () => {
  test('RS-50 a run over the time limit is 504 for responses and chats, and an error event when streamed', async () => {
    const { ask, post } = await service({ openai: { timeoutMs: 50 } })
    const message = 'The run took longer than 0.05 seconds.'
    const late = { message, type: 'server_error', param: null, code: 'flow_timeout' }
    const answer = await ask('wait')
    expect([answer.status, JSON.parse(answer.text)]).toEqual([504, { error: late }])
    expect((await ask('wait', { stream: true })).text).toContain(message)
    const messages = [{ role: 'user', content: 'wait' }]
    const chat = await post('/api/openai/v1/chat/completions', { model: 'moody', messages })
    expect([chat.status, JSON.parse(chat.text)]).toEqual([504, { error: late }])
  })

  test.each([
    [{ timeoutMs: 0 }, 'openai.timeoutMs'],
    [{ maxRuns: 1.5 }, 'openai.maxRuns'],
    [{ fetchUrls: 'yes' }, 'openai.fetchUrls'],
    [{ retries: 3 }, 'openai.retries'],
  ])('RS-50 %j is refused at start, naming the option', async (openai, name) => {
    const options = { openai } as unknown as FlowEngineOptions
    await expect(service(options)).rejects.toThrow(name)
  })

  const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10)
  const image = (url: string) => [
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'See' },
        { type: 'input_image', image_url: url },
      ],
    },
  ]
  /** The fetch of the host: one address has an image, another hangs, one has something else. */
  const asked: string[] = []
  const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const { pathname } = new URL(input instanceof Request ? input.url : input)
    asked.push(pathname)
    if (pathname === '/none.png') return new Response('no', { status: 404 })
    if (pathname === '/page.png') return new Response('<html>')
    if (pathname === '/large.png') return new Response(new Uint8Array(21 * 1024 * 1024))
    init?.signal?.throwIfAborted()
    return new Response(PNG)
  }

  test('RS-22 RS-50 image URLs are refused unless the host enables fetching', async () => {
    const refused = await service({ services: { fetch } })
    const answer = await refused.ask(image('https://pictures.test/cat.png'))
    expect([answer.status, answer.text]).toEqual([
      400,
      expect.stringContaining('input[0].content[1]'),
    ])
    expect(asked).toEqual([])
    const { ask } = await service({ services: { fetch }, openai: { fetchUrls: true } })
    expect((await ask(image('https://pictures.test/cat.png'))).text).toContain('See with 1 files')
    for (const path of ['none.png', 'page.png', 'large.png']) {
      const bad = await ask(image(`https://pictures.test/${path}`))
      expect([bad.status, JSON.parse(bad.text)]).toMatchObject([
        400,
        { error: { param: 'input[0].content[1]' } },
      ])
    }
    expect((await ask(image('https://pictures.test/../..'))).status).toBe(200)
  })

  test('RS-22 RS-50 the guarded fetch refuses private addresses', async () => {
    const { ask } = await service({ openai: { fetchUrls: true } })
    for (const url of ['http://127.0.0.1:1/x.png', 'http://169.254.169.254/x.png']) {
      const answer = await ask(image(url))
      expect([answer.status, JSON.parse(answer.text)]).toMatchObject([
        400,
        { error: { param: 'input[0].content[1]' } },
      ])
    }
    expect((await ask(image('ftp://host/x.png'))).status).toBe(400)
  })
})

describe('limits on inputs', () => {
  const content = (parts: unknown) => [{ role: 'user', content: parts }]
  const part = { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' }
  const big = `data:image/png;base64,${'A'.repeat(29_000_000)}`
  const cases: [string, object, number, string | null][] = [
    [
      '21 files',
      { input: content(Array.from({ length: 21 }, () => part)) },
      400,
      'input[0].content[20]',
    ],
    [
      'a file over 20 MB',
      { input: content([{ ...part, image_url: big }]) },
      400,
      'input[0].content[0]',
    ],
    [
      '10,001 items',
      { input: Array.from({ length: 10_001 }, () => ({ role: 'user', content: 'x' })) },
      400,
      'input',
    ],
    [
      '17 pairs',
      { input: 'x', metadata: Object.fromEntries(Array.from({ length: 17 }, (_, n) => [n, 'x'])) },
      400,
      'metadata',
    ],
    ['a key of 65', { input: 'x', metadata: { ['k'.repeat(65)]: 'x' } }, 400, 'metadata'],
    ['a value of 513', { input: 'x', metadata: { k: 'x'.repeat(513) } }, 400, 'metadata'],
    ['a body over 32 MB', { input: 'x'.repeat(33 * 1024 * 1024) }, 413, null],
  ]
  test.each(cases)('RS-21 RS-22 %s', async (_, body, status, param) => {
    const { post } = await service()
    const answer = await post('/api/openai/v1/responses', { model: 'moody', ...body })
    const { error } = JSON.parse(answer.text) as { error: object }
    expect([answer.status, error]).toMatchObject([status, { type: 'invalid_request_error', param }])
  })
})

describe('RS-51 events', () => {
  test('RS-51 events name the interface and the status of each run, and contain no text', async () => {
    const { engine, ask, post, flowId } = await service()
    const created: ResponseCreated[] = []
    const finished: ResponseFinished[] = []
    engine.events.on('response.created', (event) => void created.push(event))
    engine.events.on('response.finished', (event) => void finished.push(event))
    const { id } = JSON.parse((await ask('hello')).text) as { id: string }
    await ask('fail', { stream: true })
    await post('/api/v1/responses', { model: 'moody', input: 'hello' })
    const messages = [{ role: 'user', content: 'fail' }]
    await post('/api/openai/v1/chat/completions', { model: 'moody', messages })
    await ask('hello', { background: true })
    await expect.poll(() => finished.length).toBe(5)
    const whose = { userId: finished[0]?.userId, flowId, at: expect.any(Date) }
    expect(created[0]).toEqual({ type: 'response.created', ...whose, id, profile: 'openai' })
    const numbers = { durationMs: expect.any(Number), inputTokens: 0, outputTokens: 0 }
    expect(finished[0]).toEqual({
      ...created[0],
      ...numbers,
      type: 'response.finished',
      at: expect.any(Date),
      status: 'completed',
    })
    expect(finished.map(({ profile, status }) => [profile, status])).toEqual([
      ['openai', 'completed'],
      ['openai', 'failed'],
      ['compatible', 'completed'],
      ['chat', 'failed'],
      ['openai', 'completed'],
    ])
    expect(JSON.stringify([created, finished])).not.toMatch(/hello|fail"|mood/)
  })
})
