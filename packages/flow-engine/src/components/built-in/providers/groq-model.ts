import type { ChatModel } from '../../../models/chat-model.ts'
import type { ComponentContext } from '../../define/context.ts'
import { defineComponent } from '../../define/define.ts'
import { field } from '../../define/field.ts'
import { output } from '../../define/output.ts'
import { answerOf, compatibleModel } from './compatible-model.ts'

const advanced = { advanced: true } as const

/** A chat model of Groq (MO-10). */
export const groqModel = defineComponent({
  type: 'GroqModel',
  displayName: 'Groq',
  description: 'Asks a language model of Groq.',
  icon: 'Groq',
  category: 'groq',
  module: 'lfx.components.groq.groq.GroqModel',
  inputs: {
    input_value: field.message({ displayName: 'Input' }),
    system_message: field.multiline({ displayName: 'System Message' }),
    stream: field.bool({ displayName: 'Stream', default: false, ...advanced }),
    api_key: field.secret({ displayName: 'Groq API Key' }),
    base_url: field.text({
      displayName: 'Groq API Base',
      default: 'https://api.groq.com',
      ...advanced,
    }),
    max_tokens: field.int({
      displayName: 'Max Tokens',
      info: 'Longest answer; 0 sets no limit.',
      default: 0,
      ...advanced,
    }),
    temperature: field.slider({
      displayName: 'Temperature',
      default: 0.1,
      min: 0,
      max: 2,
      step: 0.01,
      ...advanced,
    }),
    n: field.int({
      displayName: 'N',
      info: 'Answers to ask for; the first counts.',
      default: 0,
      ...advanced,
    }),
    model_name: field.dropdown({
      displayName: 'Model',
      options: ['llama-3.1-8b-instant', 'llama-3.3-70b-versatile'],
      default: 'llama-3.1-8b-instant',
      combobox: true,
    }),
    tool_model_enabled: field.bool({
      displayName: 'Enable Tool Models',
      info: 'Without effect: every model may use tools.',
      default: false,
      ...advanced,
    }),
  },
  outputs: {
    text_output: output.message({
      displayName: 'Model Response',
      method: 'text_response',
      run: async (inputs, ctx) => answerOf(await buildModel(inputs, ctx), inputs, ctx, 'Groq'),
    }),
    model_output: output.model({
      displayName: 'Language Model',
      method: 'build_model',
      run: (inputs, ctx) => buildModel(inputs, ctx),
    }),
  },
})

interface ModelInputs {
  readonly stream: boolean
  readonly api_key: string | null
  readonly base_url: string
  readonly max_tokens: number
  readonly temperature: number
  readonly n: number
  readonly model_name: string
}

function buildModel(inputs: ModelInputs, ctx: ComponentContext): Promise<ChatModel> {
  return compatibleModel(ctx, {
    displayName: 'Groq',
    provider: 'Groq',
    model: inputs.model_name,
    apiKey: inputs.api_key,
    baseUrl: inputs.base_url,
    maxTokens: inputs.max_tokens,
    body: { n: inputs.n },
    streams: inputs.stream,
    temperature: inputs.temperature,
  })
}
