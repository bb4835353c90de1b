import { type Embedder, isModelChoice, type PickedModel } from '@x/flow-engine'
import { watsonxEndpoints } from '@x/flow-engine/internal'
import { findProvider } from '@x/flow-engine/internal'
import { chosenEmbedder, type ModelAccess } from '@x/flow-engine/internal'
import type { ComponentContext } from '@x/flow-engine'
import { defineComponent } from '@x/flow-engine'
import { field, type Values } from '@x/flow-engine'
import type { NodeTemplate } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { openAiEmbeddingModels, watsonxEmbeddingModels } from './embedding-models.ts'
import { listOllamaModels } from '@x/flow-engine/internal'

const IBM = 'IBM watsonx.ai'
const PROVIDERS = ['OpenAI', 'Ollama', IBM]

const fields = {
  provider: field.dropdown({
    displayName: 'Model Provider',
    options: PROVIDERS,
    refresh: true,
    attributes: {
      value: 'OpenAI',
      options_metadata: ['OpenAI', 'Ollama', 'WatsonxAI'].map((icon) => ({ icon })),
    },
  }),
  api_base: field.text({ displayName: 'API Base URL', advanced: true }),
  ollama_base_url: field.text({
    displayName: 'Ollama API URL',
    default: 'http://localhost:11434',
    show: false,
    refresh: true,
    loadFromDb: true,
  }),
  base_url_ibm_watsonx: field.dropdown({
    displayName: 'watsonx API Endpoint',
    options: watsonxEndpoints,
    default: watsonxEndpoints[0],
    show: false,
    refresh: true,
  }),
  model: field.picker({
    displayName: 'Model Name',
    modelType: 'embedding',
    as: 'dropdown',
    options: openAiEmbeddingModels,
    refresh: true,
    attributes: { refresh_button: true, value: openAiEmbeddingModels[0] },
  }),
  model_name: field.string({ displayName: 'Model Name Override', newer: true }),
  api_key: field.key({ displayName: 'OpenAI API Key', required: true, refresh: true }),
  project_id: field.text({ displayName: 'Project ID', show: false }),
  dimensions: field.int({
    displayName: 'Dimensions',
    info: 'Length of the vectors, if the model supports a choice.',
    advanced: true,
  }),
  chunk_size: field.int({
    displayName: 'Chunk Size',
    info: 'Number of texts in one request.',
    default: 1000,
    advanced: true,
  }),
  request_timeout: field.float({
    displayName: 'Request Timeout',
    info: 'Timeout in seconds.',
    advanced: true,
  }),
  max_retries: field.int({ displayName: 'Max Retries', default: 3, advanced: true }),
  show_progress_bar: field.bool({
    displayName: 'Show Progress Bar',
    default: false,
    advanced: true,
  }),
  model_kwargs: field.dict({
    displayName: 'Model Kwargs',
    info: 'Additional properties of each request body.',
    default: {},
    advanced: true,
  }),
  truncate_input_tokens: field.int({
    displayName: 'Truncate Input Tokens',
    default: 200,
    advanced: true,
    show: false,
  }),
  input_text: field.bool({
    displayName: 'Include the original text in the output',
    default: true,
    advanced: true,
    show: false,
  }),
}

type EmbeddingInputs = Values<typeof fields>

/** Creates an embedder of a provider. */
export const embeddingModel = defineComponent({
  type: 'EmbeddingModel',
  displayName: 'Embedding Model',
  description: "Creates embeddings with a provider's model.",
  icon: 'binary',
  category: 'models_and_agents',
  module: 'lfx.components.models_and_agents.embedding_model.EmbeddingModelComponent',
  inputs: fields,
  outputs: {
    embeddings: output.embeddings({
      displayName: 'Embedding Model',
      method: 'build_embeddings',
      run: (inputs, ctx) => buildEmbedder(inputs, ctx),
    }),
  },
  async refresh(template, name, value, ctx) {
    if (name === 'provider') showProvider(template, String(value))
    const listed = name === 'provider' || name === 'ollama_base_url' || name === 'model'
    if (template.provider?.value !== 'Ollama' || !listed) return
    // The default is a URL, not a variable name.
    const url = (await ctx.resolve('ollama_base_url')) ?? template.ollama_base_url?.value
    const models = await listOllamaModels(url, ctx)
    const isKnown = name !== 'provider' && models.includes(String(template.model?.value))
    set(template, 'model', { options: models, ...(isKnown ? {} : { value: models[0] ?? '' }) })
  },
})

