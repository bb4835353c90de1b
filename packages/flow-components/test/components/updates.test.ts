import { describe, expect, test } from 'vitest'
import { builtinComponents, file } from '@x/flow-components'
import { memory, parser, typeConverter } from '@x/flow-engine/components'
import type { Component } from '@x/flow-engine'
import { createNode } from '@x/flow-engine'
import { defineComponent } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import type { FlowNode } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { refreshDetails } from '@x/flow-engine/internal'
import { refreshNode } from '@x/flow-engine'
import type { Tool } from '@x/flow-engine'
import { testComponent } from '@x/flow-engine/testing'
import { given } from '../../../flow-engine/test/engine/dependencies.ts'

const names = ({ data }: FlowNode) => data.node.outputs?.map(({ name }) => name)

async function changed(component: Component, changes: readonly (readonly [string, unknown])[]) {
  let node = createNode(component)
  for (const [name, value] of changes)
    node = await refreshNode(component, node, { field: name, value })
  return node
}

describe('updates of a node in the editor (CO-15)', () => {
  test('CO-15: TypeConverter has only the output for its type, also after several changes', async () => {
    expect(names(createNode(typeConverter))).toEqual(['message_output'])
    for (const [type, name] of [
      ['Data', 'data_output'],
      ['DataFrame', 'dataframe_output'],
      ['Message', 'message_output'],
    ]) {
      expect(names(await changed(typeConverter, [['output_type', type]]))).toEqual([name])
    }
    const twice = await changed(typeConverter, [
      ['output_type', 'Data'],
      ['auto_parse', true],
    ])
    expect(names(twice)).toEqual(['data_output'])
  })

  test('CO-15: File has the outputs that match its files', async () => {
    const after = async (...paths: string[]) => names(await changed(file, [['path', paths]]))
    expect(await after('a.csv')).toEqual(['dataframe', 'message', 'path'])
    expect(await after('a.json')).toEqual(['json', 'message', 'path'])
    expect(await after('a.txt')).toEqual(['message', 'path'])
    expect(await after('a.txt', 'b.csv')).toEqual(['dataframe'])
    expect(await after()).toEqual(['message'])
  })

  test('CO-15: Memory shows the fields and outputs of its mode, also after switching back', async () => {
    const shown = ({ data }: FlowNode, name: string) => data.node.template[name]?.show
    const storing = await changed(memory, [['mode', 'Store']])
    expect(names(storing)).toEqual(['stored_messages'])
    expect([shown(storing, 'message'), shown(storing, 'template')]).toEqual([true, false])
    const back = await changed(memory, [
      ['mode', 'Store'],
      ['mode', 'Retrieve'],
    ])
    expect(names(back)).toEqual(['messages_text', 'dataframe'])
    expect([shown(back, 'message'), shown(back, 'template')]).toEqual([false, true])
  })

  test('CO-15: Memory and Parser show the fields of the submitted mode and the outputs of the requested one', async () => {
    const update = async (component: Component, sent: string, value: string) => {
      const { node } = createNode(component, { values: { mode: sent } }).data
      const { template, outputs } = await refreshDetails(component, node, { field: 'mode', value })
      const shown = (name: string) => template[name]?.show
      return { template, shown, outputs: outputs?.map(({ name }) => name) }
    }
    const retrieves = await update(memory, 'Retrieve', 'Store')
    expect(retrieves.outputs).toEqual(['stored_messages'])
    expect(['message', 'sender', 'template', 'order'].map(retrieves.shown)).toEqual([
      false,
      false,
      true,
      true,
    ])
    expect(retrieves.template.mode?.value).toBe('Retrieve')
    const stores = await update(memory, 'Store', 'Retrieve')
    expect(stores.outputs).toEqual(['messages_text', 'dataframe'])
    expect(['message', 'sender', 'template', 'order'].map(stores.shown)).toEqual([
      true,
      true,
      false,
      false,
    ])
    const facts = async (sent: string, value: string) => {
      const { template } = await update(parser, sent, value)
      const { pattern, mode, clean_data: clean } = template
      return [pattern?.show, pattern?.required, mode?.value, clean?.value]
    }
    expect(await facts('Stringify', 'Parser')).toEqual([false, false, 'Stringify', true])
    expect(await facts('Parser', 'Stringify')).toEqual([true, true, 'Parser', true])
    expect(await facts('Stringify', 'Stringify')).toEqual([false, false, 'Stringify', true])
  })

  test('CO-15: tool mode replaces the outputs by one Toolset and lists the actions of every component that offers some', async () => {
    const on = { field: 'tool_mode', value: true, toolMode: true }
    const offering = builtinComponents.filter(
      (component) =>
        component.toTools === undefined &&
        Object.values(component.inputs).some(({ options }) => options.toolMode),
    )
    expect(offering.length).toBeGreaterThan(10)
    for (const component of offering) {
      const { node } = (await refreshNode(component, createNode(component), on)).data
      expect(node.outputs).toMatchObject([
        {
          name: 'component_as_tool',
          display_name: 'Toolset',
          types: ['Tool'],
          method: 'to_toolkit',
        },
      ])
      expect(node.tool_mode).toBe(true)
      const { tools_metadata: actions } = node.template
      expect(actions).toMatchObject({ display_name: 'Actions', _input_type: 'ToolsInput' })
      expect(actions?.value).toEqual(expect.arrayContaining([expect.anything()]))
    }
  })
})

