import { expect, test } from 'vitest'
import { diffFlows, type FlowJson } from '@x/flow-engine'
import { flowBuilder } from '@x/flow-engine/testing'

function flow(change: (flow: ReturnType<typeof flowBuilder>) => void = () => undefined): FlowJson {
  const made = flowBuilder()
  made.add('ChatInput', { id: 'In' })
  made.add('LanguageModelComponent', {
    id: 'Model',
    values: { system_message: 'Be kind', api_key: 'sk-one' },
  })
  made.connect('In.message', 'Model.input_value')
  change(made)
  return made.toJSON()
}

const nodeOf = (of: FlowJson, id: string) => {
  const node = of.data?.nodes?.find((one) => one.id === id)
  if (node === undefined) throw new Error(`There is no ${id}`)
  return node
}

test('DR-62: additions, removals and changes are listed; secrets are masked with asterisks', () => {
  const a = flow()
  const b = flow((more) => {
    more.add('ChatOutput', { id: 'Out' })
    more.connect('Model.text_output', 'Out.input_value')
  })
  const model = nodeOf(b, 'Model').data.node
  const { template } = model
  template.system_message = { ...template.system_message, value: 'Be brief' }
  template.api_key = { ...template.api_key, value: 'sk-two' }
  model.display_name = 'Writer'
  expect(diffFlows(a, b)).toEqual({
    nodes: {
      added: ['Out'],
      removed: [],
      changed: [
        {
          id: 'Model',
          fields: [
            { field: 'display_name', from: 'Language Model', to: 'Writer' },
            { field: 'api_key', from: expect.anything(), to: expect.anything() },
            { field: 'system_message', from: 'Be kind', to: 'Be brief' },
          ].toSorted((x, y) => order(template, x.field) - order(template, y.field)),
        },
      ],
    },
    edges: { added: ['Model.text_output -> Out.input_value'], removed: [] },
  })
  const back = diffFlows(b, a)
  expect(back.nodes.removed).toEqual(['Out'])
  expect(back.edges.removed).toEqual(['Model.text_output -> Out.input_value'])
  expect(JSON.stringify([diffFlows(a, b), back])).not.toContain('sk-')
})

test('DR-62: positions, selections and notes are ignored, and malformed flows are no error', () => {
  const a = flow()
  const b = flow((more) => more.note('remember'))
  nodeOf(b, 'In').position = { x: 7, y: 7 }
  Object.assign(nodeOf(b, 'In'), { selected: true, measured: { width: 1 } })
  const nothing = {
    nodes: { added: [], removed: [], changed: [] },
    edges: { added: [], removed: [] },
  }
  expect(diffFlows(a, b)).toEqual(nothing)
  for (const odd of [null, 7, {}, { nodes: [null, {}], edges: [null] }])
    expect(diffFlows(odd, odd)).toEqual(nothing)
})

/** Details of the node come before its fields. */
function order(template: object, field: string): number {
  return Object.keys(template).indexOf(field)
}

test('FC-60: a blank file path hides no change of a prompt variable; a chosen file is the value of its field', () => {
  const withVariable = (value: string): FlowJson => {
    const made = flow()
    const { template } = nodeOf(made, 'In').data.node
    template['tone'] = { type: 'str', value, file_path: '' }
    template['table'] = { type: 'file', value: 'shown name', file_path: `${value}.csv` }
    return made
  }
  expect(diffFlows(withVariable('friendly'), withVariable('terse')).nodes.changed).toEqual([
    {
      id: 'In',
      fields: [
        { field: 'tone', from: 'friendly', to: 'terse' },
        { field: 'table', from: 'friendly.csv', to: 'terse.csv' },
      ],
    },
  ])
})
