import { LangflowClient, type LangflowClientOptions } from '@datastax/langflow-client'
import { InputTypes, OutputTypes } from '@datastax/langflow-client/consts'
import { LangflowError, LangflowRequestError } from '@datastax/langflow-client/errors'
import type { StreamEvent } from '@datastax/langflow-client/flow'
import type { FakeOpenAi } from '@x/flow-engine/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFlow, graphOf } from './flows.ts'
import { failed, startChatService } from './model-service.ts'
import { newPerson } from './people.ts'
import type { Service } from './service.ts'

let service: Service
let model: FakeOpenAi
let parrot: string
let end: () => Promise<void>

beforeAll(async () => {
  ;({ service, model, parrot, end } = await startChatService())
})
afterAll(() => end())

/** The published client with nothing changed but address and key. */
const client = (options: LangflowClientOptions = {}): LangflowClient =>
  new LangflowClient({ baseUrl: service.url, apiKey: service.key, ...options })

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
)

async function eventsOf(stream: ReadableStream<StreamEvent>): Promise<StreamEvent[]> {
  const events: StreamEvent[] = []
  for await (const event of stream) events.push(event)
  return events
}

describe('@datastax/langflow-client', () => {
  test('runs a flow by id and by endpoint name, in the session that it names', async () => {
    const byId = await client().flow(parrot).run('Polly')
    expect(byId.chatOutputText()).toBe('Polly')
    const byName = await client().flow('parrot').run('Polly again', {
      session_id: 'of-the-client',
      input_type: InputTypes.CHAT,
      output_type: OutputTypes.CHAT,
    })
    expect(byName.sessionId).toBe('of-the-client')
    expect(byName.chatOutputText()).toBe('Polly again')
    const stored = await service.call('GET', '/api/v1/monitor/messages?session_id=of-the-client')
    const texts = (stored.json() as { text: string }[]).map(({ text }) => text)
    expect(texts).toEqual(['Polly again', 'Polly again'])
  })

  test('runs a flow with text output, with tweaks of the flow and of the call', async () => {
    const { id } = await createFlow(service, {
      name: 'Text',
      data: graphOf((flow) => {
        const prompt = flow.add('Prompt Template', {
          id: 'Prompt-a',
          values: { template: 'plain' },
        })
        flow.connect(`${prompt}.prompt`, `${flow.add('TextOutput')}.input_value`)
      }),
    })
    const text = { input_type: InputTypes.TEXT, output_type: OutputTypes.TEXT }
    const flow = client().flow(id)
    expect(JSON.stringify((await flow.run('', text)).outputs)).toContain('"plain"')
    const tweaked = await flow.tweak('Prompt-a', { template: 'tweaked' }).run('', text)
    expect(JSON.stringify(tweaked.outputs)).toContain('"tweaked"')
    const tweaks = { 'Prompt-a': { template: 'of the call' } }
    const called = await flow.run('', { ...text, output_type: OutputTypes.DEBUG, tweaks })
    expect(JSON.stringify(called.outputs)).toContain('"of the call"')
  })

  test('streams messages, tokens and the whole answer', async () => {
    model.reply({ chunks: ['One', ' two', ' three'] })
    const events = await eventsOf(await client().flow('chat').stream('Count'))
    const tokens = events.flatMap((event) => (event.event === 'token' ? [event.data.chunk] : []))
    expect(tokens.join('')).toBe('One two three')
    const messages = events.flatMap(({ event, data }) =>
      event === 'add_message' ? [[data.sender, data.text]] : [],
    )
    expect(messages).toContainEqual(['User', 'Count'])
    expect(messages.at(-1)).toEqual(['Machine', 'One two three'])
    const last = events.at(-1)
    expect(last?.event === 'end' && JSON.stringify(last.data.result.outputs)).toContain(
      'One two three',
    )
  })

  test('an aborted stream ends with AbortError', async () => {
    const controller = new AbortController()
    const stream = await client().flow('parrot').stream('x', { signal: controller.signal })
    controller.abort()
    expect(await failed(eventsOf(stream))).toMatchObject({ name: 'AbortError' })
    const before = client().flow('parrot').run('x', { signal: AbortSignal.abort() })
    expect(await failed(before)).toMatchObject({ name: 'AbortError' })
  })

  test('uploads an image to a flow and passes it to the chat input of a run', async () => {
    const flow = client().flow(parrot)
    const image = new File([PIXEL], 'dot.png', { type: 'image/png' })
    const stored = (await service.call('GET', `/api/v1/flows/${parrot}`)).json() as {
      data: { nodes: { id: string }[] }
    }
    const input = stored.data.nodes
      .map((node) => node.id)
      .find((node) => node.startsWith('ChatInput'))
    const { flowId, filePath } = await flow.uploadFile(image)
    expect(flowId).toBe(parrot)
    expect(filePath).toMatch(new RegExp(`^${parrot}/.*dot\\.png$`))
    const options = { session_id: 'with-image' }
    await flow.tweak(input ?? '', { files: filePath }).run('What is it?', options)
    const messages = await service.call('GET', '/api/v1/monitor/messages?session_id=with-image')
    const [message] = messages.json() as { text: string; files: string[] }[]
    expect(message).toMatchObject({ text: 'What is it?', files: [filePath] })
  })

  test('uploads a file of the user, lists it and runs a flow that reads it', async () => {
    const notes = new File(['The tide is at noon.'], 'notes.txt', { type: 'text/plain' })
    const uploaded = await client().files.upload(notes)
    expect(uploaded).toMatchObject({ name: 'notes', size: 20 })
    const listed = await client().files.list()
    expect(listed.map(({ id, path }) => [id, path])).toContainEqual([uploaded.id, uploaded.path])
    expect(listed[0]?.created_at?.getTime()).not.toBeNaN()
    const { id } = await createFlow(service, {
      name: 'Reader',
      data: graphOf((flow) => {
        const file = flow.add('File', { id: 'File-a' })
        flow.connect(`${file}.message`, `${flow.add('ChatOutput')}.input_value`)
      }),
    })
    const flow = client().flow(id).tweak('File-a', { path: uploaded.path })
    expect((await flow.run('')).chatOutputText()).toContain('The tide is at noon.')
  })

  test('logs are refused without a key, which the client does not send, and not implemented with one', async () => {
    const { logs } = client()
    const attempts = [
      () => logs.fetch(),
      () => logs.fetch({ lines_before: 5 }),
      () => logs.stream(),
    ]
    for (const attempt of attempts) {
      const error = await failed(attempt())
      expect(error).toBeInstanceOf(LangflowError)
      expect(error).toMatchObject({ message: '403 - Forbidden' })
    }
    expect((await service.call('GET', '/logs')).status).toBe(501)
  })

  test('service errors have their status; an unreachable service is a request error', async () => {
    const bob = await newPerson(service, 'bob')
    const attempts: readonly [() => Promise<unknown>, number][] = [
      [() => client({ apiKey: 'sk-wrong' }).flow('parrot').run('x'), 403],
      [() => client().flow('nothing').run('x'), 404],
      [() => client({ apiKey: bob.key }).flow(parrot).run('x'), 403],
      [() => client({ apiKey: 'sk-wrong' }).files.list(), 403],
      [
        () =>
          client({ apiKey: bob.key })
            .flow(parrot)
            .uploadFile(new Blob(['x'])),
        404,
      ],
    ]
    for (const [attempt, status] of attempts) {
      const error = await failed(attempt())
      expect(error).toBeInstanceOf(LangflowError)
      expect(error).toMatchObject({ cause: { status } })
    }
    expect(
      await failed(client({ baseUrl: 'http://127.0.0.1:1' }).flow('x').run('x')),
    ).toBeInstanceOf(LangflowRequestError)
  })
})
