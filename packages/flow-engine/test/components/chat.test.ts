import { describe, expect, test } from 'vitest'
import { chatInput, chatOutput, textInput, textOutput } from '@x/flow-engine/components'
import { createData } from '../../src/graph/values/data.ts'
import { createDataFrame } from '../../src/graph/values/data-frame.ts'
import { createMessage, type Message } from '../../src/graph/values/message.ts'
import { createMemoryServices } from '@x/flow-engine/memory'
import { testComponent, type TestComponentOptions } from '@x/flow-engine/testing'

describe('ChatInput (CO-30)', () => {
  test('CO-30, CO-14: a message has text, sender, context and flow; its own session takes precedence over that of the run', async () => {
    const inputs = { input_value: 'hi', context_id: 'c', session_id: 'own' }
    const given = { inputs, sessionId: 'run', flowId: 'f' }
    expect((await testComponent(chatInput, given)).value).toMatchObject({
      text: 'hi',
      sender: 'User',
      senderName: 'User',
      contextId: 'c',
      sessionId: 'own',
      flowId: 'f',
    })
  })

  test('CO-30: a message that is not stored gets no id', async () => {
    for (const options of [{}, { sessionId: 's', inputs: { should_store_message: false } }]) {
      const { value, events, messages } = await testComponent(chatInput, options)
      expect([(value as Message).id, events, messages]).toEqual([undefined, [], []])
    }
  })
})

describe('ChatOutput (CO-31)', () => {
  const show = async (input_value: unknown, options: TestComponentOptions = {}) => {
    const { inputs, ...rest } = options
    const shown = await testComponent(chatOutput, {
      output: 'message',
      services: createMemoryServices(),
      ...rest,
      inputs: { input_value, ...inputs },
    })
    return { ...shown, message: shown.value as Message }
  }
  const source = (type: string, more: object = {}) => ({
    sources: {
      input_value: [{ vertexId: 'V-1', displayName: 'Shown Name', output: 'o', type, ...more }],
    },
  })

  test('CO-31: its own session takes precedence over that of the message, then over that of the run', async () => {
    const incoming = createMessage({ text: 'x', sessionId: 'message' })
    const run = { sessionId: 'run' }
    const own = { ...run, inputs: { session_id: 'own' } }
    expect((await show(incoming, own)).message.sessionId).toBe('own')
    expect((await show(incoming, run)).message.sessionId).toBe('message')
    expect((await show('x', run)).message.sessionId).toBe('run')
  })

  test('CO-31: a reused message keeps files, id and blocks; sender, context and flow are overwritten', async () => {
    const blocks = [{ title: 'Steps', contents: [] }]
    const incoming = createMessage({
      text: 'x',
      id: 'kept',
      files: ['a.txt'],
      sender: 'User',
      senderName: 'Ann',
      contextId: 'old',
      flowId: 'old',
      properties: { icon: 'Bot' },
      contentBlocks: blocks,
    })
    const { message } = await show(incoming, { flowId: 'f', inputs: { context_id: 'c' } })
    expect(message).toMatchObject({
      id: 'kept',
      files: ['a.txt'],
      contentBlocks: blocks,
      properties: { icon: 'Bot', state: 'complete' },
      sender: 'Machine',
      senderName: 'AI',
      contextId: 'c',
      flowId: 'f',
    })
  })

  test('CO-31: a message of a chat input gets a new message as answer', async () => {
    const incoming = createMessage({ text: 'x', id: 'kept', files: ['a.txt'] })
    const { message } = await show(incoming, source('ChatInput'))
    expect([message.id, message.files, message.text]).toEqual([undefined, [], 'x'])
  })

  test('CO-31: the source is the vertex with its display name and, if it has one, its model', async () => {
    const facts = { id: 'V-1', display_name: 'Shown Name' }
    expect((await show('x', source('TextInput'))).message.properties).toMatchObject({
      source: { ...facts, source: 'Shown Name' },
    })
    expect((await show('x', source('Agent', { model: 'm-1' }))).message.properties).toMatchObject({
      source: { ...facts, source: 'm-1' },
    })
  })

  test('CO-31: list items become lines with cleaned tables; a single table is not cleaned', async () => {
    const frame = createDataFrame([{ a: null }, { a: ' ' }, { a: 'x' }])
    const single = (await show(frame)).message.text
    expect(single).toMatch(/^(\|.+\n){4}\|.+$/)
    const listed = (await show(['one', createMessage('two'), frame])).message.text
    expect(listed).toBe('one\ntwo\n| a   |\n|:----|\n|     |\n| x   |')
    const raw = await show([frame], { inputs: { clean_data: false } })
    expect(raw.message.text).toBe(single)
    expect((await show(createData({ a: 1 }))).message.text).toBe('```json\n{\n  "a": 1\n}\n```')
  })

  test('CO-31: a stream passes through', async () => {
    async function* words() {
      yield 'a'
      yield 'b'
    }
    expect((await show(words())).message.text).toBe('ab')
    expect((await show(createMessage({ text: words() }))).message.text).toBe('ab')
  })

  test('CO-31: a value that cannot be displayed is named in the error', async () => {
    await expect(show(null)).rejects.toThrow('Input data cannot be None')
    await expect(show(7)).rejects.toThrow(
      'Expected Data or DataFrame or Message or str, Generator or None, got int',
    )
    await expect(show(['x', 7])).rejects.toThrow(
      "Expected Data or DataFrame or Message or str, got ['str', 'int']",
    )
  })

  test('CO-31, CO-14: the message is stored in a session unless storing is off', async () => {
    const stored = await show('x', { sessionId: 's' })
    expect(stored.messages).toMatchObject([{ text: 'x', sender: 'Machine', sessionId: 's' }])
    expect(stored.events.map(({ event }) => event)).toEqual(['add_message'])
    const inputs = { should_store_message: false }
    expect((await show('x', { sessionId: 's', inputs })).messages).toEqual([])
    expect((await show('x')).messages).toEqual([])
  })
})

describe('TextInput and TextOutput (CO-32)', () => {
  test.each([textInput, textOutput])(
    'CO-32: $type has no sender and is never stored',
    async (component) => {
      const { value, messages, events } = await testComponent(component, {
        inputs: { input_value: 'x' },
        sessionId: 's',
        services: createMemoryServices(),
      })
      expect(value).toMatchObject({ text: 'x', sender: null, senderName: null })
      expect([messages, events]).toEqual([[], []])
    },
  )
})
