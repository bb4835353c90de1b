/** Embedding models of OpenAI that the editor offers. */
export const openAiEmbeddingModels = [
  'text-embedding-3-small',
  'text-embedding-3-large',
  'text-embedding-ada-002',
] as const

/** Embedding models of IBM watsonx.ai that the editor offers. */
export const watsonxEmbeddingModels = [
  'sentence-transformers/all-minilm-l12-v2',
  'ibm/slate-125m-english-rtrvr-v2',
  'ibm/slate-30m-english-rtrvr-v2',
  'intfloat/multilingual-e5-large',
] as const
