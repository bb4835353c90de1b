import { watsonxEndpoints, watsonxModels } from '@x/flow-engine/internal'
import { field } from '@x/flow-engine'
import { temperatureField } from './chat-fields.ts'
import { compatibleModel, requireText } from './compatible-model.ts'
import { defineChatModel } from './define-chat-model.ts'

const slider = (displayName: string, value: number, [min, max]: readonly [number, number]) =>
  field.slider({ displayName, default: value, min, max, step: 0.01, advanced: true })

/** An IBM watsonx.ai chat model. */
export const ibmWatsonxModel = defineChatModel({
  type: 'IBMwatsonxModel',
  aliases: ['WatsonxComponent'],
  displayName: 'IBM watsonx.ai',
  description: 'Sends a message to an IBM watsonx.ai model.',
  icon: 'WatsonxAI',
  category: 'ibm',
  module: 'lfx.components.ibm.watsonx.WatsonxAIComponent',
  inputs: {
    base_url: field.dropdown({
      closed: false,
      displayName: 'watsonx API Endpoint',
      options: [...watsonxEndpoints],
      // Older flows have the endpoint in `url`.
      attributes: { required: true },
    }),
    url: field.string({
      displayName: 'URL',
      info: 'API endpoint in older flows.',
      newer: true,
    }),
    project_id: field.string({ displayName: 'watsonx Project ID', required: true }),
    api_key: field.secret({ displayName: 'Watsonx API Key', required: true }),
    model_name: field.dropdown({
      displayName: 'Model Name',
      options: [...watsonxModels],
      required: true,
      combobox: true,
    }),
    max_tokens: field.int({
      displayName: 'Max Tokens',
      default: 1000,
      min: 1,
      max: 4096,
      advanced: true,
    }),
    stop_sequence: field.string({ displayName: 'Stop Sequence', advanced: true }),
    temperature: temperatureField(0.1),
    top_p: slider('Top P', 0.9, [0, 1]),
    frequency_penalty: slider('Frequency Penalty', 0.5, [-2, 2]),
    presence_penalty: slider('Presence Penalty', 0.3, [-2, 2]),
    seed: field.int({ displayName: 'Random Seed', default: 8, advanced: true }),
    logprobs: field.bool({
      displayName: 'Log Probabilities',
      info: 'Has no effect.',
      default: true,
      advanced: true,
    }),
    top_logprobs: field.int({
      displayName: 'Top Log Probabilities',
      info: 'Has no effect.',
      default: 3,
      advanced: true,
    }),
    logit_bias: field.string({
      displayName: 'Logit Bias',
      info: 'Has no effect.',
      advanced: true,
    }),
  },
  build: async (inputs, ctx) =>
    compatibleModel(ctx, {
      displayName: 'IBM watsonx.ai',
      provider: 'IBM WatsonX',
      model: requireText('Model Name', inputs.model_name),
      apiKey: inputs.api_key,
      baseUrl: requireText('watsonx API Endpoint', inputs.base_url || inputs.url),
      maxTokens: inputs.max_tokens,
      body: {
        top_p: inputs.top_p,
        frequency_penalty: inputs.frequency_penalty,
        presence_penalty: inputs.presence_penalty,
        seed: inputs.seed,
        stop: inputs.stop_sequence === '' ? null : [inputs.stop_sequence],
      },
      options: { projectId: requireText('watsonx Project ID', inputs.project_id) },
      streams: inputs.stream,
      temperature: inputs.temperature,
    }),
})
