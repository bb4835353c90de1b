import { beforeAll, describe, expect, test } from 'vitest'
import { flowBuilder } from '@x/flow-engine/testing'
import type { NodeDetails, NodeTemplate } from '@x/flow-engine'
import { createNode, createRegistry } from '@x/flow-engine'
import { refreshDetails } from '@x/flow-engine/internal'
import { builtinComponents } from '@x/flow-components'
import { createUserCalls } from '@x/test-kit'

type Calls = Awaited<ReturnType<typeof createUserCalls>>

let calls: Calls
beforeAll(async () => {
  calls = await createUserCalls()
  return () => calls.engine.close()
})

const nodes = Object.values(createRegistry(builtinComponents).catalogue()).flatMap((types) =>
  Object.entries(types),
)

/** The template that the service answers for a change in the editor. */
async function updated(template: NodeTemplate, field: string, value: unknown) {
  const sent = { code: template.code?.value, template, field, field_value: value }
  const { status, body } = await calls.call('POST', '/api/v1/custom_component/update', sent)
  expect(status).toBe(200)
  return (body as NodeDetails).template
}

function templateOf(type: string): NodeTemplate {
  const [, details] = nodes.find(([name]) => name === type) ?? []
  return structuredClone((details as NodeDetails).template)
}

test('FF-80: a file chosen in the editor keeps the shown name and the stored path', async () => {
  const template = templateOf('File')
  const chosen = { value: ['notes.txt'], file_path: ['user-1/3f2a_notes.txt'] }
  template.path = { ...template.path, ...chosen }
  const { path } = await updated(template, 'path', ['notes.txt'])
  expect(path).toEqual(template.path)
  const cleared = { ...template.path, value: '', file_path: '' }
  const after = await updated({ ...template, path: cleared }, 'path', '')
  expect(after.path).toEqual(cleared)
})

/** Keys that a field has beside its value. */
const SECOND: Readonly<Record<string, unknown>> = {
  file_path: ['user-1/a.txt'],
  selected_metadata: { icon: 'i' },
  options: ['one', 'two'],
  options_metadata: [{ icon: 'i' }, { icon: 'j' }],
  table_schema: { columns: [{ name: 'mine', type: 'str' }] },
  load_from_db: true,
}

/** Choices whose options are looked up, and a value that is made anew. */
const OWN_RULES = [
  'FlowTool.flow_name',
  'RunFlow.flow_name_selected',
  'SubFlow.flow_name',
  'IDGenerator.unique_id',
  'AnthropicModel.model_name',
]

test('FF-80: no key of a field is derived from its value, in any component', async () => {
  const changed: string[] = []
  for (const component of builtinComponents) {
    const node = createNode(component).data.node
    for (const [name, field] of Object.entries(node.template)) {
      const own = Object.keys(SECOND).filter((key) => Object.hasOwn(Object(field), key))
      if (own.length === 0 || name === 'code') continue
      const marked = { ...field, ...Object.fromEntries(own.map((key) => [key, SECOND[key]])) }
      const template = { ...node.template, [name]: marked }
      const value = field?.value ?? null
      const change = { field: name, value }
      const got = await refreshDetails(component, { ...node, template }, change)
      if (JSON.stringify(got.template[name]) !== JSON.stringify({ ...marked, value }))
        changed.push(`${component.type}.${name}`)
    }
  }
  expect(changed).toEqual(OWN_RULES)
})

interface Row {
  readonly name: string
  readonly description: string
  readonly args: Readonly<Record<string, unknown>>
  readonly [key: string]: unknown
}

/** What the editor sends when a person changes a field of a node. */
async function update(template: NodeTemplate, field: string, value: unknown, isTool: boolean) {
  const change = { field, field_value: value, tool_mode: isTool }
  const sent = { code: template.code?.value, template, ...change }
  return calls.call('POST', '/api/v1/custom_component/update', sent)
}

const rowsOf = (body: unknown): Row[] =>
  (body as NodeDetails).template.tools_metadata?.value as Row[]

/** A flow with a question and an answer. */
async function chatFlow(name: string, description: string): Promise<string> {
  const flow = flowBuilder(name)
  flow.add('ChatInput', { id: 'ChatInput-in' })
  flow.add('ChatOutput', { id: 'ChatOutput-out' })
  flow.connect('ChatInput-in.message', 'ChatOutput-out.input_value')
  return calls.create((flow.toJSON() as { data: unknown }).data, { name, description })
}

