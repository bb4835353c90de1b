import { expect, test } from 'vitest'
import { chatOutput } from '@x/flow-engine/components'
import { defineComponent } from '../../src/components/define/define.ts'
import { field } from '../../src/components/define/field.ts'
import { output } from '../../src/components/define/output.ts'
import { createRegistry, runFlow } from '@x/flow-engine'
import { flowBuilder, testComponent } from '@x/flow-engine/testing'

const silent = defineComponent({
  type: 'Silent',
  inputs: { text: field.text({}) },
  outputs: {
    text: output.message({ run: () => '' }),
    any: output.any({ types: ['Message'], run: () => '' }),
  },
})

test('CO-31: an empty text is an answer, also if it is a plain string', async () => {
  const { value } = await testComponent(chatOutput, {
    output: 'message',
    inputs: { input_value: '' },
  })
  expect(value).toMatchObject({ text: '' })
})

test.each(['text', 'any'])(
  'FE-24: an empty text over an edge counts as given: %s',
  async (name) => {
    const flow = flowBuilder()
    const source = flow.add(silent)
    flow.connect(`${source}.${name}`, `${flow.add(chatOutput)}.input_value`)
    const run = runFlow(flow.toJSON(), { components: createRegistry([silent, chatOutput]) })
    expect((await run.result).text()).toBe('')
  },
)
