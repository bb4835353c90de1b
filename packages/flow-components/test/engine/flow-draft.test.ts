import { describe, expect, expectTypeOf, test } from 'vitest'
import { chatInput, chatOutput, humanInput, loop, promptTemplate } from '@x/flow-engine/components'
import { splitText } from '@x/flow-components'
import {
  checkFlow,
  compileFlow,
  createFlow,
  createRegistry,
  defineComponent,
  field,
  output,
  runFlow,
  toText,
  type FlowJson,
  type InputRef,
  type LoopRef,
  type Message,
  type OutputRef,
} from '@x/flow-engine'
import { createBuildJobs } from '@x/flow-engine'
import { createMemoryJobStore } from '@x/flow-engine/memory'
import { evaluateFlow, exactMatch, flowBuilder } from '@x/flow-engine/testing'

const shout = defineComponent({
  type: 'Shout',
  inputs: { text: field.message({ required: true }), times: field.int({ default: 1 }) },
  outputs: {
    result: output.message({ run: ({ text, times }) => toText(text).toUpperCase().repeat(times) }),
    facts: output.data({ run: ({ times }) => ({ times }) }),
  },
})

/** Without the places of nodes and the fields of prompts, which only `createFlow` fills in as the editor does. */
function bare(flow: FlowJson): unknown {
  const left = new Set(['custom_fields', 'position', 'name', 'a'])
  return JSON.parse(
    JSON.stringify(flow, (key, value: unknown) => (left.has(key) ? undefined : value)),
  )
}

function shouting() {
  const flow = createFlow('shout')
  const input = flow.add(chatInput)
  const shouts = flow.add(shout, { values: { times: 2 } })
  const answer = flow.add(chatOutput)
  flow
    .connect(input.outputs.message, shouts.inputs.text)
    .connect(shouts.outputs.result, answer.inputs.input_value)
  return { flow, input, shouts, answer }
}

