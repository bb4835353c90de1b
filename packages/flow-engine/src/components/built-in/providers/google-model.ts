import type { ChatModel } from '../../../models/chat-model.ts'
import type { ComponentContext } from '../../define/context.ts'
import { defineComponent } from '../../define/define.ts'
import { field } from '../../define/field.ts'
import { output } from '../../define/output.ts'
import { answerOf, compatibleModel } from './compatible-model.ts'

const advanced = { advanced: true } as const

/** A chat model of Google (MO-11). */
export const googleGenerativeAIModel = defineComponent({
  type: 'GoogleGenerativeAIModel',
  displayName: 'Google Generative AI',
  description: 'Asks a language model of Google Generative AI.',
  icon: 'GoogleGenerativeAI',
  category: 'google',
  module: 'lfx.components.google.google_generative_ai.GoogleGenerativeAIComponent',
  inputs: {
    input_value: field.message({ displayName: 'Input' }),
    system_message: field.multiline({ displayName: 'System Message' }),
    stream: field.bool({ displayName: 'Stream', default: false, ...advanced }),
    max_output_tokens: field.int({
      displayName: 'Max Output Tokens',
      info: 'Longest answer; 0 sets no limit.',
      default: 0,
    }),
    model_name: field.dropdown({
      displayName: 'Model',
      options: ['gemini-2.5-flash', 'gemini-2.5-pro', 'gemini-2.5-flash-lite'],
      default: 'gemini-2.5-flash',
      combobox: true,
    }),
    api_key: field.secret({ displayName: 'Google API Key' }),
    top_p: field.float({ displayName: 'Top P', ...advanced }),
    temperature: field.slider({
      displayName: 'Temperature',
      default: 0.1,
      min: 0,
      max: 2,
      step: 0.01,
    }),
    n: field.int({
      displayName: 'N',
      info: 'Answers to ask for; the first counts.',
      default: 0,
      ...advanced,
    }),
    top_k: field.int({
      displayName: 'Top K',
      info: 'Without effect: the protocol has no such setting.',
      default: 0,
      ...advanced,
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
      run: async (inputs, ctx) =>
        answerOf(await buildModel(inputs, ctx), inputs, ctx, 'GoogleGenerativeAI'),
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
  readonly max_output_tokens: number
  readonly model_name: string
  readonly api_key: string | null
  readonly top_p: number | null
  readonly temperature: number
  readonly n: number
}

function buildModel(inputs: ModelInputs, ctx: ComponentContext): Promise<ChatModel> {
  return compatibleModel(ctx, {
    displayName: 'Google Generative AI',
    provider: 'Google Generative AI',
    model: inputs.model_name,
    apiKey: inputs.api_key,
    maxTokens: inputs.max_output_tokens,
    body: { top_p: inputs.top_p, n: inputs.n },
    streams: inputs.stream,
    temperature: inputs.temperature,
  })
}
