import { describe, expect, test } from 'vitest'
import { createData, defineComponent, field, isMessage, output } from '@x/flow-engine'
import { chatInput } from '../../src/components/built-in/input-output/chat-input.ts'
import { chatOutput } from '../../src/components/built-in/input-output/chat-output.ts'
import { textInput } from '../../src/components/built-in/input-output/text-input.ts'
import { textOutput } from '../../src/components/built-in/input-output/text-output.ts'
import { flowBuilder } from '@x/flow-engine/testing'
import { given, join, pair, run, start, textOf } from './dependencies.ts'

/** Shows what reaches a component. */
const probe = defineComponent({
  type: 'Probe',
  inputs: {
    text: field.text({ displayName: 'The text', default: 'declared' }),
    count: field.int(),
    ratio: field.float(),
    on: field.bool(),
    tags: field.string({ list: true }),
    entries: field.dict(),
    more_kwargs: field.nestedDict(),
    nested: field.nestedDict(),
    key: field.secret({ loadFromDb: true }),
    items: field.handle({ types: ['Message', 'Data'], list: true }),
    file: field.file(),
    session_id: field.text(),
  },
  outputs: {
    out: output.data({
      run: (inputs, ctx) => ({
        ...inputs,
        items: inputs.items.map(textOf),
        file: inputs.file.map((file) => file.path),
        session: ctx.sessionId,
        shared: ctx.shared.get('x') ?? null,
      }),
    }),
  },
})

async function probed(
  values: Record<string, unknown>,
  options: Parameters<typeof run>[1] = {},
  change?: (template: Record<string, Record<string, unknown>>) => void,
) {
  const flow = flowBuilder()
  flow.add(probe, { id: 'Probe-1', values, displayName: 'My probe' })
  const json = flow.toJSON()
  change?.(json.data?.nodes?.[0]?.data.node.template as never)
  const { result } = await run(json, { more: [probe], outputType: 'debug', ...options })
  const out = result.vertices.get('Probe-1')?.outputs.out as { data: Record<string, unknown> }
  return { data: out?.data ?? {}, result }
}

