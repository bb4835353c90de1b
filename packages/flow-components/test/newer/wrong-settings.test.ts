import { builtinComponents } from '@x/flow-components'
import { checkFlow, createRegistry, type FlowJson } from '@x/flow-engine'
import { componentToNode } from '@x/flow-engine/internal'
import { expect, test } from 'vitest'

const components = createRegistry(builtinComponents)

/** What the check says of a node of this type with these values. */
function said(type: string, values: Readonly<Record<string, unknown>>): string[] {
  const component = components.get(type)
  if (component === undefined) throw new RangeError(type)
  const node = componentToNode(component)
  for (const [name, value] of Object.entries(values))
    node.template[name] = {
      type: name === 'model' ? 'model' : 'str',
      name,
      ...node.template[name],
      value,
      load_from_db: false,
    }
  const flow: FlowJson = {
    data: { nodes: [{ id: 'n', data: { id: 'n', type, node } }], edges: [] },
  }
  const found = checkFlow(flow, { components })
  expect(found.every(({ severity }) => severity === 'warning')).toBe(true)
  return found.filter(({ code }) => code === 'missing_input').map(({ message }) => message)
}

test('FF-22: the check names a model and a tool server that are not chosen', () => {
  const older = { provider: '', model_name: '' }
  const unchosen = 'Component Language Model: A model selection is required'
  for (const model of [[], '', 'connect_other_models'])
    expect(said('LanguageModelComponent', { ...older, model })).toEqual([unchosen])
  const model = [{ name: 'm', provider: 'OpenAI' }]
  expect(said('LanguageModelComponent', { ...older, model })).toEqual([])
  expect(said('LanguageModelComponent', {})).toEqual([])
  expect(said('LanguageModelComponent', { ...older, model: 'a-model' })).toEqual([])
  expect(said('MCPTools', {})).toEqual(['Component MCP Tools: No MCP server selected'])
  expect(said('MCPTools', { mcp_server: { name: 'mine' } })).toEqual([])
})

test('FF-22: the check names addresses that are none, and what the built-in file reader refuses', () => {
  const url = 'Component Weaviate: Weaviate URL is not a valid URL'
  const weaviate = { url: 'my cluster', index_name: 'Docs' }
  expect(said('Weaviate', weaviate).filter((text) => text.includes('URL'))).toEqual([url])
  expect(said('File', { advanced_mode: true })).toEqual([
    expect.stringMatching(/^Component Read File: The Advanced Parser is not supported/),
  ])
  expect(said('File', {})).toEqual([])
})
