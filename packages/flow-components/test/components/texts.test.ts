import { describe, expect, test } from 'vitest'
import {
  agent,
  chatInput,
  combineText,
  pass,
  textInput,
  textOutput,
} from '@x/flow-engine/components'
import { file, messageToData } from '@x/flow-components'
import type { Component } from '@x/flow-engine'
import { createNode } from '@x/flow-engine'
import type { MessageRecord } from '@x/flow-engine'
import { dataText } from '@x/flow-engine/internal'
import { createData } from '@x/flow-engine'
import { createMessage, type Message } from '@x/flow-engine'
import type { Tool } from '@x/flow-engine'
import { createMemoryServices } from '@x/flow-engine/memory'
import { testComponent } from '@x/flow-engine/testing'

describe('Data (CO-2)', () => {
  test('its text is the value of the text key, else the default', () => {
    const data = createData({ title: 'a', n: 1 }, { textKey: 'title', defaultValue: 'none' })
    expect(dataText(data)).toBe('a')
    expect(dataText(createData({ n: 1 }, { textKey: 'title', defaultValue: 'none' }))).toBe('none')
  })
})

describe('nodes of the editor', () => {
  test('FE-3, FE-4: fields and outputs have the attributes that an editor shows and checks', () => {
    const { template, outputs } = createNode(chatInput).data.node
    expect(template.input_value).toMatchObject({
      type: 'str',
      _input_type: 'MultilineInput',
      name: 'input_value',
      display_name: 'Input Text',
      show: true,
      advanced: false,
    })
    expect(outputs).toMatchObject([
      { name: 'message', method: 'message_response', types: ['Message'], selected: 'Message' },
    ])
  })
})

describe('ChatInput (CO-30)', () => {
  const inputs = { input_value: 'hi', files: ['a.txt', '', null], sender: 'User' }

  test('its message is stored in a session, announced, and returned with its id', async () => {
    const { value, messages, events } = await testComponent(chatInput, {
      inputs: { ...inputs, should_store_message: true },
      output: 'message',
      sessionId: 's1',
      services: createMemoryServices(),
    })
    expect(value).toMatchObject({ text: 'hi', sender: 'User', sessionId: 's1', files: ['a.txt'] })
    expect(messages.map(({ id }: MessageRecord) => id)).toEqual([(value as Message).id])
    expect(events.map(({ event }) => event)).toEqual(['add_message'])
  })

  test('CO-14: without a session, or with storing off, nothing is stored', async () => {
    const alone = await testComponent(chatInput, { inputs, output: 'message' })
    expect(alone.messages).toEqual([])
    const unwanted = { ...inputs, should_store_message: false }
    const quiet = await testComponent(chatInput, { inputs: unwanted, sessionId: 's1' })
    expect([quiet.messages, quiet.events]).toEqual([[], []])
  })

  test('CO-14: its own session takes precedence over that of the run', async () => {
    const { value } = await testComponent(chatInput, {
      inputs: { ...inputs, session_id: 'own' },
      output: 'message',
      sessionId: 'of-the-run',
    })
    expect(value).toMatchObject({ sessionId: 'own' })
  })
})

describe('TextInput and TextOutput (CO-32)', () => {
  test.each([textInput, textOutput])(
    'their text has no sender and is never stored',
    async (component) => {
      const { value, messages } = await testComponent(component, {
        inputs: { input_value: 'plain' },
        output: 'text',
        sessionId: 's1',
      })
      expect(value).toMatchObject({ text: 'plain', sender: null })
      expect(messages).toEqual([])
    },
  )
})

describe('small ones outside the tiers', () => {
  const combined = async (inputs: object): Promise<unknown> =>
    (await testComponent(combineText, { inputs: { ...inputs }, output: 'combined_text' })).value

  test('CO-80: CombineText joins with its delimiter, also an empty text', async () => {
    expect(await combined({ text1: 'a', text2: 'b' })).toMatchObject({ text: 'a b' })
    expect(await combined({ text1: 'a', text2: '', delimiter: '-' })).toMatchObject({ text: 'a-' })
  })

  test('CO-81: Pass returns its first message unchanged', async () => {
    const message = createMessage({ text: 'kept', sender: 'User' })
    const inputs = { input_message: message, ignored_message: createMessage('ignored') }
    const { value } = await testComponent(pass, { inputs, output: 'output_message' })
    expect(value).toMatchObject({ text: 'kept', sender: 'User' })
  })

  test('CO-82: MessagetoData returns all fields; other values are reported', async () => {
    const convert = async (message: unknown) =>
      (await testComponent(messageToData, { inputs: { message }, output: 'data' })).value
    expect(await convert(createMessage({ text: 'x', sender: 'User' }))).toMatchObject({
      data: { text: 'x', sender: 'User' },
    })
    expect(await convert(null)).toMatchObject({
      data: { error: 'Error converting Message to Data: Input must be a Message object' },
    })
  })
})

describe('tool mode of special components (CO-23)', () => {
  const tools = async (component: Component): Promise<Tool[]> =>
    (await testComponent(component, { output: 'component_as_tool' })).value as Tool[]
  const argumentsOf = (tool: Tool | undefined): string[] => {
    const { properties = {} } = (tool?.parameters ?? {}) as { properties?: object }
    return Object.keys(properties)
  }

  test('File offers one tool without arguments, Agent one with a text argument', async () => {
    const [files] = await tools(file)
    expect(files).toMatchObject({ name: 'load_files_message' })
    expect(argumentsOf(files)).toEqual([])
    const [call] = await tools(agent)
    expect(call).toMatchObject({ name: 'Call_Agent' })
    expect(argumentsOf(call)).toEqual(['input_value'])
  })
})
