import { describe, expect, test } from 'vitest'
import { chatInput } from '../../src/components/built-in/input-output/chat-input.ts'
import { textOutput } from '../../src/components/built-in/input-output/text-output.ts'
import { textInput } from '../../src/components/built-in/input-output/text-input.ts'
import {
  checkFlow,
  compileFlow,
  createRegistry,
  createResultCache,
  defineComponent,
  field,
  output,
  type FlowJson,
  type FlowNode,
} from '@x/flow-engine'
import { flowBuilder } from '@x/flow-engine/testing'
import { given, join, library, pair, run, textOf } from './dependencies.ts'

const components = createRegistry(library)

function simple() {
  const flow = flowBuilder()
  flow.add(textInput, { id: 'TextInput-a', values: { input_value: 'a' } })
  flow.add(textInput, { id: 'TextInput-b', values: { input_value: 'b' } })
  flow.add(pair, { id: 'Pair-1' })
  return flow.connect('TextInput-a.text', 'Pair-1.left').toJSON()
}

const nodeOf = (json: FlowJson, id: string) =>
  given(json.data?.nodes?.find((node) => node.id === id))

describe('forms of a flow', () => {
  test('FE-1: lists at the top level take precedence over those in data, which is unwrapped once', () => {
    const { data } = simple()
    const other = { nodes: [], edges: [] }
    expect(compileFlow({ ...data, data: other }, { components }).vertexIds).toHaveLength(3)
    expect(checkFlow({ data: { data } }, { components })).toMatchObject([{ code: 'no_graph' }])
  })

  test('FE-2: a missing display name is taken from the component', () => {
    const json = simple()
    delete nodeOf(json, 'TextInput-a').data.node.display_name
    nodeOf(json, 'TextInput-b').data.node.display_name = ''
    given(json.data?.edges?.[0]).target = 'TextInput-b'
    const messages = checkFlow(json, { components }).map(({ message }) => message)
    expect(messages).toEqual([
      'Edge between Text Input and Text Input has invalid handles: Text Input has no input "left"',
    ])
  })

  test('FE-2, FE-4: a node without template and outputs runs with those that the component declares', async () => {
    const json = simple()
    const { node } = nodeOf(json, 'TextInput-a').data
    node.template = {}
    delete node.outputs
    const tweaks = { 'TextInput-a': { input_value: 'tweak' } }
    expect((await run(json, { tweaks })).result.text('Pair-1')).toBe('tweak|-')
  })

  test('FE-2: further fields of a template reach a component that does not declare them', async () => {
    const free = defineComponent({
      type: 'Free',
      inputs: {},
      outputs: {
        out: output.message({ run: (inputs) => String(Reflect.get(inputs, 'name')) }),
      },
    })
    const flow = flowBuilder()
    flow.add(free, { id: 'Free-1' })
    const json = flow.toJSON()
    nodeOf(json, 'Free-1').data.node.template.name = { type: 'str', value: 'Ada' }
    expect((await run(json, { more: [free] })).result.text('Free-1')).toBe('Ada')
  })

  test('FE-2, FE-26: an output is recognised by its id, its type or its component', async () => {
    const mine = defineComponent({
      type: 'Mine',
      role: 'output',
      inputs: {},
      outputs: { out: output.message({ run: () => 'mine' }) },
    })
    const flow = flowBuilder()
    flow.add(textOutput, { id: 'Renamed-1', values: { input_value: 'x' } })
    flow.add(mine, { id: 'Mine-1' })
    flow.add(pair, { id: 'ChatOutput-9' })
    flow.add(pair, { id: 'Pair-1' })
    const { result } = await run(flow.toJSON(), { more: [mine], outputType: 'any' })
    expect(result.outputs.map(({ id }) => id)).toEqual(['Renamed-1', 'Mine-1', 'ChatOutput-9'])
  })

  test('FE-2: a type counts as input or output whatever its component declares', async () => {
    const plain = defineComponent({
      type: 'DataOutput',
      inputs: {},
      outputs: { out: output.message({ run: () => 'x' }) },
    })
    const flow = flowBuilder()
    flow.add(plain, { id: 'Renamed-1' })
    const { result } = await run(flow.toJSON(), { more: [plain] })
    expect(result.outputs.map(({ id }) => id)).toEqual(['Renamed-1'])
  })

  test('FE-4, FE-25: if a node lists no outputs, those of the component are computed', async () => {
    const json = simple()
    delete nodeOf(json, 'Pair-1').data.node.outputs
    expect((await run(json)).result.text('Pair-1')).toBe('a|-')
  })

  test('FE-5, FE-32: an output with allows_loop in the node accepts an edge back', () => {
    const flow = flowBuilder()
    flow.add(pair, { id: 'Pair-1' })
    flow.add(join, { id: 'Join-1' })
    flow.connect('Pair-1.out', 'Join-1.texts').connect('Join-1.out', 'Pair-1.out')
    const json = flow.toJSON()
    expect(checkFlow(json, { components })).toMatchObject([{ code: 'missing_field', field: 'out' }])
    given(nodeOf(json, 'Pair-1').data.node.outputs?.[0]).allows_loop = true
    expect(checkFlow(json, { components })).toEqual([])
  })

  test('FE-8, FE-42: warnings of the plan appear in the result of each of its runs', async () => {
    const json = simple()
    nodeOf(json, 'Pair-1').data.node.edited = true
    const { result } = await run(json)
    expect(result.warnings).toMatchObject([{ code: 'edited_component', nodeId: 'Pair-1' }])
  })

  test('FE-2, FE-17: a chat input is recognised by its id or its type', () => {
    for (const [first, second] of [
      ['ChatInput-1', 'ChatInput-2'],
      ['Renamed-1', 'ChatInput-2'],
      ['Renamed-1', 'Renamed-2'],
    ] as const) {
      const flow = flowBuilder()
      flow.add(chatInput, { id: first })
      flow.add(second.startsWith('Chat') ? pair : chatInput, { id: second })
      expect(checkFlow(flow.toJSON(), { components })).toMatchObject([
        { code: 'several_chat_inputs', nodeId: second },
      ])
    }
  })

  test('FE-8: a second chat input with an incoming edge is not a problem', () => {
    const flow = flowBuilder()
    flow.add(chatInput, { id: 'ChatInput-1' })
    flow.add(chatInput, { id: 'ChatInput-2' })
    flow.connect('ChatInput-1.message', 'ChatInput-2.input_value')
    const json = flow.toJSON()
    Object.assign(given(json.data?.edges?.[0]?.data?.targetHandle) as object, {
      inputTypes: ['Message'],
    })
    expect(checkFlow(json, { components })).toEqual([])
  })

  test('FE-5: handles in data take precedence over the strings, which are read if data has none', async () => {
    const json = simple()
    const edge = given(json.data?.edges?.[0])
    const { sourceHandle, targetHandle } = edge
    edge.sourceHandle = given(sourceHandle).replace('œtextœ', 'œnothingœ')
    edge.targetHandle = given(targetHandle).replace('œleftœ', 'œrightœ')
    expect((await run(json)).result.text('Pair-1')).toBe('a|-')
    delete edge.data
    edge.sourceHandle = given(sourceHandle)
    expect((await run(json)).result.text('Pair-1')).toBe('-|a')
  })

  test('FE-8, FF-63: an invalid field, output or type is reported with its position and the missing name', () => {
    const found = (change: (handles: Record<string, Record<string, unknown>>) => void) => {
      const json = simple()
      const edge = given(json.data?.edges?.[0])
      change(edge.data as never)
      return checkFlow(json, { components })
    }
    const start = 'Edge between Text Input and Pair has invalid handles: '
    expect(found(({ targetHandle }) => (given(targetHandle).fieldName = 'nope'))).toMatchObject([
      {
        code: 'missing_field',
        nodeId: 'Pair-1',
        field: 'nope',
        message: `${start}Pair has no input "nope"`,
      },
    ])
    expect(found(({ sourceHandle }) => (given(sourceHandle).name = 'nope'))).toMatchObject([
      {
        code: 'missing_output',
        nodeId: 'TextInput-a',
        field: 'nope',
        message: `${start}Text Input has no output "nope"`,
      },
    ])
    expect(found(({ sourceHandle }) => (given(sourceHandle).output_types = ['X']))).toMatchObject([
      {
        code: 'type_mismatch',
        field: 'left',
        message: `${start}"text" gives X, "left" takes Message, Data, DataFrame`,
      },
    ])
  })
})

