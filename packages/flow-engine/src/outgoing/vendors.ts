import { trimSlashes } from '@x/wire'
/** A network provider of models or searches, with its environment variables. */
export interface Vendor {
  /** Provider names used by components. */
  readonly providers: readonly string[]
  /** Environment variables that hold its keys. */
  readonly keys: readonly string[]
  /** Environment variables that hold its address; the first one set wins. */
  readonly bases: readonly string[]
  /** The vendor's default address. */
  readonly home?: string
  /** The vendor's hosts; a leading dot matches all subdomains. */
  readonly hosts: readonly string[]
}

export const vendors: readonly Vendor[] = [
  {
    providers: ['OpenAI'],
    keys: ['OPENAI_API_KEY'],
    bases: ['OPENAI_BASE_URL', 'OPENAI_API_BASE'],
    home: 'https://api.openai.com/v1',
    hosts: ['api.openai.com', '.api.openai.com'],
  },
  {
    providers: ['Anthropic'],
    keys: ['ANTHROPIC_API_KEY'],
    bases: ['ANTHROPIC_BASE_URL'],
    home: 'https://api.anthropic.com',
    hosts: ['api.anthropic.com'],
  },
  {
    providers: ['Google', 'Google Generative AI'],
    keys: ['GOOGLE_API_KEY', 'GEMINI_API_KEY'],
    bases: [],
    home: 'https://generativelanguage.googleapis.com/v1beta/openai',
    hosts: ['generativelanguage.googleapis.com'],
  },
  {
    providers: ['IBM watsonx.ai', 'IBM WatsonX'],
    keys: ['WATSONX_API_KEY', 'WATSONX_APIKEY'],
    bases: ['WATSONX_URL'],
    home: 'https://us-south.ml.cloud.ibm.com',
    hosts: ['iam.cloud.ibm.com', '.ml.cloud.ibm.com'],
  },
  {
    providers: ['Ollama'],
    keys: ['OLLAMA_API_KEY'],
    bases: ['OLLAMA_BASE_URL'],
    home: 'http://localhost:11434',
    hosts: ['ollama.com'],
  },
  {
    providers: ['Groq'],
    keys: ['GROQ_API_KEY'],
    bases: [],
    home: 'https://api.groq.com/openai/v1',
    hosts: ['api.groq.com'],
  },
  {
    providers: ['Mistral'],
    keys: ['MISTRAL_API_KEY'],
    bases: [],
    home: 'https://api.mistral.ai/v1',
    hosts: ['api.mistral.ai'],
  },
  {
    providers: ['OpenRouter'],
    keys: ['OPENROUTER_API_KEY'],
    bases: [],
    home: 'https://openrouter.ai/api/v1',
    hosts: ['openrouter.ai'],
  },
  {
    providers: ['Cohere'],
    keys: ['COHERE_API_KEY'],
    bases: [],
    home: 'https://api.cohere.ai/compatibility/v1',
    hosts: ['api.cohere.ai', 'api.cohere.com'],
  },
  {
    providers: ['Hugging Face'],
    keys: ['HUGGINGFACEHUB_API_TOKEN'],
    bases: [],
    home: 'https://router.huggingface.co/v1',
    hosts: ['router.huggingface.co'],
  },
  {
    providers: ['LM Studio'],
    keys: ['LMSTUDIO_API_KEY'],
    bases: ['LMSTUDIO_BASE_URL'],
    home: 'http://localhost:1234/v1',
    hosts: [],
  },
  {
    providers: ['Azure OpenAI'],
    keys: ['AZURE_OPENAI_API_KEY'],
    bases: ['AZURE_OPENAI_ENDPOINT'],
    hosts: [],
  },
  {
    providers: ['Azure AI Foundry'],
    keys: ['AZURE_AI_FOUNDRY_API_KEY'],
    bases: ['AZURE_AI_FOUNDRY_ENDPOINT'],
    hosts: [],
  },
  {
    providers: ['OpenAI Compatible'],
    keys: ['OPENAI_COMPATIBLE_API_KEY'],
    bases: ['OPENAI_BASE_URL'],
    hosts: [],
  },
  { providers: [], keys: ['TAVILY_API_KEY'], bases: [], hosts: ['api.tavily.com'] },
  { providers: [], keys: ['SEARCHAPI_API_KEY'], bases: [], hosts: ['www.searchapi.io'] },
]

type Environment = Readonly<Record<string, string>>

/** Tests whether an environment variable is a vendor's key, which is sent to that vendor only. */
export const isVendorKey = (name: string): boolean =>
  vendors.some(({ keys }) => keys.includes(name))

/** Returns the address that the environment sets for a vendor. */
export function environmentAddress(
  { bases }: Vendor,
  environment: Environment | undefined,
): string | undefined {
  if (environment === undefined) return undefined
  const name = bases.find((base) => Object.hasOwn(environment, base) && environment[base] !== '')
  return name === undefined ? undefined : environment[name]
}

/** Tests whether a request goes to the vendor itself or to the address set for it in the environment. */
export function isAddressOf(
  vendor: Vendor,
  address: string,
  environment: Environment | undefined,
): boolean {
  if (!URL.canParse(address)) return false
  const url = new URL(address)
  const isOwn = vendor.hosts.some((host) =>
    host.startsWith('.') ? url.hostname.endsWith(host) : url.hostname === host,
  )
  if (isOwn) return url.protocol === 'https:' && url.port === ''
  const named = environmentAddress(vendor, environment)
  if (named === undefined || !URL.canParse(named)) return false
  const base = new URL(named)
  const path = withoutVersion(base.pathname)
  return url.origin === base.origin && `${url.pathname}/`.startsWith(path)
}

/** Ends in a slash. A trailing `/v1` is ignored: servers also offer protocols outside it. */
function withoutVersion(path: string): string {
  return `${trimSlashes(path).replace(/\/v1$/, '')}/`
}