describe('FF-79: flows as tools in the editor', () => {
  const choosers = [
    ['RunFlow', 'flow_name_selected'],
    ['SubFlow', 'flow_name'],
    ['FlowTool', 'flow_name'],
  ] as const

  beforeAll(async () => {
    await chatFlow('Weather', 'Tells the weather.')
    await chatFlow('Stocks', 'Tells prices.')
    const { engine } = calls
    const bob = { username: 'bob', password: 'secret-2', isActive: true }
    const { id: userId } = await engine.services.users.create(bob)
    const theirs = new Request('http://host.example/api/v1/flows/', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Theirs', data: { nodes: [], edges: [] } }),
    })
    await engine.handler(theirs, { user: { userId, isSuperuser: false } })
  })

  test.each(choosers)(
    'FF-79: %s in tool mode lists the flow that is chosen',
    async (type, field) => {
      const template = templateOf(type)
      const none = await update(template, 'tool_mode', true, true)
      expect(none).toMatchObject({
        status: 200,
        body: { outputs: [{ name: 'component_as_tool' }] },
      })
      expect(rowsOf(none.body)).toEqual([])

      template[field] = { ...template[field], value: 'Weather' }
      const switched = await update(template, 'tool_mode', true, true)
      const [row, ...others] = rowsOf(switched.body)
      expect(others).toEqual([])
      expect(row).toMatchObject({
        name: 'Weather',
        description: 'Tells the weather.',
        status: true,
      })
      expect(Object.keys(row?.args ?? {})).toEqual(['ChatInput-in_input_value'])

      // A person renames the tool, chooses another flow, and comes back.
      const { template: tool } = switched.body as NodeDetails
      const edited = { ...row, name: 'forecast', status: false, approval_actions: ['approve'] }
      tool.tools_metadata = { ...tool.tools_metadata, value: [edited] }
      const same = await update(tool, field, 'Weather', true)
      expect(rowsOf(same.body)).toMatchObject([edited])
      const other = await update(tool, field, 'Stocks', true)
      expect(rowsOf(other.body)).toMatchObject([
        { name: 'Stocks', description: 'Tells prices.', status: true },
      ])
      expect((other.body as NodeDetails).outputs).toMatchObject([{ name: 'component_as_tool' }])
      const cleared = await update(tool, field, '', true)
      expect(rowsOf(cleared.body)).toEqual([])
      const off = await update(tool, 'tool_mode', false, true)
      expect((off.body as NodeDetails).template.tools_metadata).toBeUndefined()
    },
  )

  test.each(choosers)(
    "FF-79: %s names a flow that is gone or another user's",
    async (type, field) => {
      for (const name of ['Gone', 'Theirs']) {
        const template = templateOf(type)
        template[field] = { ...template[field], value: name }
        const refused = { status: 400, body: { detail: `Flow '${name}' not found` } }
        expect(await update(template, 'tool_mode', true, true)).toMatchObject(refused)
        expect(await update(template, field, name, true)).toMatchObject(refused)
      }
    },
  )

  test('FF-79: a description that nobody edited follows the flow', async () => {
    const id = await chatFlow('News', 'Old words.')
    const template = templateOf('RunFlow')
    const first = await update(template, 'flow_name_selected', 'News', true)
    expect(rowsOf(first.body)).toMatchObject([{ description: 'Old words.' }])
    await calls.call('PATCH', `/api/v1/flows/${id}`, { description: 'New words.' })
    const { template: tool } = first.body as NodeDetails
    const again = await update(tool, 'flow_name_selected', 'News', true)
    expect(rowsOf(again.body)).toMatchObject([{ description: 'New words.' }])
  })

  test('FF-79: Run Flow without a choice forgets the earlier flow, and gets its outputs back', async () => {
    const chosen = await update(templateOf('RunFlow'), 'flow_name_selected', 'Weather', false)
    const { template, outputs } = chosen.body as NodeDetails
    const tool = (await update(template, 'tool_mode', true, false)).body as NodeDetails
    const back = (await update(tool.template, 'tool_mode', false, true)).body as NodeDetails
    expect(back.outputs?.map(({ name }) => name)).toEqual(outputs?.map(({ name }) => name))
    const none = (await update(template, 'flow_name_selected', '', false)).body as NodeDetails
    expect(none.template.flow_id_selected).toMatchObject({ value: '' })
  })
})
