import { expect, test } from 'vitest'
import { calculator, toolCallingAgent } from '@x/flow-engine/components'
import { createData, createRegistry } from '@x/flow-engine'
import { createScriptedModel, testComponent } from '@x/flow-engine/testing'
import { isMessage } from '../../src/graph/values/message.ts'

test('FF-83: the older agent calls its tools with prompt, history and question', async () => {
  const { value: tools } = await testComponent(calculator, { output: 'component_as_tool' })
  const name = (tools as { name: string }[])[0]?.name ?? ''
  const model = createScriptedModel([
    { toolCalls: [{ name, args: { expression: '6*7' } }] },
    { text: 'It is 42.' },
  ])
  const { value } = await testComponent(toolCallingAgent, {
    output: 'response',
    inputs: {
      llm: model,
      tools,
      system_prompt: 'Be short.',
      user_prompt: 'Please: {input}',
      input_value: '6*7?',
      chat_history: [
        createData({ text: 'Hi', sender: 'User' }),
        createData({ text: 'Hello', sender: 'Machine' }),
        createData({ text: '' }),
      ],
    },
  })
  expect(isMessage(value) && value.text).toBe('It is 42.')
  expect(model.requests[0]?.messages).toEqual([
    { role: 'system', content: 'Be short.' },
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Hello' },
    { role: 'user', content: 'Please: 6*7?' },
  ])
  expect(model.requests[1]?.messages.at(-1)).toMatchObject({
    role: 'tool',
    content: expect.stringContaining('42'),
  })
})

test('FF-83: the agents of OpenAI tools and XML are the same component', () => {
  const components = createRegistry([toolCallingAgent])
  for (const type of [
    'ToolCallingAgent',
    'OpenAIToolsAgent',
    'XMLAgent',
    'ToolCallingAgentComponent',
  ])
    expect(components.resolve({ id: 'a', data: { type, node: {} } } as never)?.type).toBe(
      'ToolCallingAgent',
    )
})
