import { describe, expect, test } from 'vitest'
import { defineComponent, field, output, type RunOptions } from '@x/flow-engine'
import { languageModel } from '@x/flow-engine/components'
import { createScriptedModel, flowBuilder, type ScriptedReply } from '@x/flow-engine/testing'
import { chatInput } from '../../src/components/built-in/input-output/chat-input.ts'
import { chatOutput } from '../../src/components/built-in/input-output/chat-output.ts'
import { run } from './dependencies.ts'

const SECRET = 'sk-very-secret'

function think(reply: ScriptedReply, options: RunOptions = {}) {
  const secretive = defineComponent({
    type: 'Secretive',
    inputs: { key: field.secret({ loadFromDb: true }) },
    outputs: { out: output.message({ run: ({ key }) => `the key is ${key}` }) },
  })
  const flow = flowBuilder()
  flow.add(secretive, { id: 'Secretive', values: { key: 'KEY' } })
  flow.add(languageModel, { id: 'Model', values: { stream: true } })
  flow.add(chatOutput, { id: 'ChatOutput-1' })
  flow
    .connect('Secretive.out', 'Model.input_value')
    .connect('Model.text_output', 'ChatOutput-1.input_value')
  const models = createScriptedModel([reply])
  return run(flow.toJSON(), {
    more: [secretive, languageModel, chatInput],
    services: { models, variables: { get: async () => SECRET } },
    ...options,
  })
}

describe('what models think', () => {
  const reply = { reasoning: ['I know sk-ve', 'ry-secret, ', 'so'], chunks: ['Hel', 'lo'] }

  test('DO-25: it is sent before the text, with its message id and secrets masked', async () => {
    const { events } = await think(reply, { reasoning: true })
    const shown = events.flatMap(({ event, data }) =>
      event === 'reasoning' || event === 'token' || event === 'add_message'
        ? [{ event, id: data.id, chunk: 'chunk' in data ? data.chunk : '' }]
        : [],
    )
    const thoughts = shown.filter(({ event }) => event === 'reasoning')
    expect(thoughts.map(({ chunk }) => chunk).join('')).toBe('I know *****, so')
    expect(shown.findIndex(({ event }) => event === 'token')).toBeGreaterThan(thoughts.length)
    expect(new Set(shown.map(({ id }) => id)).size).toBe(1)
    expect(JSON.stringify(events.filter(({ event }) => event === 'add_message'))).not.toContain(
      'I know',
    )
  })

  test('DO-25: a run that does not ask sends none', async () => {
    const { events } = await think(reply)
    expect(events.map(({ event }) => event)).not.toContain('reasoning')
    expect(events.map(({ event }) => event)).toContain('token')
  })

  test('DO-16, DO-25: of a model that fails before its text, it is withdrawn', async () => {
    const failing = { reasoning: ['Hm'], fail: new Error('The model is gone') }
    const { events } = await think(failing, { reasoning: true })
    const thought = events.find(({ event }) => event === 'reasoning')
    const gone = events.find(({ event }) => event === 'remove_message')
    expect(gone?.data).toEqual({ id: thought?.event === 'reasoning' ? thought.data.id : '' })
  })
})
