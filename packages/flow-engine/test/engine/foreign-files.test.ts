import { expect, test } from 'vitest'
import { checkFlow, createRegistry, defineComponent, field, output, runFlow } from '@x/flow-engine'
import { chatInput, chatOutput, textInput } from '@x/flow-engine/components'
import { flowBuilder } from '@x/flow-engine/testing'

const azure = defineComponent({
  type: 'AzureOpenAIModel',
  displayName: 'Azure',
  inputs: { azure_endpoint: field.text({ displayName: 'Azure Endpoint' }) },
  outputs: { out: output.message({ run: ({ azure_endpoint: address }) => address }) },
})
const components = createRegistry([textInput, chatInput, chatOutput, azure])

test('FF-92: a type with an id in brackets is the one before the brackets, and odd names are kept', async () => {
  const names = ['Text', 'text', ' text ', 'te\u0301xt', 'téxt', '\u202Etxet', '🚢']
  const flow = flowBuilder()
  for (const [index, displayName] of names.entries())
    flow.add(textInput, {
      id: `TextInput-${index}`,
      displayName,
      values: { input_value: displayName },
    })
  const json = flow.toJSON()
  for (const node of json.data?.nodes ?? []) node.data.type = 'TextInput (szU1S)'
  expect(checkFlow(json, { components })).toEqual([])
  const { vertices } = await runFlow(json, { components, outputType: 'debug' }).result
  expect([...vertices.values()].map(({ displayName }) => displayName)).toEqual(names)
})

test('FF-91: an input that no event can carry is refused before anything runs', async () => {
  const flow = flowBuilder()
  flow.add(chatInput, { id: 'ChatInput-1' })
  const limits = { eventBytes: 1024 * 1024 }
  const run = runFlow(flow.toJSON(), { components, limits, input: 'x'.repeat(1024 * 1024) })
  await expect(run.result).rejects.toEqual(
    expect.objectContaining({ status: 413, detail: 'input_value is larger than 1 MB.' }),
  )
})

test('FF-64: an address that is no URL is named by its field', async () => {
  const flow = flowBuilder()
  flow.add(azure, { id: 'Azure-1', values: { azure_endpoint: 'my resource' } })
  const { error } = await runFlow(flow.toJSON(), { components, outputType: 'debug' }).result
  expect(error?.detail).toContain('Azure Endpoint is not a valid URL')
})
