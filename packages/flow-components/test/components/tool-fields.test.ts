import { describe, expect, test } from 'vitest'
import { builtinComponents } from '@x/flow-components'
import { createNode, createRegistry, refreshNode, runFlow } from '@x/flow-engine'
import { createScriptedModel, flowBuilder } from '@x/flow-engine/testing'

const components = createRegistry(builtinComponents)
const router = components.get('ConditionalRouter')

function given<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('not there')
  return value
}

/** The node as version 1.7 saves it, or as older ones did. */
async function toolNode(other: boolean) {
  const node = createNode(given(router), { id: 'ConditionalRouter-1' })
  if (other) {
    node.data.node.template.message = {
      type: 'bool',
      name: 'message',
      value: false,
      show: true,
    }
  }
  return refreshNode(given(router), node, { field: 'tool_mode', value: true })
}

function argumentsOf(rows: unknown): string[] {
  const [row] = rows as { args: object }[]
  return Object.keys(given(row).args)
}

describe('CO-20: fields of other versions', () => {
  test.each([false, true])(
    'are arguments of a tool only if the node has them (%s)',
    async (other) => {
      const node = await toolNode(other)
      const names = argumentsOf(node.data.node.template.tools_metadata?.value)
      expect(names).toContain('match_text')
      expect(names.includes('message')).toBe(other)

      const model = createScriptedModel([{ text: 'done' }])
      const flow = flowBuilder()
      flow.add('ChatInput', { id: 'ChatInput-1' })
      flow.add('Agent', { id: 'Agent-1' })
      flow.connect('ChatInput-1.message', 'Agent-1.input_value')
      const json = flow.toJSON()
      json.data?.nodes?.push(node)
      json.data?.edges?.push({
        id: 'tools',
        source: 'ConditionalRouter-1',
        target: 'Agent-1',
        data: {
          sourceHandle: {
            dataType: 'ConditionalRouter',
            id: 'ConditionalRouter-1',
            name: 'component_as_tool',
            output_types: ['Tool'],
          },
          targetHandle: { fieldName: 'tools', id: 'Agent-1', inputTypes: ['Tool'], type: 'other' },
        },
      })
      const run = runFlow(json, { components, services: { models: model }, input: 'hi' })
      expect(await run.result).toMatchObject({ status: 'succeeded' })
      const [tool] = given(model.requests[0]).tools ?? []
      const { properties } = given(tool).parameters as { properties: object }
      expect([tool?.name, 'message' in properties]).toEqual(['true_response', other])
    },
  )
})