describe('DR-78: flows built in code', () => {
  test('DR-78: a draft runs with its own components, and its outputs have their types', async () => {
    const { flow, shouts } = shouting()
    const result = await runFlow(flow, { input: 'hi', keep: ['Shout'] }).result
    expect(result.status).toBe('succeeded')
    const value = result.output(shouts.outputs.result)
    expectTypeOf(value).toEqualTypeOf<Message | null | undefined>()
    expect(value?.text).toBe('HIHI')
    expect(result.output(shouts.outputs.facts)).toBeUndefined()
  })

  test('DR-78: references have the value and the value types of their component', () => {
    const { shouts } = shouting()
    expectTypeOf(shouts.outputs.result).toEqualTypeOf<OutputRef<Message | null, 'Message'>>()
    expectTypeOf(shouts.inputs.text).toEqualTypeOf<InputRef<'Message'>>()
    expect(shouts.outputs.result).toEqual({ vertexId: 'Shout-00001', name: 'result' })
    expect(shouts.inputs.text).toEqual({ vertexId: 'Shout-00001', field: 'text' })
  })

  test('DR-78: the JSON equals that of flowBuilder, byte for byte', () => {
    const { flow } = shouting()
    const built = flowBuilder('shout')
    const input = built.add(chatInput)
    const shouts = built.add(shout, { values: { times: 2 } })
    const answer = built.add(chatOutput)
    built.connect(`${input}.message`, `${shouts}.text`)
    built.connect(`${shouts}.result`, `${answer}.input_value`)
    expect(JSON.stringify(flow)).toBe(JSON.stringify(built.toJSON()))
  })

  test('DR-78: the JSON also equals it with options: ids, names, frozen, tool mode, fields of a prompt, loops', () => {
    const flow = createFlow()
    const prompt = flow.add(promptTemplate, {
      id: 'P-1',
      values: { template: 'Hi {name}' },
      fields: { name: 'Ada' },
      displayName: 'Greeting',
      frozen: true,
    })
    const each = flow.add(loop)
    const tool = flow.add(shout, { toolMode: true })
    flow.connect(flow.add(splitText).outputs.dataframe, each.inputs.data)
    flow.connect(prompt.outputs.prompt, each.outputs.item)
    flow.connect(prompt.outputs.prompt, flow.add(promptTemplate, { fields: { a: '' } }).input('a'))

    const built = flowBuilder()
    built.add(promptTemplate, {
      id: 'P-1',
      values: { template: 'Hi {name}', name: 'Ada' },
      displayName: 'Greeting',
      frozen: true,
    })
    const again = built.add(loop)
    built.add(shout, { toolMode: true })
    built.connect(`${built.add(splitText)}.dataframe`, `${again}.data`)
    built.connect('P-1.prompt', `${again}.item`)
    built.connect('P-1.prompt', `${built.add(promptTemplate, { values: { a: '' } })}.a`)
    const made = JSON.parse(JSON.stringify(flow)) as FlowJson
    const greeting = made.data?.nodes?.find(({ id }) => id === 'P-1')?.data.node
    // As in the editor, the variables of a prompt are known as fields of its own.
    expect(greeting?.custom_fields).toEqual({ template: ['name'] })
    expect(greeting?.template['name']).toMatchObject({ type: 'str', show: true, value: 'Ada' })
    expect(bare(made)).toEqual(bare(built.toJSON()))
    expect(Object.keys(tool.outputs)).toContain('component_as_tool')
  })

  test('DR-78: compileFlow and checkFlow accept a draft, with other components or alone', () => {
    const { flow } = shouting()
    expect(compileFlow(flow).vertexIds).toEqual([
      'ChatInput-00001',
      'Shout-00001',
      'ChatOutput-00001',
    ])
    expect(checkFlow(flow)).toEqual([])
    expect(checkFlow(flow, { components: createRegistry([chatInput]) })).toEqual([])
    const second = createFlow()
    second.add(chatInput)
    second.add(chatInput)
    expect(checkFlow(second)).toMatchObject([{ code: 'several_chat_inputs' }])
  })

  test('DR-78: a job keeps a snapshot of the draft and its components, also across a question', async () => {
    const flow = createFlow()
    const asks = defineComponent({
      type: 'Asks',
      suspends: true,
      inputs: { text: field.message({ required: true }) },
      outputs: { said: output.message({ run: (_, ctx) => ctx.suspend<string>('and?') }) },
    })
    const said = flow.add(asks)
    flow
      .connect(flow.add(chatInput).outputs.message, said.inputs.text)
      .connect(said.outputs.said, flow.add(chatOutput).inputs.input_value)
    const jobs = createBuildJobs({ store: createMemoryJobStore() })
    const { id } = await jobs.start({ flow, input: 'hi', resumable: true })
    flow.add(chatInput)
    await expect.poll(() => jobs.get(id)).toMatchObject({ state: 'suspended' })
    await jobs.resume(id, 'yes')
    expect((await jobs.result(id)).text()).toBe('yes')
    await jobs.close()
  })

  test('DR-78: evaluateFlow accepts a draft', async () => {
    const { flow } = shouting()
    const examples = [{ input: 'a', expected: 'AA' }]
    const evaluation = await evaluateFlow(flow, examples, { exact: exactMatch() })
    expect(evaluation.passed).toBe(true)
  })

  test('DR-78: outputs that depend on values are found by name', () => {
    const flow = createFlow()
    const asks = flow.add(humanInput, { values: { decisions: ['Send', 'Drop it'] } })
    flow.connect(asks.output('branch_drop_it'), flow.add(chatOutput).inputs.input_value)
    expect(() => asks.output('branch_approve')).toThrow(
      'The node HumanInput-00001 has no output branch_approve',
    )
  })

  test.each([
    [
      'a value type that does not fit',
      'Shout-00001.facts provides Data; Shout-00001.text accepts Message',
    ],
    ['a field without a handle', 'ChatInput-00001.input_value accepts no edge'],
    ['an output of a node that is not a loop', 'An edge must not lead back to Shout-00001.facts'],
    ['an output that the node lacks', 'The node Shout-00001 has no output other'],
    ['a field that the node lacks', 'The node Shout-00001 has no field other'],
    ['a node of another draft', 'The flow shout has no node Other-1'],
  ])('DR-78: connect refuses %s as invalid_request', (name, message) => {
    const { flow, input, shouts } = shouting()
    const other = createFlow().add(shout, { id: 'Other-1' })
    const { facts, result } = shouts.outputs
    const ends: Readonly<Record<string, readonly [OutputRef, object]>> = {
      'a value type that does not fit': [facts, shouts.inputs.text],
      'a field without a handle': [result, input.inputs.input_value],
      'an output of a node that is not a loop': [result, facts],
      'an output that the node lacks': [{ ...result, name: 'other' }, shouts.inputs.text],
      'a field that the node lacks': [result, { ...shouts.inputs.text, field: 'other' }],
      'a node of another draft': [other.outputs.result, shouts.inputs.text],
    }
    const [from, to] = ends[name] ?? [result, {}]
    const before = JSON.stringify(flow)
    const wrong = to as InputRef & LoopRef
    expect(() => flow.connect(from, wrong)).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        message: expect.stringContaining(message),
      }),
    )
    expect(JSON.stringify(flow)).toBe(before)
  })

  test('DR-78: add refuses duplicate ids, unknown fields and two components of one type', () => {
    const { flow } = shouting()
    const refused = (message: string) =>
      expect.objectContaining({ code: 'invalid_request', message })
    expect(() => flow.add(shout, { id: 'Shout-00001' })).toThrow(
      refused('The flow shout already has a node Shout-00001'),
    )
    const values: object = { colour: 'red' }
    expect(() => flow.add(shout, { values })).toThrow(
      refused('The component Shout has no field colour'),
    )
    const twin = defineComponent({ type: 'Shout', inputs: {}, outputs: {} })
    expect(() => flow.add(twin)).toThrow(
      refused('The flow shout already has another component of the type Shout'),
    )
  })
})
