import type { ChatModel } from '../../../models/chat-model.ts'
import {
  anthropicModels,
  openAiChatModels,
  openAiReasoningModels,
  watsonxEndpoints,
  watsonxModels,
} from '../../../models/model-names.ts'
import { chosenChatModel, type ModelAccess } from '../../chat/chosen-model.ts'
import type { ComponentContext } from '../../define/context.ts'
import { defineComponent } from '../../define/define.ts'
import { field, type ProviderKey } from '../../define/field.ts'
import { askModel, questionMessages } from '../../chat/model-answer.ts'
import type { NodeTemplate } from '../../../graph/flow/node-json.ts'
import { output } from '../../define/output.ts'
import type { PickedModel } from '../../define/picked-model.ts'
import { googleModels, listOllamaModels } from './provider-models.ts'

const PROVIDERS = ['OpenAI', 'Anthropic', 'Google', 'IBM watsonx.ai', 'Ollama']
const openAiModels = [...openAiChatModels, ...openAiReasoningModels]

/** Asks a language model, or supplies the model to other components. */
export const languageModel = defineComponent({
  type: 'LanguageModelComponent',
  displayName: 'Language Model',
  description: 'Sends a message to a language model.',
  icon: 'brain-circuit',
  category: 'models_and_agents',
  module: 'lfx.components.models_and_agents.language_model.LanguageModelComponent',
  priority: 0,
  inputs: {
    provider: field.dropdown({
      displayName: 'Model Provider',
      refresh: true,
      options: PROVIDERS,
      attributes: {
        value: 'OpenAI',
        options_metadata: ['OpenAI', 'Anthropic', 'GoogleGenerativeAI', 'WatsonxAI', 'Ollama'].map(
          (icon) => ({ icon }),
        ),
      },
    }),
    model_name: field.dropdown({
      displayName: 'Model Name',
      refresh: true,
      options: openAiModels,
      attributes: { refresh_button: true, value: 'gpt-4o-mini' },
    }),
    model: field.picker({ displayName: 'Language Model', newer: true, refresh: true }),
    api_key: field.key({ displayName: 'OpenAI API Key', refresh: true }),
    base_url_ibm_watsonx: field.dropdown({
      displayName: 'watsonx API Endpoint',
      default: watsonxEndpoints[0],
      show: false,
      refresh: true,
      options: watsonxEndpoints,
    }),
    project_id: field.string({ displayName: 'watsonx Project ID', show: false }),
    ollama_base_url: field.text({
      displayName: 'Ollama API URL',
      default: 'http://localhost:11434',
      show: false,
      refresh: true,
      loadFromDb: true,
    }),
    input_value: field.message({ displayName: 'Input' }),
    system_message: field.multiline({ displayName: 'System Message' }),
    stream: field.bool({ displayName: 'Stream', advanced: true }),
    temperature: field.slider({
      displayName: 'Temperature',
      default: 0.1,
      advanced: true,
      min: 0,
      max: 1,
      step: 0.01,
    }),
    max_tokens: field.int({ displayName: 'Max Tokens', newer: true }),
  },
  outputs: {
    text_output: output.message({
      displayName: 'Model Response',
      method: 'text_response',
      async run(inputs, ctx) {
        const model = await buildModel(inputs, ctx)
        const messages = await questionMessages(inputs.input_value, inputs.system_message, ctx)
        return askModel(model, messages, { ctx, streams: inputs.stream, icon: 'brain-circuit' })
      },
    }),
    model_output: output.model({
      displayName: 'Language Model',
      method: 'build_model',
      run: (inputs, ctx) => buildModel(inputs, ctx),
    }),
  },
  async refresh(template, name, value, ctx) {
    if (name === 'provider') showProvider(template, String(value))
    const provider = template.provider?.value
    if (name === 'model_name' && provider === 'OpenAI') {
      // o1 models accept no system message.
      Object.assign(template.system_message ?? {}, { show: !String(value).startsWith('o1') })
    }
    const listed = name === 'provider' || name === 'ollama_base_url' || name === 'model_name'
    if (provider === 'Ollama' && listed) {
      const options = await listOllamaModels(await ctx.resolve('ollama_base_url'), ctx)
      if (template.model_name !== undefined && options.length > 0) {
        template.model_name.options = options
        if (!options.includes(String(template.model_name.value))) {
          template.model_name.value = options[0]
        }
      }
    }
  },
})

interface ModelInputs {
  readonly provider: string
  readonly model_name: string
  readonly model: PickedModel
  readonly api_key: ProviderKey
  readonly base_url_ibm_watsonx: string
  readonly project_id: string
  readonly ollama_base_url: string
  readonly stream: boolean
  readonly temperature: number
  readonly max_tokens: number | null
}

function buildModel(inputs: ModelInputs, ctx: ComponentContext): Promise<ChatModel> {
  const limit = inputs.max_tokens ?? 0
  return chosenChatModel(
    {
      ...olderOrPicked(inputs, ctx),
      apiKey: inputs.api_key,
      addresses: {
        Ollama: inputs.ollama_base_url,
        'IBM WatsonX': inputs.base_url_ibm_watsonx,
      },
      projectId: inputs.project_id,
    },
    ctx,
    {
      temperature: inputs.temperature,
      streams: inputs.stream,
      ...(limit > 0 ? { maxTokens: limit } : {}),
    },
  )
}

/** Uses the picker's selection, or the older fields if the node has them. */
function olderOrPicked(
  { model, provider, model_name: name }: ModelInputs,
  ctx: ComponentContext,
): Pick<ModelAccess, 'picked' | 'name' | 'provider' | 'older'> {
  const overrides = {
    ...(ctx.inputType('model_name') === 'DropdownInput' ? {} : { name }),
    ...(ctx.inputType('provider') === 'DropdownInput' ? {} : { provider }),
  }
  if (model !== null) return { picked: model, ...overrides }
  const hasOlder = ctx.inputType('provider') === 'DropdownInput'
  if (ctx.inputType('model') !== undefined && !hasOlder) return { picked: null }
  const isOpenAi = provider === '' || provider === 'OpenAI'
  return {
    older: true,
    picked: {
      name: name === '' && isOpenAi ? 'gpt-4o-mini' : name,
      provider: provider === '' ? 'OpenAI' : provider,
      plain: false,
      reasons: false,
    },
  }
}

const MODEL_LISTS = new Map<string, readonly string[]>([
  ['OpenAI', openAiModels],
  ['Anthropic', anthropicModels],
  ['Google', googleModels],
  ['IBM watsonx.ai', watsonxModels],
  ['Ollama', []],
])

/** Shows the fields of the selected provider and offers its models. */
function showProvider(template: NodeTemplate, provider: string): void {
  const models = MODEL_LISTS.get(provider)
  if (models === undefined) return
  const isIbm = provider === 'IBM watsonx.ai'
  const isOllama = provider === 'Ollama'
  Object.assign(template.model_name ?? {}, { options: [...models], value: models[0] ?? '' })
  Object.assign(template.api_key ?? {}, {
    ...(isOllama ? {} : { display_name: `${isIbm ? 'IBM' : provider} API Key` }),
    show: !isOllama,
  })
  Object.assign(template.base_url_ibm_watsonx ?? {}, { show: isIbm })
  Object.assign(template.project_id ?? {}, { show: isIbm })
  Object.assign(template.ollama_base_url ?? {}, { show: isOllama })
}
