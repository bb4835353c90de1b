import { field } from '@x/flow-engine'
import { answersField, maxTokensField, temperatureField, toolModelField } from './chat-fields.ts'
import { compatibleModel } from './compatible-model.ts'
import { defineChatModel } from './define-chat-model.ts'

/** A Groq chat model. */
export const groqModel = defineChatModel({
  type: 'GroqModel',
  displayName: 'Groq',
  description: 'Sends a message to a Groq model.',
  icon: 'Groq',
  category: 'groq',
  module: 'lfx.components.groq.groq.GroqModel',
  inputs: {
    api_key: field.secret({ displayName: 'Groq API Key' }),
    base_url: field.text({
      displayName: 'Groq API Base',
      default: 'https://api.groq.com',
      advanced: true,
    }),
    max_tokens: maxTokensField('Max Tokens'),
    temperature: temperatureField(0.1),
    n: answersField(),
    model_name: field.dropdown({
      displayName: 'Model',
      options: ['llama-3.1-8b-instant', 'llama-3.3-70b-versatile'],
      default: 'llama-3.1-8b-instant',
      combobox: true,
    }),
    tool_model_enabled: toolModelField(),
  },
  build: (inputs, ctx) =>
    compatibleModel(ctx, {
      displayName: 'Groq',
      provider: 'Groq',
      model: inputs.model_name,
      apiKey: inputs.api_key,
      baseUrl: inputs.base_url,
      maxTokens: inputs.max_tokens,
      body: { n: inputs.n },
      streams: inputs.stream,
      temperature: inputs.temperature,
    }),
})
