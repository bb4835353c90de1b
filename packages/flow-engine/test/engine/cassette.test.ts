import { describe, expect, test } from 'vitest'
import type { ChatChunk, ChatModel, ChatRequest } from '@x/flow-engine'
import { createCassette, createScriptedModel, type TapeJson } from '@x/flow-engine/testing'

const { signal } = new AbortController()
const asking = (text: string, more: Partial<ChatRequest> = {}): ChatRequest => ({
  messages: [{ role: 'user', content: text }],
  signal,
  ...more,
})

async function chunks(model: ChatModel, request: ChatRequest): Promise<ChatChunk[]> {
  const all: ChatChunk[] = []
  for await (const chunk of model.stream(request)) all.push(chunk)
  return all
}

/** A tape as it comes back from a file. */
const stored = (cassette: { toJSON(): TapeJson }): TapeJson =>
  JSON.parse(JSON.stringify(cassette)) as TapeJson

describe('cassettes', () => {
  test('DR-85: a recording is played back chunk by chunk without a request', async () => {
    const real = createScriptedModel([
      { chunks: ['a', 'b'], usage: { inputTokens: 1, outputTokens: 2 } },
      { toolCalls: [{ name: 'look', args: { at: 'sky' } }] },
    ])
    const recording = createCassette({ mode: 'record' })
    const first = await chunks(recording.model(real), asking('one'))
    const second = await chunks(recording.model(real), asking('two'))
    const playing = createCassette({ tape: stored(recording) })
    const model = playing.model()
    expect(await chunks(model, asking('two'))).toEqual(second)
    expect(playing.unused()).toHaveLength(1)
    expect(await chunks(model, asking('one'))).toEqual(first)
    expect(playing.unused()).toEqual([])
    expect(real.requests).toHaveLength(2)
  })

  test('DR-85: requests are matched by content, not by ids, signals or the order of keys', async () => {
    const turn = (id: string): ChatRequest['messages'] => [
      { role: 'assistant', content: '', toolCalls: [{ id, name: 'look', args: { b: 1, a: 2 } }] },
      { role: 'tool', toolCallId: id, name: 'look', content: 'blue' },
    ]
    const recording = createCassette({ mode: 'record' })
    await chunks(recording.model(createScriptedModel(['ok'])), {
      messages: turn('call_1'),
      temperature: 1,
      model: 'm',
      signal,
    })
    const other = new AbortController().signal
    const tape = stored(recording)
    const again = { signal: other, model: 'm', temperature: 1, messages: turn('call_2') }
    expect(await chunks(createCassette({ tape }).model(), again)).toMatchObject([
      { text: 'ok' },
      { finish: 'stop' },
    ])
    await expect(
      chunks(createCassette({ tape }).model(), { ...again, temperature: 0 }),
    ).rejects.toMatchObject({ code: 'cassette_miss' })
  })

  test('DR-85: equal requests are answered in the order they were recorded', async () => {
    const recording = createCassette({ mode: 'record' })
    const real = recording.model(createScriptedModel(['first', 'second']))
    await chunks(real, asking('same'))
    await chunks(real, asking('same'))
    const model = createCassette({ tape: stored(recording) }).model()
    const texts = [await chunks(model, asking('same')), await chunks(model, asking('same'))]
    expect(texts.map(([chunk]) => chunk)).toEqual([{ text: 'first' }, { text: 'second' }])
    await expect(chunks(model, asking('same'))).rejects.toMatchObject({ code: 'cassette_miss' })
  })

  test('DR-85: the error for an unknown request names the first message that differs from the nearest entry', async () => {
    const recording = createCassette({ mode: 'record' })
    const messages = (last: string): ChatRequest['messages'] => [
      { role: 'system', content: 'Be kind' },
      { role: 'user', content: last },
    ]
    const model = recording.model(createScriptedModel(['x', 'y']))
    await chunks(model, asking('far away'))
    await chunks(model, { messages: messages('Hello'), signal })
    const playing = createCassette({ tape: stored(recording) }).model()
    await expect(chunks(playing, { messages: messages('Hullo'), signal })).rejects.toMatchObject({
      code: 'cassette_miss',
      detail: expect.stringMatching(/Part 2 .*Hullo.*Hello/),
    })
  })

  test('DR-85: failures are recorded and played back; auto mode records unknown requests', async () => {
    const recording = createCassette({ mode: 'auto' })
    const real = createScriptedModel([
      { chunks: ['a', 'b'], fail: new Error('overloaded'), failAfterChunks: 1 },
      'fine',
    ])
    const model = recording.model(real)
    await expect(chunks(model, asking('one'))).rejects.toThrow('overloaded')
    const next = createCassette({ mode: 'auto', tape: stored(recording) })
    await expect(chunks(next.model(real), asking('one'))).rejects.toThrow('overloaded')
    expect(await chunks(next.model(real), asking('two'))).toMatchObject([{ text: 'fine' }, {}])
    expect(real.requests).toHaveLength(2)
    expect(stored(next).entries).toHaveLength(2)
  })

  test('DR-85, DR-86: vectors and HTTP answers are recorded without any secret of a request or an answer', async () => {
    const recording = createCassette({ mode: 'record', secrets: ['s3cr"et'] })
    const asked: string[] = []
    const real: typeof fetch = async (input) => {
      asked.push(typeof input === 'string' ? input : '')
      return new Response('{"page":"s3cr\\"et"}', {
        status: 201,
        headers: { 'content-type': 'application/json', 'set-cookie': 'session=hidden' },
      })
    }
    const url = 'https://host.example/a?key=hidden&b=2&access_token=hidden'
    const init = { method: 'POST', body: 'question', headers: { authorization: 'Bearer hidden' } }
    await recording.fetch(real)(url, init)
    const embedder = { embed: async () => [[1, 2]] }
    await recording.embedder(embedder).embed(['a'])
    const tape = stored(recording)
    const text = JSON.stringify(tape)
    for (const hidden of ['hidden', 'Bearer', 's3cr']) expect(text).not.toContain(hidden)
    expect(asked[0]).toContain('key=hidden')

    const playing = createCassette({ tape })
    const answer = await playing.fetch()(url.replaceAll('hidden', 'another'), init)
    expect([answer.status, await answer.text()]).toEqual([201, '{"page":"*****"}'])
    expect(await playing.embedder().embed(['a'])).toEqual([[1, 2]])
    await expect(playing.embedder().embed(['b'])).rejects.toMatchObject({ code: 'cassette_miss' })
    await expect(playing.fetch()(url, { ...init, body: 'other' })).rejects.toMatchObject({
      code: 'cassette_miss',
    })
  })

  test('DR-86: a body over 1 MiB is refused; bytes are preserved', async () => {
    const recording = createCassette({ mode: 'record' })
    const bytes = Uint8Array.of(0, 255, 128)
    const send = recording.fetch(async () => new Response(bytes))
    await expect(
      send('https://host.example', { method: 'POST', body: 'x'.repeat(1024 * 1024 + 1) }),
    ).rejects.toMatchObject({ code: 'limit_exceeded' })
    await send('https://host.example/bytes')
    const answer = await createCassette({ tape: stored(recording) }).fetch()(
      'https://host.example/bytes',
    )
    expect(new Uint8Array(await answer.arrayBuffer())).toEqual(bytes)
  })

  test('DR-85: a tape of another version is refused, and recording needs a real backend', async () => {
    expect(() => createCassette({ tape: { version: 2 } as never })).toThrow('version 1')
    await expect(
      chunks(createCassette({ mode: 'record' }).model(), asking('x')),
    ).rejects.toMatchObject({
      code: 'invalid_request',
    })
  })
})
