import { startFakeOpenAi } from '@x/flow-engine/testing'
import { afterAll, expect, test } from 'vitest'
import {
  catalogueNode,
  flowOf,
  importFlow,
  messageOf,
  nodeOf,
  runFlow,
  sharedService,
} from './flow-calls.ts'
import { createFlow, eventsOf, graphOf } from './flows.ts'
import { newPerson } from './people.ts'
import type { FlowNode, NodeDetails } from '@x/flow-engine'
import type { Service } from './service.ts'

const model = await startFakeOpenAi()
afterAll(() => model.close())
const service = sharedService({ OPENAI_BASE_URL: model.url })

const shouting = (): unknown =>
  graphOf((flow) => {
    const input = flow.add('ChatInput', { id: 'ChatInput-in' })
    const prompt = flow.add('Prompt Template', { values: { template: '{text}!!', text: '' } })
    flow.connect(`${input}.message`, `${prompt}.text`)
    flow.connect(
      `${prompt}.prompt`,
      `${flow.add('ChatOutput', { id: 'ChatOutput-out' })}.input_value`,
    )
  })

/** A Run Flow node after the editor has chosen a flow for it. */
async function runFlowNode(to: Service, name: string): Promise<FlowNode> {
  const node = await catalogueNode(to, 'RunFlow')
  const answer = await to.call('POST', '/api/v1/custom_component/update', {
    body: {
      code: node.template.code?.value ?? '',
      template: node.template,
      field: 'flow_name_selected',
      field_value: name,
      tool_mode: false,
    },
  })
  return nodeOf('RunFlow-1', 'RunFlow', { ...node, ...(answer.json() as NodeDetails) })
}

test("MO-60 a flow runs another: its fields and outputs are shown, its messages belong to the caller's session", async () => {
  const inner = await createFlow(service(), { name: 'Shout', data: shouting() })
  const node = await runFlowNode(service(), 'Shout')
  const { template, outputs = [] } = node.data.node
  expect(template['flow_name_selected']).toMatchObject({
    options: expect.arrayContaining(['Shout']) as [],
  })
  expect(template['flow_id_selected']).toMatchObject({ value: inner.id })
  expect(Object.keys(template)).toContain('ChatInput-in~input_value')
  expect(outputs.map(({ name }) => name)).toEqual(['ChatOutput-out~message'])

  const outer = flowOf(
    'Outer',
    {
      input: nodeOf('ChatInput-1', 'ChatInput', await catalogueNode(service(), 'ChatInput')),
      inner: node,
      output: nodeOf('ChatOutput-1', 'ChatOutput', await catalogueNode(service(), 'ChatOutput')),
    },
    [
      ['input.message', 'inner.ChatInput-in~input_value'],
      ['inner.ChatOutput-out~message', 'output.input_value'],
    ],
  )
  const id = await importFlow(service(), outer)
  expect(messageOf(await runFlow(service(), id, 'hello'))).toBe('hello!!')
  const built = await service().call('POST', `/api/v1/build/${id}/flow?event_delivery=direct`, {
    body: { inputs: { input_value: 'again', session: 'nested' } },
  })
  const said = eventsOf(built).filter(({ event }) => event === 'add_message')
  expect(said.map(({ data }) => data['text'])).toContain('again!!')
  const stored = await service().call('GET', '/api/v1/monitor/messages?session_id=nested')
  expect(stored.text).toContain('again!!')

  // The flow is changed under the node, and then is gone.
  const without = graphOf((flow) => void flow.add('ChatInput', { id: 'ChatInput-in' }))
  await service().call('PATCH', `/api/v1/flows/${inner.id}`, { body: { data: without } })
  const changed = await runFlow(service(), id, 'hello')
  expect(changed.text).toContain("Flow 'Shout' has no output ChatOutput-out~message")
  await service().call('DELETE', `/api/v1/flows/${inner.id}`)
  const gone = await runFlow(service(), id, 'hello')
  expect(gone.text).toContain(`Flow '${inner.id}' not found`)
})

test('MO-60 an agent calls another flow', async () => {
  await createFlow(service(), {
    name: 'Loud voice',
    description: 'Says it louder.',
    data: shouting(),
  })
  const data = graphOf((flow) => {
    const input = flow.add('ChatInput')
    const tool = flow.add('RunFlow', {
      toolMode: true,
      values: { flow_name_selected: 'Loud voice' },
    })
    const agent = flow.add('Agent', { values: { api_key: 'sk-journey' } })
    flow.connect(`${input}.message`, `${agent}.input_value`)
    flow.connect(`${tool}.component_as_tool`, `${agent}.tools`)
    flow.connect(`${agent}.response`, `${flow.add('ChatOutput')}.input_value`)
  })
  const flow = await createFlow(service(), { name: 'Asks', data })
  model.reply(
    { toolCalls: [{ name: 'Loud_voice', args: { 'ChatInput-in_input_value': 'ahoy' } }] },
    'It said ahoy!!',
  )
  const answer = await runFlow(service(), flow.id, 'Say ahoy')
  expect(messageOf(answer)).toBe('It said ahoy!!')
  const { messages, tools } = model.requests.at(-1) as {
    messages: { role: string; content: string }[]
    tools: { function: { name: string; description: string } }[]
  }
  expect(tools[0]?.function).toMatchObject({
    name: 'Loud_voice',
    description: 'Says it louder.',
  })
  expect(messages.find(({ role }) => role === 'tool')?.content).toContain('ahoy!!')
})

test('MO-60 a flow that calls itself is stopped; flows of other users are not found', async () => {
  const calling = async (name: string) => {
    const inner = await catalogueNode(service(), 'RunFlow')
    const chosen = { ...inner.template['flow_name_selected'], value: name }
    const outputs = [{ name: 'flow_outputs', display_name: 'Flow Outputs', types: ['Message'] }]
    const details = {
      ...inner,
      template: { ...inner.template, flow_name_selected: chosen },
      outputs,
    }
    const output = await catalogueNode(service(), 'ChatOutput')
    const nodes = {
      inner: nodeOf('RunFlow-1', 'RunFlow', details),
      output: nodeOf('ChatOutput-1', 'ChatOutput', output),
    }
    return flowOf(name, nodes, [['inner.flow_outputs', 'output.input_value']])
  }
  const endless = await importFlow(service(), await calling('Endless'))
  const answer = await runFlow(service(), endless, '')
  expect(answer.status).toBeGreaterThanOrEqual(400)
  expect(answer.text).toContain('Flows are nested more than 8 deep')

  const eve = await newPerson(service(), 'eve')
  const stolen = { ...(await calling('Endless')), name: 'Stolen' }
  const copy = await importFlow(service(), stolen, { key: eve.key })
  const refused = await runFlow(service(), copy, '', { key: eve.key })
  expect(refused.text).toContain("Flow 'Endless' not found")
})