describe('values of a vertex', () => {
  test('FE-20: values are applied in the order template, tweak, edge, request input', async () => {
    const flow = flowBuilder()
    const input = flow.add(chatInput, { id: 'ChatInput-1', values: { input_value: 'template' } })
    flow.add(chatOutput, { id: 'ChatOutput-1' })
    flow.connect(`${input}.message`, 'ChatOutput-1.input_value')
    const json = flow.toJSON()
    const tweaks = { 'ChatInput-1': { input_value: 'tweak' } }
    expect((await run(json)).result.text()).toBe('template')
    expect((await run(json, { tweaks })).result.text()).toBe('tweak')
    expect((await run(json, { input: 'input' })).result.text()).toBe('input')
    expect((await run(json, { input: { value: null } })).result.text()).toBe('')
    const fed = flowBuilder()
    fed.add(textInput, { id: 'TextInput-0', values: { input_value: 'edge' } })
    fed.add(textOutput, { id: 'TextOutput-1' })
    fed.connect('TextInput-0.text', 'TextOutput-1.input_value')
    const over = { 'TextOutput-1': { input_value: 'tweak' } }
    expect((await run(fed.toJSON(), { tweaks: over })).result.text()).toBe('edge')
  })

  test('FE-20: a variable is taken from the request, the user or the environment, or is null', async () => {
    const values = { key: 'KEY' }
    const variables = { get: async (name: string) => (name === 'KEY' ? 'of the user' : null) }
    const of = async (options: Parameters<typeof run>[1]) =>
      (await probed(values, options)).data.key
    expect(await of({ variables: { KEY: 'of the request' }, services: { variables } })).toBe(
      'of the request',
    )
    expect(await of({ services: { variables, environment: { KEY: 'e' } } })).toBe('of the user')
    expect(await of({ services: { environment: { KEY: 'of the environment' } } })).toBe(
      'of the environment',
    )
    expect(await of({ services: { environment: {} } })).toBeNull()
    const { result } = await probed(values)
    expect(result.error).toMatchObject({ code: 'variable_not_found' })
    expect(result.error?.detail).toContain('KEY variable not found.')
    expect((await probed({ key: '' })).data.key).toBeNull()
  })

  test('FE-21: fields are converted by their type', async () => {
    const { data } = await probed(
      {
        text: 'a\\nb',
        count: '7',
        ratio: '0.5',
        on: 1,
        tags: ['x\\ny'],
        entries: [{ a: 1 }, { b: 2, a: 3 }],
        more_kwargs: '{"deep": [1]}',
        nested: { n: 1 },
      },
      {},
    )
    expect(data).toMatchObject({
      text: 'a\nb',
      count: 7,
      ratio: 0.5,
      on: true,
      tags: ['x\ny'],
      entries: { a: 3, b: 2 },
      more_kwargs: { deep: [1] },
      nested: { n: 1 },
    })
  })

  test('FE-21: hidden and empty fields have their default', async () => {
    const hide = (template: Record<string, Record<string, unknown>>) => {
      given(template.text).show = false
    }
    expect((await probed({ text: 'hidden' }, {}, hide)).data.text).toBe('declared')
    expect((await probed({ text: '' })).data.text).toBe('declared')
    expect((await probed({ more_kwargs: 'no json' })).data.more_kwargs).toEqual({})
  })

  test('FE-21: a list field collects its edges in edge order and flattens arrays', async () => {
    const several = defineComponent({
      type: 'Several',
      inputs: {},
      outputs: {
        out: output.list({ run: () => [createData({ text: '1' }), createData({ text: '2' })] }),
      },
    })
    const flow = flowBuilder()
    flow.add(several, { id: 'Several-1' })
    flow.add(join, { id: 'Join-1', values: { mark: 'm' } })
    flow.add(join, { id: 'Join-2' })
    flow.connect('Join-1.out', 'Join-2.texts').connect('Several-1.out', 'Join-2.texts')
    expect((await run(flow.toJSON(), { more: [several] })).result.text('Join-2')).toBe('m+1+2')
  })

  test('FE-21: of several edges into one field the last that delivers wins', async () => {
    const flow = flowBuilder()
    for (const mark of ['1', '2']) flow.add(join, { id: `Join-${mark}`, values: { mark } })
    flow.add(pair, { id: 'Pair-1' })
    flow.connect('Join-1.out', 'Pair-1.left').connect('Join-2.out', 'Pair-1.left')
    expect((await run(flow.toJSON())).result.text('Pair-1')).toBe('2|-')
  })

  test('FE-22: in mode run the session is written everywhere; in a build a session of its own wins', async () => {
    const own = { session_id: 'own' }
    expect((await probed(own, { sessionId: 's' })).data).toMatchObject({
      session_id: 's',
      session: 's',
    })
    expect((await probed(own, { sessionId: 's', mode: 'build' })).data.session_id).toBe('own')
    expect((await probed({}, { mode: 'build' })).data.session_id).toBe('flow-1')
  })

  test('FE-22: with an empty session no message is stored or sent', async () => {
    const flow = flowBuilder()
    flow.add(chatInput, { id: 'ChatInput-1' })
    flow.add(chatOutput, { id: 'ChatOutput-1' })
    flow.connect('ChatInput-1.message', 'ChatOutput-1.input_value')
    const { events, result } = await run(flow.toJSON(), { input: 'x', sessionId: '' })
    expect(events.map((event) => event.event)).not.toContain('add_message')
    expect(result.messages).toEqual([])
    expect(result.text()).toBe('x')
  })

  test('FE-23: tweaks apply by id, by display name, and to all nodes', async () => {
    const flow = flowBuilder()
    for (const id of ['Join-1', 'Join-2', 'Join-3'])
      flow.add(join, { id, displayName: id === 'Join-1' ? 'One' : 'Same' })
    const json = flow.toJSON()
    const marks = async (tweaks: object) => {
      const { result } = await run(json, { tweaks: tweaks as never })
      return ['Join-1', 'Join-2', 'Join-3'].map((id) => result.text(id))
    }
    expect(await marks({ Same: { mark: 's' } })).toEqual(['', '', 's'])
    expect(await marks({ 'Join-1': { mark: 'a' }, One: { mark: 'b' } })).toEqual(['b', '', ''])
    expect(await marks({ mark: 'all', 'Join-2': { mark: 'x' } })).toEqual(['all', 'all', 'all'])
    expect(await marks({ Nobody: { mark: 'x' }, nothing: 1, 'Join-1': { nothing: 2 } })).toEqual([
      '',
      '',
      '',
    ])
    expect(await marks({ 'Join-1': { mark: { value: 'v', load_from_db: false } } })).toEqual([
      'v',
      '',
      '',
    ])
  })

  test('FE-23: JSON for a nested object is repaired, a tweak of a file sets its path, code is not replaced', async () => {
    const { data, result } = await probed(
      {},
      {
        tweaks: {
          'Probe-1': {
            nested: "{'a': [1, 2,], \"b\": 'it',}",
            file: 'flow/a.txt',
            code: 'evil',
          },
        },
      },
    )
    expect(data.nested).toEqual({ a: [1, 2], b: 'it' })
    expect(data.file).toEqual(['flow/a.txt'])
    expect(result.warnings).toMatchObject([{ code: 'code_tweak', nodeId: 'Probe-1' }])
    const repaired = await probed({}, { tweaks: { nested: "{'a': [1, 2,],}" } })
    expect(repaired.data.nested).toEqual({ a: [1, 2] })
  })

  test('FE-23: tweaks that match no node or field are warnings, at most 100', async () => {
    const tweaks = { 'Probe-9': { text: 'x' }, 'Probe-1': { nowhere: 1 }, nobody: 2 }
    const { result } = await probed({}, { tweaks })
    expect(result.status).toBe('succeeded')
    expect(result.warnings).toMatchObject([
      { code: 'unmatched_tweak', message: expect.stringContaining('Probe-9') as string },
      { code: 'unmatched_tweak', nodeId: 'Probe-1', field: 'nowhere' },
      { code: 'unmatched_tweak', field: 'nobody' },
    ])
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`x${n}`, { a: 1 }]))
    expect((await probed({}, { tweaks: many })).result.warnings).toHaveLength(100)
    const matched = { 'Probe-1': {}, text: 'x' }
    expect((await probed({}, { tweaks: matched })).result.warnings).toEqual([])
  })

  test('FE-23, FE-18: an input given twice is refused', async () => {
    const flow = flowBuilder()
    flow.add(chatInput, { id: 'ChatInput-1' })
    const tweaks = { 'ChatInput-1': { input_value: 'x' } }
    await expect(start(flow.toJSON(), { input: 'y', tweaks }).result).rejects.toMatchObject({
      code: 'invalid_request',
      status: 400,
      detail:
        'If you pass an input_value to the chat input, you cannot pass a tweak with the same name.',
    })
    const other = start(flow.toJSON(), { input: { value: 'y', type: 'any' }, tweaks })
    expect((await other.result).status).toBe('succeeded')
    await expect(start(flow.toJSON(), { input: 7 as never }).result).rejects.toMatchObject({
      code: 'invalid_request',
    })
  })

  test('FE-24: a required field without value or edge makes the vertex invalid', async () => {
    const need = defineComponent({
      type: 'Need',
      displayName: 'Needy',
      inputs: { what: field.text({ displayName: 'The what', required: true }) },
      outputs: { out: output.message({ run: ({ what }) => `[${what}]` }) },
    })
    const flow = flowBuilder()
    flow.add(need, { id: 'Need-1' })
    const { result, ends } = await run(flow.toJSON(), { more: [need] })
    expect(ends).toEqual(['Need-1!'])
    expect(result.error).toMatchObject({ code: 'missing_input', vertexId: 'Need-1' })
    expect(result.error?.detail).toMatch(/Needy.*The what/s)
    const fed = flowBuilder()
    fed.add(textInput, { id: 'TextInput-1' })
    fed.add(need, { id: 'Need-1' })
    fed.connect('TextInput-1.text', 'Need-1.what')
    expect((await run(fed.toJSON(), { more: [need] })).result.text('Need-1')).toBe('[]')
  })

  test('FE-25: only connected outputs are computed, each once, in declaration order', async () => {
    const calls: string[] = []
    const compute = (name: string) => output.message({ run: () => (calls.push(name), name) })
    const both = defineComponent({
      type: 'Both',
      inputs: {},
      outputs: { one: compute('one'), two: compute('two'), three: compute('three') },
    })
    const flow = flowBuilder()
    flow.add(both, { id: 'Both-1' })
    flow.add(join, { id: 'Join-1' })
    flow.add(join, { id: 'Join-2' })
    flow.connect('Both-1.three', 'Join-1.texts').connect('Both-1.one', 'Join-1.texts')
    flow.connect('Both-1.three', 'Join-2.texts')
    const { result, events } = await run(flow.toJSON(), { more: [both] })
    expect(calls).toEqual(['one', 'three'])
    expect(Object.keys(result.vertices.get('Both-1')?.outputs ?? {})).toEqual(['one', 'three'])
    const end = events.find((event) => event.event === 'end_vertex')
    expect(end?.data).toMatchObject({
      build_data: {
        data: { outputs: { two: { message: '', type: 'unknown' } }, logs: { one: [] } },
      },
    })
    const alone = flowBuilder()
    alone.add(both, { id: 'Both-1' })
    calls.length = 0
    await run(alone.toJSON(), { more: [both] })
    expect(calls).toEqual(['one', 'two', 'three'])
  })

  test('FE-26: the types decide which vertices take the input and which are reported', async () => {
    const flow = flowBuilder()
    for (const [id, component] of [
      ['ChatInput-1', chatInput],
      ['TextInput-1', textInput],
      ['ChatOutput-1', chatOutput],
      ['TextOutput-1', textOutput],
    ] as const) {
      flow.add(component, { id })
    }
    flow.connect('ChatInput-1.message', 'ChatOutput-1.input_value')
    flow.connect('TextInput-1.text', 'TextOutput-1.input_value')
    flow.connect('ChatInput-1.message', 'TextOutput-1.input_value')
    const json = flow.toJSON()
    const took = async (input: object) => {
      const { result } = await run(json, { input: input as never })
      return ['ChatInput-1', 'TextInput-1'].filter((id) => result.text(id) === 'v')
    }
    expect(await took({ value: 'v' })).toEqual(['ChatInput-1'])
    expect(await took({ value: 'v', type: 'text' })).toEqual(['TextInput-1'])
    expect(await took({ value: 'v', type: 'any' })).toEqual(['ChatInput-1', 'TextInput-1'])
    expect(await took({ value: 'v', type: 'any', components: ['Text Input'] })).toEqual([
      'TextInput-1',
    ])
    expect(await took({ value: 'v', type: 'any', components: ['Nobody'] })).toEqual([])
    const reported = async (options: object) =>
      (await run(json, options)).result.outputs.map((vertex) => vertex.id)
    expect(await reported({})).toEqual(['ChatOutput-1'])
    expect(await reported({ outputType: 'text' })).toEqual(['TextOutput-1'])
    expect(await reported({ outputType: 'any' })).toEqual(['ChatOutput-1', 'TextOutput-1'])
    expect(await reported({ outputType: 'debug' })).toHaveLength(4)
    expect(await reported({ outputComponent: 'Text Input' })).toEqual(['TextInput-1'])
    expect(await reported({ outputComponent: 'Nobody' })).toEqual([])
  })

  test('FE-40: `shared` starts with the context of the request', async () => {
    expect((await probed({}, { context: { x: 'y' } })).data.shared).toBe('y')
  })

  test('FE-19: messages keep the wire spelling', async () => {
    const flow = flowBuilder()
    flow.add(chatInput, { id: 'ChatInput-1' })
    const { events, result } = await run(flow.toJSON(), { input: 'hey' })
    expect(events[1]?.data).toMatchObject({
      text: 'hey',
      sender: 'User',
      sender_name: 'User',
      session_id: 'flow-1',
      flow_id: 'flow-1',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/),
      properties: { state: 'complete', source: { id: null } },
    })
    expect(isMessage(result.vertices.get('ChatInput-1')?.outputs.message)).toBe(true)
  })
})
