/** OpenAI embedding models offered by the editor. */
export const openAiEmbeddingModels = [
  'text-embedding-3-small',
  'text-embedding-3-large',
  'text-embedding-ada-002',
] as const

/** IBM watsonx.ai embedding models offered by the editor. */
export const watsonxEmbeddingModels = [
  'sentence-transformers/all-minilm-l12-v2',
  'ibm/slate-125m-english-rtrvr-v2',
  'ibm/slate-30m-english-rtrvr-v2',
  'intfloat/multilingual-e5-large',
] as const
