import { findEmbedder } from '@x/flow-engine/models'
import { defineComponent } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { toLiteralText } from '@x/flow-engine/internal'
import { openAiEmbeddingModels } from '../models-and-agents/embedding-models.ts'

const advanced = { advanced: true } as const

/** Creates an embedder for OpenAI or a compatible server. */
export const openAiEmbeddings = defineComponent({
  type: 'OpenAIEmbeddings',
  displayName: 'OpenAI Embeddings',
  description: 'Creates embeddings with an OpenAI model.',
  icon: 'OpenAI',
  category: 'openai',
  module: 'lfx.components.openai.openai.OpenAIEmbeddingsComponent',
  inputs: {
    default_headers: field.dict({
      displayName: 'Default Headers',
      info: 'Sent with every request.',
      default: {},
      ...advanced,
    }),
    default_query: field.dict({
      displayName: 'Default Query',
      info: 'Query parameters of every request.',
      default: {},
      ...advanced,
    }),
    chunk_size: field.int({
      displayName: 'Chunk Size',
      info: 'Number of texts in one request.',
      default: 1000,
      ...advanced,
    }),
    client: field.text({ displayName: 'Client', ...advanced }),
    deployment: field.text({ displayName: 'Deployment', ...advanced }),
    embedding_ctx_length: field.int({
      displayName: 'Embedding Context Length',
      default: 1536,
      ...advanced,
    }),
    max_retries: field.int({ displayName: 'Max Retries', default: 3, ...advanced }),
    model: field.dropdown({
      closed: false,
      displayName: 'Model',
      options: openAiEmbeddingModels,
      default: openAiEmbeddingModels[0],
    }),
    model_kwargs: field.dict({
      displayName: 'Model Kwargs',
      info: 'Additional properties of each request body.',
      default: {},
      ...advanced,
    }),
    openai_api_key: field.secret({
      displayName: 'OpenAI API Key',
      default: 'OPENAI_API_KEY',
      required: true,
    }),
    openai_api_base: field.text({ displayName: 'OpenAI API Base', ...advanced }),
    openai_api_type: field.text({ displayName: 'OpenAI API Type', ...advanced }),
    openai_api_version: field.text({ displayName: 'OpenAI API Version', ...advanced }),
    openai_organization: field.text({ displayName: 'OpenAI Organization', ...advanced }),
    openai_proxy: field.text({ displayName: 'OpenAI Proxy', ...advanced }),
    request_timeout: field.float({
      displayName: 'Request Timeout',
      info: 'Timeout in seconds.',
      ...advanced,
    }),
    show_progress_bar: field.bool({
      displayName: 'Show Progress Bar',
      default: false,
      ...advanced,
    }),
    skip_empty: field.bool({ displayName: 'Skip Empty', default: false, ...advanced }),
    tiktoken_model_name: field.text({ displayName: 'TikToken Model Name', ...advanced }),
    tiktoken_enable: field.bool({
      displayName: 'TikToken Enable',
      info: 'Has no effect: texts are not tokenized before they are sent.',
      default: true,
      ...advanced,
    }),
    dimensions: field.int({
      displayName: 'Dimensions',
      info: 'Length of the vectors, if the model supports a choice.',
      ...advanced,
    }),
  },
  outputs: {
    embeddings: output.embeddings({
      displayName: 'Embedding Model',
      method: 'build_embeddings',
      run: (inputs, ctx) =>
        findEmbedder(ctx, {
          provider: 'OpenAI',
          model: inputs.model,
          apiKey: inputs.openai_api_key,
          ...(inputs.openai_api_base === '' ? {} : { baseUrl: inputs.openai_api_base }),
          options: {
            dimensions: inputs.dimensions,
            chunkSize: inputs.chunk_size,
            maxRetries: inputs.max_retries,
            timeoutMs: inputs.request_timeout === null ? null : inputs.request_timeout * 1000,
            body: inputs.model_kwargs,
            query: textsOf(inputs.default_query),
            headers: {
              ...textsOf(inputs.default_headers),
              ...(inputs.openai_organization === ''
                ? {}
                : { 'openai-organization': inputs.openai_organization }),
            },
          },
        }),
    }),
  },
})

function textsOf(values: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, toLiteralText(value)]),
  )
}
