import {
  anthropicModels,
  openAiChatModels,
  openAiReasoningModels,
  watsonxModels,
} from './model-names.ts'

/** A model provider that flows can choose. */
export interface ProviderMetadata {
  readonly name: string
  /** Aliases used in flow files. */
  readonly also?: readonly string[]
  /** The variable that holds its key; null if it needs none. */
  readonly keyName: string | null
  readonly keyOptional?: boolean
  /** The vendor's own address; undefined if the user must supply one. */
  readonly baseUrl?: string
  /** The variable that overrides the address. */
  readonly urlName?: string
  readonly languageModels: readonly string[]
  readonly embeddingModels: readonly string[]
  readonly icon: string
}

/** Model providers, sorted by name. */
export const providerTable: readonly ProviderMetadata[] = [
  {
    name: 'Anthropic',
    keyName: 'ANTHROPIC_API_KEY',
    baseUrl: 'https://api.anthropic.com',
    urlName: 'ANTHROPIC_BASE_URL',
    languageModels: anthropicModels,
    embeddingModels: [],
    icon: 'Anthropic',
  },
  {
    name: 'Azure AI Foundry',
    keyName: 'AZURE_AI_FOUNDRY_API_KEY',
    urlName: 'AZURE_AI_FOUNDRY_ENDPOINT',
    languageModels: ['gpt-4o', 'gpt-4o-mini'],
    embeddingModels: ['text-embedding-3-small', 'text-embedding-3-large'],
    icon: 'Azure',
  },
  {
    name: 'Azure OpenAI',
    keyName: 'AZURE_OPENAI_API_KEY',
    urlName: 'AZURE_OPENAI_ENDPOINT',
    languageModels: ['gpt-4o', 'gpt-4o-mini'],
    embeddingModels: ['text-embedding-3-small', 'text-embedding-3-large'],
    icon: 'Azure',
  },
  {
    name: 'Google Generative AI',
    also: ['Google'],
    keyName: 'GOOGLE_API_KEY',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    languageModels: ['gemini-2.5-pro', 'gemini-2.5-flash', 'gemini-2.5-flash-lite'],
    embeddingModels: ['gemini-embedding-001', 'text-embedding-004'],
    icon: 'GoogleGenerativeAI',
  },
  {
    name: 'Groq',
    keyName: 'GROQ_API_KEY',
    baseUrl: 'https://api.groq.com/openai/v1',
    languageModels: ['llama-3.3-70b-versatile', 'llama-3.1-8b-instant', 'openai/gpt-oss-120b'],
    embeddingModels: [],
    icon: 'Groq',
  },
  {
    name: 'IBM WatsonX',
    also: ['IBM watsonx.ai'],
    keyName: 'WATSONX_APIKEY',
    baseUrl: 'https://us-south.ml.cloud.ibm.com',
    urlName: 'WATSONX_URL',
    languageModels: watsonxModels,
    embeddingModels: [
      'sentence-transformers/all-minilm-l12-v2',
      'ibm/slate-125m-english-rtrvr-v2',
      'ibm/slate-30m-english-rtrvr-v2',
      'intfloat/multilingual-e5-large',
    ],
    icon: 'WatsonxAI',
  },
  {
    name: 'Mistral',
    also: ['Mistral AI', 'MistralAI'],
    keyName: 'MISTRAL_API_KEY',
    baseUrl: 'https://api.mistral.ai/v1',
    languageModels: ['mistral-large-latest', 'mistral-small-latest', 'codestral-latest'],
    embeddingModels: ['mistral-embed'],
    icon: 'MistralAI',
  },
  {
    name: 'Ollama',
    keyName: null,
    baseUrl: 'http://localhost:11434',
    urlName: 'OLLAMA_BASE_URL',
    languageModels: ['llama3.2', 'qwen3'],
    embeddingModels: ['nomic-embed-text', 'mxbai-embed-large'],
    icon: 'Ollama',
  },
  {
    name: 'OpenAI',
    keyName: 'OPENAI_API_KEY',
    baseUrl: 'https://api.openai.com/v1',
    urlName: 'OPENAI_BASE_URL',
    languageModels: [...openAiChatModels, ...openAiReasoningModels],
    embeddingModels: ['text-embedding-3-small', 'text-embedding-3-large', 'text-embedding-ada-002'],
    icon: 'OpenAI',
  },
  {
    name: 'OpenAI Compatible',
    keyName: 'OPENAI_COMPATIBLE_API_KEY',
    keyOptional: true,
    urlName: 'OPENAI_BASE_URL',
    languageModels: [],
    embeddingModels: [],
    icon: 'OpenAI',
  },
  {
    name: 'OpenRouter',
    keyName: 'OPENROUTER_API_KEY',
    baseUrl: 'https://openrouter.ai/api/v1',
    languageModels: ['openai/gpt-4o-mini', 'anthropic/claude-sonnet-4'],
    embeddingModels: [],
    icon: 'OpenRouter',
  },
]

/** Providers used by dedicated components, not offered by model pickers. */
const componentProviders: readonly ProviderMetadata[] = [
  {
    name: 'Cohere',
    keyName: 'COHERE_API_KEY',
    baseUrl: 'https://api.cohere.ai/compatibility/v1',
    languageModels: ['command-r-plus', 'command-a-03-2025'],
    embeddingModels: [],
    icon: 'Cohere',
  },
  {
    name: 'Hugging Face',
    also: ['HuggingFace'],
    keyName: 'HUGGINGFACEHUB_API_TOKEN',
    baseUrl: 'https://router.huggingface.co/v1',
    languageModels: ['meta-llama/Llama-3.3-70B-Instruct'],
    embeddingModels: [],
    icon: 'HuggingFace',
  },
  {
    name: 'LM Studio',
    keyName: 'LMSTUDIO_API_KEY',
    keyOptional: true,
    baseUrl: 'http://localhost:1234/v1',
    urlName: 'LMSTUDIO_BASE_URL',
    languageModels: [],
    embeddingModels: [],
    icon: 'LMStudio',
  },
]

const byName = namesOf(providerTable)
const ofComponents = namesOf(componentProviders)

function namesOf(table: readonly ProviderMetadata[]): ReadonlyMap<string, ProviderMetadata> {
  return new Map(
    table.flatMap((facts) =>
      [facts.name, ...(facts.also ?? [])].map((name) => [plain(name), facts] as const),
    ),
  )
}

/** Finds a provider, ignoring case, spaces and punctuation. */
export function findProvider(name: string): ProviderMetadata | undefined {
  return byName.get(plain(name))
}

/** Finds a provider with a built-in client, including those not offered by model pickers. */
export function findServed(name: string): ProviderMetadata | undefined {
  return findProvider(name) ?? ofComponents.get(plain(name))
}

/** Finds the provider that lists a model of this name. */
export function providerOfModel(
  model: string,
  kind: 'language' | 'embedding',
): ProviderMetadata | undefined {
  const found = providerTable.filter(({ languageModels, embeddingModels }) =>
    (kind === 'language' ? languageModels : embeddingModels).includes(model),
  )
  return found.find(({ name }) => name === 'OpenAI') ?? found[0]
}

/** Returns the variable that holds a provider's key, including providers that are not built in. */
export function keyNameOf(provider: string): string | null {
  const facts = findProvider(provider)
  if (facts !== undefined) return facts.keyName
  const words =
    provider
      .slice(0, 200)
      .toUpperCase()
      .match(/[A-Z0-9]+/g) ?? []
  return `${words.join('_')}_API_KEY`
}

function plain(name: string): string {
  return name
    .slice(0, 200)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '')
}