describe('actions of a node in tool mode (CO-21)', () => {
  const several = defineComponent({
    type: 'Several',
    description: 'Declared.',
    inputs: { text: field.text({ toolMode: true, info: 'What.' }) },
    outputs: {
      first: output.message({ method: 'do_first', run: ({ text }) => `first ${text}` }),
      second: output.message({ method: 'do_second', run: ({ text }) => `second ${text}` }),
    },
  })
  const toolsWith = async (tools_metadata: unknown) =>
    (
      await testComponent(several, {
        output: 'component_as_tool',
        inputs: { tools_metadata },
      })
    ).value as Tool[]
  const { signal } = new AbortController()

  test('CO-21: a row has all the values that the editor shows for an action', async () => {
    const change = { field: 'tool_mode', value: true, toolMode: true }
    const { template } = (await refreshNode(several, createNode(several), change)).data.node
    const [row] = given(template.tools_metadata).value as unknown[]
    expect(row).toEqual({
      name: 'do_first',
      description: 'Declared.',
      tags: ['do_first'],
      status: true,
      display_name: 'do_first',
      display_description: 'Declared.',
      readonly: false,
      args: { text: expect.objectContaining({ type: 'string', description: 'What.' }) },
    })
  })

  test('CO-21: rows are matched by their first tag, not by name or position; both tools remain the same', async () => {
    const tools = await toolsWith([
      {
        name: 'do_first',
        description: 'Now second.',
        tags: ['do_second', 'do_first'],
        status: true,
      },
      { name: 'renamed', description: 'Now first.', tags: ['do_first'], status: true },
    ])
    expect(tools.map(({ name, description }) => [name, description])).toEqual([
      ['renamed', 'Now first.'],
      ['do_first', 'Now second.'],
    ])
    expect(tools.map(({ tags }) => tags)).toEqual([['do_first'], ['do_second']])
    expect(await tools[0]?.call({ text: 'x' }, { signal })).toBe('first x')
    expect(await tools[1]?.call({ text: 'x' }, { signal })).toBe('second x')
  })

  test('CO-21: status false removes the tool; rows with unknown tags, without tags or of another shape have no effect', async () => {
    const tools = await toolsWith([
      { name: 'gone', description: '', tags: ['do_first'], status: false },
      { name: 'stranger', description: 'x', tags: ['do_third'], status: false },
      { name: 'do_second', status: false },
      'do_second',
      null,
    ])
    expect(tools.map(({ name, description }) => [name, description])).toEqual([
      ['do_second', 'Declared.'],
    ])
    expect(await toolsWith('no list')).toHaveLength(2)
  })

  test('CO-21: an empty name or description keeps that of the tool', async () => {
    const [tool] = await toolsWith([
      { name: '', description: '', tags: ['do_first'], status: true },
    ])
    expect([tool?.name, tool?.description]).toEqual(['do_first', 'Declared.'])
  })

  test('CO-21: edits stay with their action when tool mode is switched again and an action is new', async () => {
    const change = { field: 'tool_mode', value: true, toolMode: true }
    const node = createNode(several)
    node.data.node.template.tools_metadata = {
      value: [{ name: 'mine', description: 'Mine.', tags: ['do_second'], status: false, args: {} }],
    }
    const { template } = (await refreshNode(several, node, change)).data.node
    expect(template.tools_metadata?.value).toMatchObject([
      { name: 'do_first', status: true },
      { name: 'mine', description: 'Mine.', tags: ['do_second'], status: false },
    ])
    const [, mine] = given(template.tools_metadata).value as { args: object }[]
    expect(mine?.args).toHaveProperty('text')
  })
})
