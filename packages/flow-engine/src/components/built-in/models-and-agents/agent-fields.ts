import {
  anthropicModels,
  openAiChatModels,
  openAiReasoningModels,
  watsonxEndpoints,
  watsonxModels,
} from '../../../models/model-names.ts'
import { field, type Field } from '../../define/field.ts'
import type { NodeTemplate } from '../../../graph/flow/node-json.ts'
import type { RefreshContext } from '../../define/refresh-context.ts'
import { googleModels, listOllamaModels } from './provider-models.ts'

/** Selectable by name; models of other providers are connected by an edge. */
export const agentProviders = [
  'Anthropic',
  'Google Generative AI',
  'OpenAI',
  'IBM watsonx.ai',
  'Ollama',
] as const

const temperature = field.slider({
  displayName: 'Temperature',
  default: 0.1,
  advanced: true,
  min: 0,
  max: 1,
  step: 0.01,
})
const maxTokens = field.int({
  displayName: 'Max Tokens',
  advanced: true,
  min: 0,
  max: 128000,
  step: 0.1,
})
const modelChoice = (models: readonly string[], displayName = 'Model Name') =>
  field.dropdown({
    displayName,
    attributes: { refresh_button: true, real_time_refresh: false },
    ...(models[0] === undefined ? {} : { default: models[0] }),
    options: models,
    combobox: true,
  })
const apiKey = (vendor: string) =>
  field.secret({ displayName: `${vendor} API Key`, refresh: true, loadFromDb: false })

/** The fields of a new agent, which are those for OpenAI. */
export const openAiFields = {
  max_tokens: maxTokens,
  model_kwargs: field.dict({ displayName: 'Model Kwargs', advanced: true }),
  model_name: field.dropdown({
    displayName: 'Model Name',
    default: 'gpt-4o-mini',
    options: [...openAiChatModels, ...openAiReasoningModels],
    combobox: true,
    attributes: { real_time_refresh: false },
  }),
  openai_api_base: field.string({ displayName: 'OpenAI API Base', advanced: true }),
  temperature,
  seed: field.int({ displayName: 'Seed', default: 1, advanced: true }),
  max_retries: field.int({ displayName: 'Max Retries', default: 5, advanced: true }),
  timeout: field.int({ displayName: 'Timeout', default: 700, advanced: true }),
}

const PROVIDER_FIELDS = new Map<string, Readonly<Record<string, Field>>>([
  ['OpenAI', { api_key: apiKey('OpenAI'), ...openAiFields }],
  [
    'Anthropic',
    {
      api_key: apiKey('Anthropic'),
      max_tokens: field.int({ displayName: 'Max Tokens', default: 4096, advanced: true }),
      model_name: modelChoice(anthropicModels),
      temperature,
      base_url: field.text({
        displayName: 'Anthropic API URL',
        default: 'https://api.anthropic.com',
        advanced: true,
        refresh: true,
      }),
      tool_model_enabled: field.bool({
        displayName: 'Enable Tool Models',
        info: 'Show only models that can call tools.',
        default: true,
        advanced: true,
        refresh: true,
      }),
    },
  ],
  [
    'Google Generative AI',
    {
      api_key: apiKey('Google'),
      max_output_tokens: field.int({ displayName: 'Max Output Tokens', advanced: true }),
      model_name: modelChoice(googleModels, 'Model'),
      temperature,
    },
  ],
  [
    'IBM watsonx.ai',
    {
      api_key: apiKey('IBM watsonx.ai'),
      base_url: field.dropdown({
        displayName: 'watsonx API Endpoint',
        default: watsonxEndpoints[0],
        options: watsonxEndpoints,
      }),
      project_id: field.string({ displayName: 'watsonx Project ID', required: true }),
      max_tokens: maxTokens,
      model_name: modelChoice(watsonxModels),
      temperature,
    },
  ],
  [
    'Ollama',
    {
      base_url: field.text({ displayName: 'Ollama API URL', default: 'http://localhost:11434' }),
      model_name: modelChoice([]),
      temperature,
    },
  ],
])

/** OpenAI reasoning models accept neither temperature nor seed. */
export function refreshAgentModel(template: NodeTemplate, model: unknown): void {
  if (template.agent_llm?.value !== 'OpenAI' || typeof model !== 'string') return
  const reasons = openAiReasoningModels.some((name) => name === model)
  if (!reasons && !openAiChatModels.some((name) => name === model)) return
  Object.assign(template.temperature ?? {}, { show: !reasons })
  Object.assign(template.seed ?? {}, { show: !reasons })
}

const CONNECT = 'connect_other_models'
const provided = new Set([...PROVIDER_FIELDS.values()].flatMap((fields) => Object.keys(fields)))

/** Replaces the fields of one provider by those of another, or by a handle. */
export async function refreshAgentFields(
  template: NodeTemplate,
  choice: unknown,
  ctx: RefreshContext,
): Promise<void> {
  if (typeof choice !== 'string') return
  const fields = PROVIDER_FIELDS.get(choice)
  if (fields === undefined && choice !== CONNECT) return
  for (const name of provided) if (fields?.[name] === undefined) delete template[name]
  for (const [name, definition] of Object.entries(fields ?? {})) {
    template[name] = ctx.field(name, definition)
  }
  const { agent_llm: chooser } = template
  if (chooser !== undefined) {
    const connects = choice === CONNECT
    chooser.display_name = connects ? 'Language Model' : 'Model Provider'
    chooser.placeholder = connects ? 'Awaiting model input.' : ''
    chooser.input_types = connects ? ['LanguageModel'] : []
  }
  if (choice === 'Ollama') await offerOllamaModels(template, ctx)
}

async function offerOllamaModels(template: NodeTemplate, ctx: RefreshContext): Promise<void> {
  const models = await listOllamaModels(template.base_url?.value, ctx)
  const { model_name: name } = template
  if (name === undefined || models.length === 0) return
  name.options = models
  name.value = models[0]
}
