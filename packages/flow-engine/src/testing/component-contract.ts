import { createRegistry } from '../components/registry/registry.ts'
import type { Component } from '../components/define/component.ts'
import { toolOutputs } from '../components/tools/component-tools.ts'
import { createNode } from '../components/node/create-node.ts'
import { refreshNode } from '../components/node/refresh-node.ts'
import type { TestFrame } from '../contract/test-frame.ts'
import { FlowError } from '../errors.ts'

/**
 * Defines the tests of a component: it fits into a catalogue and a node, is found again, survives the editor,
 * and provides tools a model can call. Failing tests throw FlowError `internal`.
 */
export function defineComponentContract(t: TestFrame, component: Component): void {
  t.describe(`component contract: ${component.type}`, () => {
    t.it('has a name, and inputs and outputs with names that are no wire words', () => {
      demand(component.type.trim() !== '', 'the type is blank')
      demand(component.displayName.trim() !== '', 'the display name is blank')
      const names = [...Object.keys(component.inputs), ...Object.keys(component.outputs)]
      demand(
        names.every((name) => name.trim() !== ''),
        'an input or output has no name',
      )
      for (const word of ['_type', 'code', 'tools_metadata', 'component_as_tool']) {
        demand(!names.includes(word), `${word} belongs to the wire form`)
      }
      demand(Object.keys(component.outputs).length > 0, 'there is no output')
    })

    t.it('is found by its type, its module and its aliases', () => {
      const registry = createRegistry([component])
      demand(registry.get(component.type) === component, 'not found by type')
      for (const alias of component.aliases ?? []) {
        demand(registry.get(alias) === component, `not found as ${alias}`)
      }
      demand(registry.resolve(createNode(component)) === component, 'not found by its own node')
    })

    t.it('makes a node that is plain JSON and names every input and output', () => {
      const node = createNode(component, { id: `${component.type}-00001` })
      const again: unknown = JSON.parse(JSON.stringify(node))
      demand(
        JSON.stringify(again) === JSON.stringify(node),
        'the node changes on its way over JSON',
      )
      const { template, outputs = [] } = node.data.node
      for (const [name, { options }] of Object.entries(component.inputs)) {
        const shown = Object.hasOwn(template, name)
        demand(shown !== (options.newer === true), `the template lacks ${name}, or has it too soon`)
      }
      for (const [name, { dynamic }] of Object.entries(component.outputs)) {
        const shown = outputs.some((output) => output.name === name)
        demand(shown === (dynamic !== true), `${name} is shown although dynamic, or not shown`)
      }
    })

    t.it(
      'keeps its values through a refresh, and does not change the node it was given',
      async () => {
        const node = createNode(component, { id: `${component.type}-00001` })
        const before = JSON.stringify(node)
        const after = await refreshNode(component, node, { field: 'no such field', value: 1 })
        demand(JSON.stringify(node) === before, 'the given node was changed')
        demand(
          JSON.stringify(after.data.node.template) === JSON.stringify(node.data.node.template),
          'an unknown field changes the template',
        )
      },
    )

    t.it('goes into tool mode and back', async () => {
      const node = createNode(component, { id: `${component.type}-00001` })
      const change = { field: 'tool_mode', value: true, toolMode: true }
      const tool = await refreshNode(component, node, change)
      const names = (tool.data.node.outputs ?? []).map(({ name }) => name)
      demand(names.join() === 'component_as_tool', 'tool mode has other outputs than the toolset')
      const back = await refreshNode(component, tool, { ...change, value: false, toolMode: false })
      demand(
        JSON.stringify(back.data.node.outputs) === JSON.stringify(node.data.node.outputs),
        'the outputs do not come back',
      )
    })

    t.it('gives tools that a model can call', () => {
      if (component.toTools !== undefined) return
      for (const { name, parameters } of toolOutputs(component)) {
        demand(/^[a-zA-Z0-9_-]{1,64}$/.test(name), `no model can call a tool named ${name}`)
        demand(
          Reflect.get(parameters, 'type') === 'object',
          `the arguments of ${name} are no object`,
        )
      }
    })
  })
}

function demand(holds: boolean, otherwise: string): void {
  if (!holds) throw new FlowError('internal', otherwise)
}
