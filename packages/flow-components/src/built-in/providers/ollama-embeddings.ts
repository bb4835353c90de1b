import { defineComponent } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { listOllamaModels } from '@x/flow-engine/internal'
import { output } from '@x/flow-engine'
import { compatibleEmbedder } from './compatible-embedder.ts'
import { requireText } from './compatible-model.ts'

/** Creates an embedder for an Ollama server. */
export const ollamaEmbeddings = defineComponent({
  type: 'OllamaEmbeddings',
  displayName: 'Ollama Embeddings',
  description: 'Creates embeddings with an Ollama model.',
  icon: 'Ollama',
  category: 'ollama',
  module: 'lfx.components.ollama.ollama_embeddings.OllamaEmbeddingsComponent',
  inputs: {
    model_name: field.dropdown({
      displayName: 'Ollama Model',
      options: [],
      default: '',
      refresh: true,
      combobox: true,
    }),
    base_url: field.string({
      displayName: 'Ollama Base URL',
      default: 'http://localhost:11434',
      refresh: true,
    }),
    api_key: field.secret({ displayName: 'Ollama API Key', advanced: true }),
  },
  outputs: {
    embeddings: output.embeddings({
      displayName: 'Embeddings',
      method: 'build_embeddings',
      run: async (inputs, ctx) =>
        compatibleEmbedder(ctx, {
          displayName: 'Ollama Embeddings',
          provider: 'Ollama',
          model: requireText('Ollama Model', inputs.model_name),
          apiKey: inputs.api_key,
          keyOptional: true,
          baseUrl: inputs.base_url,
        }),
    }),
  },
  async refresh(template, name, _value, ctx) {
    const offered = template.model_name
    if (offered === undefined || (name !== 'base_url' && name !== 'model_name')) return
    // The default is a URL, not a variable name.
    const url = (await ctx.resolve('base_url')) ?? template.base_url?.value
    const models = await listOllamaModels(url, ctx)
    if (models.length === 0) return
    offered.options = models
    if (offered.value === '') offered.value = models[0]
  },
})
