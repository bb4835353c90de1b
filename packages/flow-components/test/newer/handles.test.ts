import { describe, expect, test } from 'vitest'
import { builtinComponents } from '@x/flow-components'
import { formatHandle } from '@x/flow-engine'
import { checkFlow, createRegistry, runFlow, type FlowJson } from '@x/flow-engine'
import { flowBuilder } from '@x/flow-engine/testing'

const components = createRegistry(builtinComponents)

/** A flow of two nodes whose one edge has these type names on its handles. */
function joined(outputTypes: readonly string[], inputTypes: readonly string[] | null): FlowJson {
  const flow = flowBuilder()
  const input = flow.add('ChatInput', { id: 'ext:chat:ChatInput@official-aB3xY' })
  const answer = flow.add('ChatOutput')
  flow.connect(`${input}.message`, `${answer}.input_value`)
  const json = flow.toJSON()
  const [edge] = json.data?.edges ?? []
  const data = edge?.data as Record<string, Record<string, unknown>> | undefined
  Object.assign(data?.sourceHandle ?? {}, { output_types: outputTypes })
  Object.assign(data?.targetHandle ?? {}, { inputTypes, type: 'other' })
  if (edge !== undefined && data !== undefined) {
    edge.sourceHandle = formatHandle(data.sourceHandle as never)
    edge.targetHandle = formatHandle(data.targetHandle as never)
  }
  return json
}
const errors = (json: FlowJson): string[] =>
  checkFlow(json, { components })
    .filter(({ severity }) => severity === 'error')
    .map(({ code }) => code)

describe('handles of newer versions', () => {
  test.each([
    [['JSON'], ['Data']],
    [['Data'], ['JSON']],
    [['Table'], ['DataFrame', 'Message']],
    [['DataFrame'], ['Table']],
    [['Message'], ['Message', 'Text']],
    [['Text'], ['Message']],
  ])('NX-17, NX-18: %j matches %j', (given, taken) => {
    expect(errors(joined(given, taken))).toEqual([])
  })

  test('NX-17: other type names do not match, and the flow is not modified', () => {
    expect(errors(joined(['JSON'], ['Table']))).toEqual(['type_mismatch'])
    const json = joined(['Table'], ['DataFrame'])
    const before = JSON.stringify(json)
    checkFlow(json, { components })
    expect(JSON.stringify(json)).toBe(before)
  })

  test.each([[['Data', 'Message']], [['JSON', 'Message']], [['JSON', 'JSON', 'Message']]])(
    'NX-19: an edge back to a loop with the types %j',
    (types) => {
      const flow = flowBuilder()
      const [rows, loop, parser, done] = [
        flow.add('TextInput'),
        flow.add('LoopComponent'),
        flow.add('ParserComponent', { values: { pattern: '{text}' } }),
        flow.add('ChatOutput'),
      ]
      flow.connect(`${rows}.text`, `${loop}.data`)
      flow.connect(`${loop}.item`, `${parser}.input_data`)
      flow.connect(`${parser}.parsed_text`, `${loop}.item`)
      flow.connect(`${loop}.done`, `${done}.input_value`)
      const json = flow.toJSON()
      const back = json.data?.edges?.find(({ source }) => source === parser)
      const handle = (back?.data?.targetHandle ?? {}) as Record<string, unknown>
      expect(handle).toHaveProperty('output_types')
      handle.output_types = types
      if (back !== undefined) back.targetHandle = formatHandle(handle as never)
      const found = checkFlow(json, { components })
      expect(found.filter(({ edgeId }) => edgeId === back?.id)).toEqual([])
    },
  )

  test('NX-4: ids that contain a whole type work in runs, tweaks and slices', async () => {
    const id = 'ext:chat:ChatInput@official-aB3xY'
    const run = runFlow(joined(['Message'], ['Message']), {
      components,
      tweaks: { [id]: { input_value: 'tweaked' } },
      stopComponentId: id,
    })
    const result = await run.result
    expect(result.status).toBe('succeeded')
    const whole = await runFlow(joined(['Message'], ['Message']), {
      components,
      tweaks: { [id]: { input_value: 'tweaked' } },
    }).result
    expect(whole.text()).toBe('tweaked')
  })
})

describe('fields of newer versions', () => {
  test('NX-5, NX-40, NX-41: unknown keys, field types and plain entries are accepted', async () => {
    const json = joined(['Message'], ['Message'])
    const [node] = json.data?.nodes ?? []
    Object.assign(node?.data.node.template ?? {}, {
      picks: { type: 'actionPicker', _input_type: 'ActionPickerInput', value: ['a'] },
      wait: { type: 'duration', _input_type: 'DurationInput', value: { value: 1, unit: 's' } },
      backend: { type: 'dbProvider', value: { backend_type: 'x' } },
      _frontend_node_flow_id: 'f',
    })
    Object.assign(node?.data.node ?? {}, { lf_version: '1.13.0', replacement: ['a.B'] })
    const result = await runFlow(json, { components, input: 'hello' }).result
    expect(result.text()).toBe('hello')
  })
})
