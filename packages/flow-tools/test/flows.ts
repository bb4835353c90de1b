import type { FlowJson } from '@x/flow-engine'
import { createFlow } from '@x/flow-engine'
import {
  chatInput,
  chatOutput,
  languageModel,
  memory,
  promptTemplate,
  textInput,
} from '@x/flow-engine/components'

/** Chat input and a tone feed a prompt, a model answers. */
export function supportFlow(): FlowJson {
  const flow = createFlow('Support')
  const question = flow.add(chatInput, { id: 'ChatInput-in' })
  const template = flow.add(promptTemplate, {
    id: 'Prompt-main',
    values: { template: 'Tone: {tone}\nSign: {sign}\n\n{question}' },
    fields: { tone: '', sign: 'Your team', question: '' },
  })
  const model = flow.add(languageModel, { id: 'LanguageModelComponent-llm' })
  const answer = flow.add(chatOutput, { id: 'ChatOutput-out' })
  flow.connect(question.outputs.message, template.input('question'))
  flow.connect(template.outputs.prompt, model.inputs.input_value)
  flow.connect(model.outputs.text_output, answer.inputs.input_value)
  return withPromptFields(flow.toJSON())
}

/** A text without a model. */
export function textFlow(): FlowJson {
  const flow = createFlow('Text')
  const text = flow.add(textInput, { id: 'TextInput-a', values: { input_value: 'Hello' } })
  const past = flow.add(memory, { id: 'Memory-m' })
  const shown = flow.add(chatOutput, { id: 'ChatOutput-o' })
  flow.connect(text.outputs.text, shown.inputs.input_value)
  void past
  return flow.toJSON()
}

/** Fields of variables as the editor writes them. */
function withPromptFields(flow: FlowJson): FlowJson {
  for (const node of flow.data?.nodes ?? [])
    if (node.data.type === 'Prompt')
      for (const name of ['tone', 'sign', 'question'])
        Object.assign(node.data.node.template[name] ?? {}, {
          type: 'str',
          input_types: ['Message'],
          show: true,
        })
  return flow
}
