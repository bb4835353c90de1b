import { describe, expect, test } from 'vitest'
import {
  checkFlow,
  compileFlow,
  createRegistry,
  type FlowNode,
  FlowCompileError,
  formatHandle,
  isFlowError,
  parseHandle,
} from '@x/flow-engine'
import { collectEvents, flowBuilder } from '@x/flow-engine/testing'
import { chatInput } from '../../src/components/built-in/input-output/chat-input.ts'
import { textInput } from '../../src/components/built-in/input-output/text-input.ts'
import { given, join, library, run, start } from './dependencies.ts'

const components = createRegistry(library)
const check = (flow: unknown) => checkFlow(flow, { components })

function simple() {
  const flow = flowBuilder()
  const [a, b] = [flow.add(textInput, { id: 'TextInput-a' }), flow.add(join, { id: 'Join-b' })]
  flow.connect(`${a}.text`, `${b}.texts`)
  return flow.toJSON()
}

describe('compileFlow', () => {
  test('FE-1: a flow is read from data or from the top level, and its lists are optional', () => {
    const json = simple()
    expect(compileFlow(json, { components }).vertexIds).toEqual(['TextInput-a', 'Join-b'])
    expect(compileFlow(json.data, { components }).vertexIds).toHaveLength(2)
    expect(check({ nodes: [] })).toEqual([])
    expect(check({ data: { edges: [] } })).toEqual([])
    expect(check({ name: 'x', stuff: 1 })).toMatchObject([
      { code: 'no_graph', severity: 'error', message: expect.stringContaining('name, stuff') },
    ])
  })

  test('FE-1: an empty flow runs without vertices', async () => {
    const { result, events } = await run({ nodes: [], edges: [] })
    expect(result.status).toBe('succeeded')
    expect(events.map((event) => event.event)).toEqual(['vertices_sorted', 'end'])
    expect(events[0]?.data).toEqual({ ids: [], to_run: [] })
  })

  test('FE-1: the given flow is not modified', async () => {
    const json = simple()
    const before = JSON.stringify(json)
    await run(json, { tweaks: { mark: '!' } })
    expect(JSON.stringify(json)).toBe(before)
  })

  test('FE-2: notes are skipped', () => {
    const flow = flowBuilder().note('read me')
    expect(compileFlow(flow.toJSON(), { components }).vertexIds).toEqual([])
  })

  test('FE-5: handles are parsed with any white space and written as the editor writes them', () => {
    const handle = parseHandle(
      '{œnameœ: œoutœ, œdataTypeœ:œJoinœ,œidœ:œJoin-bœ,œoutput_typesœ:[œMessageœ]}',
    )
    expect(formatHandle(handle)).toBe(
      '{œdataTypeœ:œJoinœ,œidœ:œJoin-bœ,œnameœ:œoutœ,œoutput_typesœ:[œMessageœ]}',
    )
    expect(parseHandle('ChatInput|ChatInput-1|Message|str')).toEqual({
      dataType: 'ChatInput',
      id: 'ChatInput-1',
      output_types: ['Message', 'str'],
    })
    expect(parseHandle('Text|input_value|ChatOutput-1')).toMatchObject({
      fieldName: 'input_value',
      id: 'ChatOutput-1',
    })
    for (const text of ['', 'œ', '{œnameœ:1', '{"x":œ}']) {
      expect(() => parseHandle(text)).toThrow(expect.objectContaining({ code: 'malformed_handle' }))
    }
  })

  test('FE-5: an edge with old handles starts at the first output and is not type-checked', async () => {
    const json = simple()
    const [edge] = json.data?.edges ?? []
    delete given(edge).data
    given(edge).sourceHandle = 'TextInput|TextInput-a|Nonsense'
    given(edge).targetHandle = 'Nothing|texts|Join-b'
    const { result } = await run(json, { tweaks: { 'TextInput-a': { input_value: 'hi' } } })
    expect(result.text('Join-b')).toBe('hi')
  })

  test('FE-5: an edge of the last versions before 1.0 names types only and starts at the first output', async () => {
    const json = simple()
    const [edge] = json.data?.edges ?? []
    const target = { fieldName: 'texts', id: 'Join-b', inputTypes: ['Text'], type: 'str' }
    given(edge).data = {
      sourceHandle: { baseClasses: ['str', 'Text'], dataType: 'TextInput', id: 'TextInput-a' },
      targetHandle: target,
    }
    const { result } = await run(json, { tweaks: { 'TextInput-a': { input_value: 'hi' } } })
    expect(result.text('Join-b')).toBe('hi')
    delete given(edge).data
    given(edge).sourceHandle = '{œbaseClassesœ:[œTextœ],œdataTypeœ:œTextInputœ,œidœ:œTextInput-aœ}'
    given(edge).targetHandle = JSON.stringify(target).replaceAll('"', 'œ')
    expect(check(json)).toEqual([])
  })

  test('FE-6: types are compared by the lists in the handles, including their aliases', () => {
    const typed = (output_types: string[], target: object) => {
      const json = simple()
      const [edge] = json.data?.edges ?? []
      given(edge).data = {
        sourceHandle: { dataType: 'TextInput', id: 'TextInput-a', name: 'text', output_types },
        targetHandle: { fieldName: 'texts', id: 'Join-b', ...target },
      }
      return check(json).map((found) => found.message)
    }
    const bad = [
      expect.stringMatching(/^Edge between Text Input and Join has invalid handles: "text" gives /),
    ]
    expect(typed(['Message'], { inputTypes: ['Data'], type: 'other' })).toEqual(bad)
    expect(typed(['JSON'], { inputTypes: ['Data'], type: 'other' })).toEqual([])
    expect(typed(['Table'], { inputTypes: ['DataFrame'], type: 'other' })).toEqual([])
    expect(typed(['Text'], { type: 'str' })).toEqual([])
    expect(typed(['Data'], { type: 'str' })).toEqual(bad)
    expect(typed([], { inputTypes: ['other'], type: 'other' })).toEqual([])
  })

  test('FE-7: the same edge twice counts once', async () => {
    const json = simple()
    const edges = json.data?.edges ?? []
    json.data = { ...json.data, edges: [...edges, ...structuredClone(edges)] }
    const { result } = await run(json, { tweaks: { 'TextInput-a': { input_value: 'once' } } })
    expect(result.text('Join-b')).toBe('once')
  })

  test('FE-7: a group runs as its inner vertices and is reported under its own id', async () => {
    const flow = flowBuilder()
    const a = flow.add(textInput, { id: 'TextInput-a', values: { input_value: 'in' } })
    const b = flow.add(join, { id: 'Join-b', values: { mark: '1' } })
    const c = flow.add(join, { id: 'Join-c', values: { mark: '2' } })
    const d = flow.add(join, { id: 'Join-d', values: { mark: '3' } })
    flow.connect(`${a}.text`, `${b}.texts`).connect(`${b}.out`, `${c}.texts`)
    flow.connect(`${c}.out`, `${d}.texts`).group('Group-g', [b, c])
    const { result, events } = await run(flow.toJSON())
    expect(result.text('Join-d')).toBe('in123')
    expect(events[0]?.data).toEqual({
      ids: ['TextInput-a'],
      to_run: ['TextInput-a', 'Group-g', 'Join-b', 'Join-c', 'Join-d'],
    })
    const first = events.find((event) => event.event === 'end_vertex')
    expect(first?.data).toMatchObject({
      build_data: { next_vertices_ids: ['Join-b'], top_level_vertices: ['Group-g'] },
    })
  })

  test('FE-7: a group copies its field values to inner nodes, also through nested groups', async () => {
    const flow = flowBuilder()
    const a = flow.add(join, { id: 'Join-a' })
    const b = flow.add(join, { id: 'Join-b' })
    flow.connect(`${a}.out`, `${b}.texts`).group('Group-in', [a]).group('Group-out', ['Group-in'])
    const json = flow.toJSON()
    const outer = json.data?.nodes?.find((node) => node.id === 'Group-out')
    const inner = (given(outer).data.node.flow as { data: { nodes: FlowNode[] } }).data.nodes?.[0]
    given(inner).data.node.template.mark_in = {
      value: null,
      proxy: { id: 'Join-a', field: 'mark' },
    }
    given(outer).data.node.template.mark_out = {
      value: 'deep',
      proxy: { id: 'Group-in', field: 'mark_in' },
    }
    const { result } = await run(json)
    expect(result.text('Join-b')).toBe('deep')
  })

  test('FE-8: all problems are reported at once, in the order of the table', () => {
    const flow = flowBuilder()
    flow.add('Nowhere', { id: 'Nowhere-1' })
    flow.add('Elsewhere', { id: 'Elsewhere-1' })
    flow.add('Nowhere', { id: 'Nowhere-2' })
    flow.add(chatInput, { id: 'ChatInput-1' })
    flow.add(chatInput, { id: 'ChatInput-2' })
    const json = flow.toJSON()
    const nodes = json.data?.nodes ?? []
    json.data = {
      nodes: [...nodes, structuredClone(given(nodes[3])), { id: 'broken' } as never],
      edges: [
        {
          id: 'e1',
          source: 'ChatInput-1',
          target: 'Ghost-1',
          sourceHandle: 'ChatInput|ChatInput-1|Message',
          targetHandle: 'x|text|Ghost-1',
        },
        {
          id: 'e2',
          source: 'ChatInput-1',
          target: 'ChatInput-2',
          sourceHandle: 'œ',
          targetHandle: 'œ',
        },
        { id: 'e3', source: 7 } as never,
      ],
    }
    const problems = check(json)
    expect(problems.map(({ code, nodeId, edgeId }) => [code, nodeId ?? edgeId])).toEqual([
      ['malformed_node', 'broken'],
      ['malformed_handle', 'e2'],
      ['malformed_edge', 'e3'],
      ['unknown_component', 'Nowhere-1'],
      ['unknown_component', 'Elsewhere-1'],
      ['unknown_component', 'Nowhere-2'],
      ['several_chat_inputs', 'ChatInput-2'],
      ['duplicate_node_id', 'ChatInput-1'],
      ['dangling_edge', 'Ghost-1'],
    ])
    expect(problems[3]?.message).toBe(
      'Unknown component types: Nowhere (Nowhere-1, Nowhere-2), Elsewhere (Elsewhere-1)',
    )
    expect(() => compileFlow(json, { components })).toThrow(FlowCompileError)
  })

  test('FE-8: a flow over a limit is too large', () => {
    const limits = { vertices: 1, edges: 0 }
    const found = checkFlow(simple(), { components, limits })
    expect(found.map(({ code, message }) => [code, message])).toEqual([
      ['too_large', 'The flow has 2 vertices; the limit vertices is 1'],
      ['too_large', 'The flow has 1 edges; the limit edges is 0'],
    ])
  })

  test('FE-9: ids, fields and tweaks can be named __proto__, constructor or toString', async () => {
    for (const id of ['__proto__', 'constructor', 'toString']) {
      const flow = flowBuilder()
      flow.add(join, { id, values: { mark: 'm' } })
      const json = flow.toJSON()
      const node = json.data?.nodes?.[0]
      Object.defineProperty(given(node).data.node.template, '__proto__', {
        value: { type: 'str', value: 'v' },
        enumerable: true,
      })
      const tweaks = JSON.parse(
        `{"${id}":{"mark":"t","__proto__":"p"},"hasOwnProperty":"c"}`,
      ) as object
      const { result } = await run(json, { tweaks: tweaks as never, outputType: 'debug' })
      expect(result.text(id)).toBe('t')
      expect('valueOf' in (result.vertices.get(id)?.outputs ?? Object)).toBe(false)
    }
    expect(({} as { value?: unknown }).value).toBeUndefined()
  })

  test('FE-42: an edited node runs as the component of the catalogue with a warning, or is refused', () => {
    const json = simple()
    const node = json.data?.nodes?.[1]
    given(node).data.node.edited = true
    expect(compileFlow(json, { components }).warnings).toMatchObject([
      { code: 'edited_component', nodeId: 'Join-b', severity: 'warning' },
    ])
    expect(checkFlow(json, { components, edited: 'refuse' })).toMatchObject([
      { code: 'edited_component', severity: 'error' },
    ])
  })

  test('FE-18: an invalid flow rejects the result and ends its events', async () => {
    const flow = flowBuilder()
    flow.add('Nowhere')
    const started = start(flow.toJSON())
    const error: unknown = await started.result.catch((thrown: unknown) => thrown)
    expect(isFlowError(error) && error.code).toBe('invalid_flow')
    const events = await collectEvents(started)
    expect(events.map((event) => event.event)).toEqual(['error', 'end'])
    expect(events[0]?.data).toMatchObject({
      text: 'Unknown component types: Nowhere (Nowhere-00001)\n',
      flow_id: 'flow-1',
      session_id: null,
      sender: null,
    })
    expect(events[0]?.data).not.toHaveProperty('id')
  })
})