describe('groups (FE-7)', () => {
  function group(change: (node: FlowNode['data']['node']) => void = () => undefined) {
    const flow = flowBuilder()
    flow.add(textInput, { id: 'TextInput-a', values: { input_value: 'in' } })
    flow.add(pair, { id: 'Pair-1' })
    flow.add(join, { id: 'Join-last', values: { mark: '!' } })
    flow.add(join, { id: 'Join-out' })
    flow
      .connect('TextInput-a.text', 'Pair-1.right')
      .connect('Pair-1.out', 'Join-last.texts')
      .connect('Join-last.out', 'Join-out.texts')
      .group('Group-g', ['Pair-1', 'Join-last'])
    const json = flow.toJSON()
    change(nodeOf(json, 'Group-g').data.node)
    return json
  }
  const edgeAt = (json: FlowJson, end: 'source' | 'target') =>
    given(json.data?.edges?.find((edge) => edge[end] === 'Group-g'))
  type Handles = Record<string, Record<string, unknown>>

  test('FE-7: an edge into a group follows the proxy of its handle, else that of the field', async () => {
    const json = group((node) => {
      for (const item of Object.values(node.template)) {
        Object.assign(item, { proxy: { id: 'Pair-1', field: 'left' } })
      }
    })
    expect((await run(json)).result.text('Join-out')).toBe('-|in!')
    delete given((edgeAt(json, 'target').data as unknown as Handles).targetHandle).proxy
    expect((await run(json)).result.text('Join-out')).toBe('in|-!')
  })

  test('FE-7: an edge out of a group starts at the proxy of the output, else at the first inner node without outgoing edge', async () => {
    const json = group((node) => {
      given(node.outputs?.[0]).proxy = { id: 'Pair-1', name: 'out' }
    })
    expect((await run(json)).result.text('Join-out')).toBe('-|in')
    const without = group((node) => {
      delete given(node.outputs?.[0]).proxy
    })
    given((edgeAt(without, 'source').data as unknown as Handles).sourceHandle).name = 'out'
    expect((await run(without)).result.text('Join-out')).toBe('-|in!')
  })

  test('FE-7, FE-33: inner nodes inherit the frozen flag of their group', async () => {
    let builds = 0
    const counting = defineComponent({
      type: 'Counting',
      inputs: { text: field.handle({ types: ['Message'] }) },
      outputs: { out: output.message({ run: ({ text }) => `${textOf(text)}${(builds += 1)}` }) },
    })
    const flow = flowBuilder()
    flow.add(counting, { id: 'Counting-1' })
    const json = flow.group('Group-g', ['Counting-1']).toJSON()
    for (const frozen of [true, false]) {
      nodeOf(json, 'Group-g').data.node.frozen = frozen
      const cache = createResultCache()
      const first = await run(json, { more: [counting], cache })
      const second = await run(json, { more: [counting], cache })
      expect(first.result.text('Counting-1') === second.result.text('Counting-1')).toBe(frozen)
    }
  })
})
