import { trimSlashes } from '@x/wire'
import { field } from '@x/flow-engine'
import { temperatureField } from './chat-fields.ts'
import { compatibleModel } from './compatible-model.ts'
import { defineChatModel } from './define-chat-model.ts'

const MODELS = [
  'meta-llama/Llama-3.3-70B-Instruct',
  'mistralai/Mixtral-8x7B-Instruct-v0.1',
  'mistralai/Mistral-7B-Instruct-v0.3',
  'meta-llama/Llama-3.1-8B-Instruct',
  'Qwen/Qwen2.5-Coder-32B-Instruct',
  'Qwen/QwQ-32B-Preview',
  'openai-community/gpt2',
]
/** The option that selects the field Custom Model ID. */
const CUSTOM = 'custom'

/** A chat model of Hugging Face's router or of a self-hosted endpoint. */
export const huggingFaceModel = defineChatModel({
  type: 'HuggingFaceModel',
  displayName: 'Hugging Face',
  description: 'Sends a message to a model hosted by Hugging Face.',
  icon: 'HuggingFace',
  category: 'huggingface',
  module: 'lfx.components.huggingface.huggingface.HuggingFaceEndpointsComponent',
  inputs: {
    model_id: field.dropdown({
      displayName: 'Model ID',
      options: [...MODELS, CUSTOM],
      default: 'meta-llama/Llama-3.3-70B-Instruct',
      required: true,
      refresh: true,
    }),
    custom_model: field.string({ displayName: 'Custom Model ID', required: true, show: false }),
    max_new_tokens: field.int({
      displayName: 'Max New Tokens',
      info: 'Maximum number of output tokens; 0 for no limit.',
      default: 512,
    }),
    top_k: field.int({ displayName: 'Top K', info: 'Has no effect.', advanced: true }),
    top_p: field.float({ displayName: 'Top P', default: 0.95, advanced: true }),
    typical_p: field.float({
      displayName: 'Typical P',
      info: 'Has no effect.',
      default: 0.95,
      advanced: true,
    }),
    temperature: temperatureField(0.8),
    repetition_penalty: field.float({
      displayName: 'Repetition Penalty',
      info: 'Has no effect.',
      advanced: true,
    }),
    inference_endpoint: field.string({
      displayName: 'Inference Endpoint',
      info: 'URL of your own server; its path ends in /v1.',
      default: 'https://api-inference.huggingface.co/models/',
      required: true,
    }),
    task: field.dropdown({
      displayName: 'Task',
      info: 'Has no effect: models are used through the chat API.',
      options: ['text2text-generation', 'text-generation', 'summarization', 'translation'],
      default: 'text-generation',
      advanced: true,
    }),
    huggingfacehub_api_token: field.secret({
      displayName: 'HuggingFace HubAPI Token',
      required: true,
    }),
    model_kwargs: field.dict({
      displayName: 'Model Keyword Arguments',
      info: 'Additional properties of each request body.',
      default: {},
      advanced: true,
    }),
    retry_attempts: field.int({ displayName: 'Retry Attempts', default: 1, advanced: true }),
  },
  build: (inputs, ctx) =>
    compatibleModel(ctx, {
      displayName: 'Hugging Face',
      provider: 'Hugging Face',
      model: inputs.model_id === CUSTOM ? inputs.custom_model : inputs.model_id,
      apiKey: inputs.huggingfacehub_api_token,
      baseUrl: ownServer(inputs.inference_endpoint),
      maxTokens: inputs.max_new_tokens,
      body: { ...inputs.model_kwargs, top_p: inputs.top_p },
      options: { maxRetries: inputs.retry_attempts },
      streams: inputs.stream,
      temperature: inputs.temperature,
    }),
  refresh(template, name, value) {
    if (name !== 'model_id' || template.custom_model === undefined) return
    template.custom_model.show = value === CUSTOM
  },
})

/** Returns another host's URL with /v1; "" for Hugging Face's own, because its router serves all models. */
function ownServer(endpoint: string): string {
  if (!URL.canParse(endpoint)) return endpoint
  const { hostname } = new URL(endpoint)
  if (hostname === 'huggingface.co' || hostname.endsWith('.huggingface.co')) return ''
  return `${trimSlashes(endpoint).replace(/\/v1$/, '')}/v1`
}