function buildEmbedder(inputs: EmbeddingInputs, ctx: ComponentContext): Promise<Embedder> {
  const access = olderOrPicked(inputs, ctx)
  const seconds = inputs.request_timeout
  return chosenEmbedder(
    {
      ...access,
      apiKey: inputs.api_key,
      addresses: {
        OpenAI: inputs.api_base,
        Ollama: inputs.ollama_base_url,
        'IBM WatsonX': inputs.base_url_ibm_watsonx,
      },
      projectId: inputs.project_id,
      options: {
        dimensions: inputs.dimensions,
        chunkSize: inputs.chunk_size,
        maxRetries: inputs.max_retries,
        timeoutMs: seconds === null ? null : seconds * 1000,
        body: inputs.model_kwargs,
        ...(isWatsonx(access.picked) ? { truncateInputTokens: inputs.truncate_input_tokens } : {}),
      },
    },
    ctx,
  )
}

/** Uses the picker's selection, or the older fields: a model name and a provider. */
function olderOrPicked(
  { model, model_name: name, provider }: EmbeddingInputs,
  ctx: ComponentContext,
): Pick<ModelAccess, 'picked' | 'name' | 'provider' | 'older'> {
  const isPicker = ctx.inputType('model') === 'ModelInput'
  const overrides = {
    name,
    ...(ctx.inputType('provider') === 'DropdownInput' ? {} : { provider }),
  }
  if (isPicker) return { picked: model, ...overrides }
  if (model !== null && !(isModelChoice(model) && model.plain)) {
    return { picked: model, ...overrides }
  }
  const chosen = isModelChoice(model) ? model.name : ''
  const vendor = provider === '' ? 'OpenAI' : provider
  return {
    older: true,
    picked: {
      name: chosen === '' ? openAiEmbeddingModels[0] : chosen,
      provider: vendor,
      plain: false,
      reasons: false,
    },
  }
}

function isWatsonx(picked: PickedModel): boolean {
  return isModelChoice(picked) && findProvider(picked.provider)?.name === 'IBM WatsonX'
}

/** Shows the fields of the selected provider and offers its models; Ollama's are requested later. */
function showProvider(template: NodeTemplate, provider: string): void {
  if (!PROVIDERS.includes(provider)) return
  const isOpenAi = provider === 'OpenAI'
  const isOllama = provider === 'Ollama'
  const isIbm = provider === IBM
  const models = isOpenAi ? openAiEmbeddingModels : isIbm ? watsonxEmbeddingModels : []
  set(template, 'model', { options: [...models], value: models[0] ?? '' })
  set(template, 'api_key', {
    display_name: isOllama ? 'API Key (Optional)' : `${provider} API Key`,
    required: !isOllama,
    show: !isOllama,
  })
  set(template, 'api_base', {
    show: isOpenAi,
    ...(isOpenAi ? { display_name: 'OpenAI API Base URL', advanced: true } : {}),
  })
  set(template, 'ollama_base_url', { show: isOllama })
  for (const name of [
    'base_url_ibm_watsonx',
    'project_id',
    'truncate_input_tokens',
    'input_text',
  ]) {
    set(template, name, { show: isIbm })
  }
}

function set(template: NodeTemplate, name: string, attributes: object): void {
  Object.assign(template[name] ?? {}, attributes)
}
