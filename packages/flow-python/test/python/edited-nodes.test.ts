import { builtinComponents } from '@x/flow-components'
import { compileFlow, type FlowJson } from '@x/flow-engine'
import { expect, test } from 'vitest'
import { componentToNode } from '@x/flow-engine/internal'
import { createRegistry } from '@x/flow-engine'
import { missingNames } from '../../src/missing-names.ts'

const components = createRegistry(builtinComponents)
const customCode = {
  languages: new Set(['python'] as const),
  missing: (code: string) => missingNames(code, new Set()),
}

/** A flow of one node that carries this code. */
function flowOf(type: string, code: string, details: object = {}): FlowJson {
  const stock = components.get(type) ?? components.get('TextInput')
  if (stock === undefined) throw new Error('no component')
  const node = componentToNode(stock)
  const template = { ...node.template, code: { ...node.template['code'], value: code } }
  const data = { id: `${type}-1`, type, node: { ...node, template, ...details } }
  return { data: { nodes: [{ id: `${type}-1`, data }], edges: [] } }
}

const own = 'from langflow.custom import Component\nclass TextInput(Component): pass\n'
const needy = `import openai\n${own}`
const EDITED = { edited: true }

/** The texts of warnings and problems of a flow. */
function said(flow: FlowJson, options: object = {}): string[] {
  try {
    const plan = compileFlow(flow, { components, customCode, ...options })
    return plan.warnings.map(({ message }) => message)
  } catch (error) {
    return [String(error)]
  }
}

test('PY-50: an edited built-in component runs its own code without a warning', () => {
  expect(said(flowOf('TextInput', own, EDITED))).toEqual([])
})

test('PY-50: an edited component that needs a package runs as the built-in one, with a warning', () => {
  expect(said(flowOf('TextInput', needy, EDITED))).toEqual([
    expect.stringMatching(
      /^Text Input was edited; its own code needs the Python package "openai".*; the built-in component runs instead$/,
    ),
  ])
})

test('PY-50: an edited component that needs a package fails the flow with edited: refuse', () => {
  const [text] = said(flowOf('TextInput', needy, EDITED), { edited: 'refuse' })
  expect(text).toContain('its own code needs the Python package "openai"')
})

test('PY-30: a component of an unknown type names its package, itself and its node', () => {
  const [text] = said(flowOf('Strange', needy, { display_name: 'Odd', metadata: {} }))
  expect(text).toContain(
    'The component Odd (Strange-1) needs the Python package "openai", which this server does not have.',
  )
})

test('PY-50: a CustomComponent of an old export without a code hash is treated as edited', () => {
  const flow = flowOf('CustomComponent', needy, { metadata: {} })
  expect(said(flow)[0]).toContain('needs the Python package "openai"')
  expect(said(flow, { customCode: false })[0]).toContain('Python')
  expect(said(flowOf('CustomComponent', own, { metadata: {} }))).toEqual([])
})
