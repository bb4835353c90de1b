import {
  createRegistry,
  defineComponent,
  field,
  output,
  type Component,
  type FlowJson,
} from '@x/flow-engine'
import { agent, chatInput, chatOutput, humanInput, languageModel } from '@x/flow-engine/components'
import { flowBuilder } from '@x/flow-engine/testing'

export const send = defineComponent({
  type: 'Send',
  description: 'Sends a mail.',
  inputs: { to: field.text({ toolMode: true, required: true }) },
  outputs: { send: output.message({ run: ({ to }) => `sent to ${to}` }) },
})

const fail: Component = defineComponent({
  type: 'Fail',
  inputs: { input: field.message() },
  outputs: {
    message: output.message({
      run() {
        throw new Error('It is broken')
      },
    }),
  },
})

export const components = createRegistry([
  chatInput,
  chatOutput,
  agent,
  humanInput,
  languageModel,
  send,
  fail,
])

export function echoFlow(): FlowJson {
  const flow = flowBuilder('Echo')
  flow.add(chatInput, { id: 'ChatInput-1' })
  flow.add(chatOutput, { id: 'ChatOutput-1' })
  return flow.connect('ChatInput-1.message', 'ChatOutput-1.input_value').toJSON()
}

export function failingFlow(): FlowJson {
  const flow = flowBuilder('Failing')
  flow.add(chatInput, { id: 'ChatInput-1' })
  flow.add(fail, { id: 'Fail' })
  flow.add(chatOutput, { id: 'ChatOutput-1' })
  return flow
    .connect('ChatInput-1.message', 'Fail.input')
    .connect('Fail.message', 'ChatOutput-1.input_value')
    .toJSON()
}

/** A model whose text is streamed. */
export function modelFlow(): FlowJson {
  const flow = flowBuilder('Model')
  flow.add(chatInput, { id: 'ChatInput-1' })
  flow.add(languageModel, { id: 'Model', values: { stream: true } })
  flow.add(chatOutput, { id: 'ChatOutput-1' })
  return flow
    .connect('ChatInput-1.message', 'Model.input_value')
    .connect('Model.text_output', 'ChatOutput-1.input_value')
    .toJSON()
}

/** A question with a chat output behind each of its branches. */
export function questionFlow(): FlowJson {
  const flow = flowBuilder('Question')
  flow.add(chatInput, { id: 'ChatInput-1' })
  flow.add(humanInput, { id: 'Ask', values: { decisions: ['Approve', 'Reject'] } })
  flow.connect('ChatInput-1.message', 'Ask.prompt')
  for (const branch of ['approve', 'reject']) {
    flow.add(chatOutput, { id: `ChatOutput-${branch}` })
    flow.connect(`Ask.branch_${branch}`, `ChatOutput-${branch}.input_value`)
  }
  return flow.toJSON()
}

/** An agent with the tool `send`. @param actions what a person may decide about its calls */
export function agentFlow(actions: readonly string[] = []): FlowJson {
  const flow = flowBuilder('Agent')
  flow.add(chatInput, { id: 'ChatInput-1' })
  flow.add(send, { id: 'Send-1', toolMode: true })
  flow.add(agent, { id: 'Agent-1', values: { add_current_date_tool: false } })
  flow.add(chatOutput, { id: 'ChatOutput-1' })
  flow
    .connect('ChatInput-1.message', 'Agent-1.input_value')
    .connect('Send-1.component_as_tool', 'Agent-1.tools')
    .connect('Agent-1.response', 'ChatOutput-1.input_value')
  const json = flow.toJSON()
  const metadata = json.data?.nodes?.find(({ id }) => id === 'Send-1')?.data.node.template
    .tools_metadata
  for (const row of (metadata?.value ?? []) as Record<string, unknown>[])
    row.approval_actions = actions
  return json
}
