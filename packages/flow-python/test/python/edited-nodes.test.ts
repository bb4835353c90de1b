import { builtinComponents } from '@x/flow-components'
import { compileFlow, type FlowJson } from '@x/flow-engine'
import { describe, expect, test } from 'vitest'
import { componentToNode } from '@x/flow-engine/internal'
import { createRegistry } from '@x/flow-engine'
import { missingNames } from '@x/flow-engine/internal'

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
    'The component Odd (Strange-1) needs the Python package "openai", which cannot run in the sandbox. Replace the node by Language Model.',
  )
})

test('PY-50: a CustomComponent of an old export without a code hash is treated as edited', () => {
  const flow = flowOf('CustomComponent', needy, { metadata: {} })
  expect(said(flow)[0]).toContain('needs the Python package "openai"')
  expect(said(flow, { customCode: false })[0]).toContain('Python')
  expect(said(flowOf('CustomComponent', own, { metadata: {} }))).toEqual([])
})

test('FF-60: without Python the refusal says what a server with Python would say', () => {
  const refused = (code: string) =>
    said(flowOf('Strange', code, { display_name: 'Odd', metadata: {} }), { customCode: false })[0]
  expect(refused(own)).toContain(
    '(Strange-1: Odd has Python of its own, which the operator of the server runs with SERVICE_PYTHON=true)',
  )
  const base = 'from lfx.base.x import LCChainComponent\nclass A(LCChainComponent): pass\n'
  for (const [code, reason] of [
    [needy, 'The component Odd (Strange-1) needs the Python package "openai"'],
    [base, 'A derives from LCChainComponent, which is not available to Python components'],
  ] as const) {
    const text = refused(code)
    expect(text).toContain(reason)
    expect(text).toMatch(/; SERVICE_PYTHON=true would not be enough\)$/)
    expect(text?.match(/SERVICE_PYTHON=/g)).toHaveLength(1)
    expect(said(flowOf('Strange', code, { display_name: 'Odd', metadata: {} }))[0]).toContain(
      reason,
    )
  }
})

describe('FF-62: a component with the name of a built-in', () => {
  /** A node called like Text Input, whose edge starts at an output of its author's. */
  function namesake(output: string, code: string): FlowJson {
    const flow = flowOf('TextInput', code, { outputs: [{ name: output, types: ['Message'] }] })
    const [sender] = flow.data?.nodes ?? []
    const [target] = flowOf('ChatOutput', '', {}).data?.nodes ?? []
    const id = 'ChatOutput-1'
    return {
      data: {
        nodes: [sender, { ...target, id, data: { ...target?.data, id } }].filter(Boolean) as never,
        edges: [
          {
            source: 'TextInput-1',
            target: id,
            data: {
              sourceHandle: {
                dataType: 'TextInput',
                id: 'TextInput-1',
                name: output,
                output_types: ['Message'],
              },
              targetHandle: {
                fieldName: 'input_value',
                id,
                inputTypes: ['Message'],
                type: 'other',
              },
            },
          },
        ],
      },
    }
  }

  test('is its author’s where an edge uses what the built-in lacks', () => {
    expect(said(namesake('reply', own))).toEqual([])
    const off = said(namesake('reply', own), { customCode: false })[0]
    expect(off).toContain('Unknown component types: TextInput (TextInput-1: ')
    expect(off).toContain('SERVICE_PYTHON=true')
    expect(said(namesake('reply', needy))[0]).toContain('needs the Python package "openai"')
  })

  test('is the built-in where all edges exist on it', () => {
    expect(said(namesake('text', own), { customCode: false })).toEqual([
      expect.stringContaining('runs as TextInput of the catalogue'),
    ])
  })
})
