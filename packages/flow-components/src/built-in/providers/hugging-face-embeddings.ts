import { append } from '@x/wire'
import { trimSlashes } from '@x/wire'
import type { Embedder } from '@x/flow-engine'
import type { ComponentContext } from '@x/flow-engine'
import { defineComponent } from '@x/flow-engine'
import { field, type Values } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { requireSuccess, vendorRequest } from '../vendors/vendor-request.ts'
import { requireText } from './compatible-model.ts'
import { readVectors, requireKey } from './read-vectors.ts'

const ROUTER = 'https://router.huggingface.co/hf-inference'
const BATCH = 100

const fields = {
  api_key: field.secret({ displayName: 'HuggingFace API Key' }),
  inference_endpoint: field.text({
    displayName: 'Inference Endpoint',
    info: 'URL of your own text embedding server.',
    default: 'https://api-inference.huggingface.co/models/',
    required: true,
  }),
  model_name: field.text({
    displayName: 'Model Name',
    default: 'BAAI/bge-large-en-v1.5',
    required: true,
  }),
}

type HuggingFaceInputs = Values<typeof fields>

/** Creates an embedder for Hugging Face or a self-hosted embedding server. */
export const huggingFaceInferenceApiEmbeddings = defineComponent({
  type: 'HuggingFaceInferenceAPIEmbeddings',
  displayName: 'Hugging Face Embeddings Inference',
  description: 'Creates embeddings with a model hosted by Hugging Face.',
  icon: 'HuggingFace',
  category: 'huggingface',
  module:
    'lfx.components.huggingface.huggingface_inference_api.HuggingFaceInferenceAPIEmbeddingsComponent',
  inputs: fields,
  outputs: {
    embeddings: output.embeddings({
      displayName: 'Embeddings',
      method: 'build_embeddings',
      run: (inputs, ctx) => createEmbedder(inputs, ctx),
    }),
  },
})

function createEmbedder(inputs: HuggingFaceInputs, ctx: ComponentContext): Embedder {
  const { url, own } = addressOf(inputs)
  const key = own ? (inputs.api_key ?? '') : requireKey('Hugging Face', inputs.api_key)
  return {
    async embed(texts) {
      const vectors: number[][] = []
      for (let at = 0; at < texts.length; at += BATCH) {
        const part = texts.slice(at, at + BATCH)
        const answer = await vendorRequest(
          {
            url,
            headers: key === '' ? {} : { authorization: `Bearer ${key}` },
            body: { inputs: part },
            secrets: [key],
          },
          ctx,
        )
        const { body } = requireSuccess('Hugging Face', answer)
        append(vectors, readVectors('Hugging Face', body, part.length))
      }
      return vectors
    },
  }
}

/** Replaces Hugging Face's retired URL by that of its router. */
function addressOf({ inference_endpoint: given, model_name: model }: HuggingFaceInputs) {
  const endpoint = trimSlashes(given.trim())
  const host = URL.canParse(endpoint) ? new URL(endpoint).hostname : ''
  const own = endpoint !== '' && host !== 'huggingface.co' && !host.endsWith('.huggingface.co')
  if (own) return { own, url: `${endpoint}/embed` }
  const base = host === 'router.huggingface.co' ? endpoint : ROUTER
  const path = requireText('Model Name', model).split('/').map(encodeURIComponent).join('/')
  return { own, url: `${base}/models/${path}/pipeline/feature-extraction` }
}
