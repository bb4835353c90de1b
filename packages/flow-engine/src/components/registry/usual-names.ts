/** Where a key may go, and the variable that people keep it in. */
export interface UsualKey {
  readonly name: string
  /** The vendor's own hosts; a leading dot matches all subdomains. */
  readonly hosts: readonly string[]
}

/** Component types, their secret field, the usual variable and the vendor's hosts; one key a line. */
const FACTS = `
OpenAIModel,OpenAIEmbeddings|api_key,openai_api_key|OPENAI_API_KEY|api.openai.com .api.openai.com
AnthropicModel|api_key|ANTHROPIC_API_KEY|api.anthropic.com
GoogleGenerativeAIModel,Google Generative AI Embeddings|api_key|GOOGLE_API_KEY|generativelanguage.googleapis.com
GroqModel|api_key,groq_api_key|GROQ_API_KEY|api.groq.com
CohereModel,CohereEmbeddings,CohereRerank|api_key,cohere_api_key|COHERE_API_KEY|api.cohere.ai api.cohere.com
MistralModel,MistalAIEmbeddings|api_key,mistral_api_key|MISTRAL_API_KEY|api.mistral.ai
AzureOpenAIModel,AzureOpenAIEmbeddings|api_key|AZURE_OPENAI_API_KEY|.openai.azure.com
OpenRouterComponent|api_key|OPENROUTER_API_KEY|openrouter.ai
LMStudioModel,LMStudioEmbeddingsComponent|api_key|LMSTUDIO_API_KEY|
HuggingFaceModel,HuggingFaceInferenceAPIEmbeddings|huggingfacehub_api_token,api_key|HUGGINGFACEHUB_API_TOKEN|router.huggingface.co api-inference.huggingface.co
IBMwatsonxModel,WatsonxEmbeddingsComponent|api_key|WATSONX_APIKEY|.ml.cloud.ibm.com
TavilySearchComponent,TavilyExtractComponent|api_key|TAVILY_API_KEY|api.tavily.com
SearchComponent,SearchAPI|api_key|SEARCHAPI_API_KEY|www.searchapi.io
Serp|serpapi_api_key|SERPAPI_API_KEY|serpapi.com
GoogleSerperAPI|serper_api_key|SERPER_API_KEY|google.serper.dev
FirecrawlScrapeApi|api_key|FIRECRAWL_API_KEY|api.firecrawl.dev
ScrapeGraphSearchApi|api_key|SCRAPEGRAPH_API_KEY|api.scrapegraphai.com
AgentQL|api_key|AGENTQL_API_KEY|api.agentql.com
AssemblyAITranscriptionJobCreator,AssemblyAITranscriptionJobPoller,AssemblyAITranscriber|api_key|ASSEMBLYAI_API_KEY|api.assemblyai.com
ApifyActors|apify_token|APIFY_TOKEN|api.apify.com
needle|needle_api_key|NEEDLE_API_KEY|needle-ai.com
AstraDB,AstraDBTool|token|ASTRA_DB_APPLICATION_TOKEN|.apps.astra.datastax.com
Pinecone|pinecone_api_key|PINECONE_API_KEY|api.pinecone.io .pinecone.io
QdrantVectorStoreComponent|api_key|QDRANT_API_KEY|.cloud.qdrant.io
Weaviate|api_key|WEAVIATE_API_KEY|.weaviate.cloud .weaviate.network
OpenSearchVectorStoreComponent|password|OPENSEARCH_PASSWORD|
SaveToFile|aws_access_key_id|AWS_ACCESS_KEY_ID|.amazonaws.com
SaveToFile|aws_secret_access_key|AWS_SECRET_ACCESS_KEY|.amazonaws.com
SaveToFile|aws_session_token|AWS_SESSION_TOKEN|.amazonaws.com
`

/** Component types, their address or project field, the usual variable, and a field that says it otherwise. */
const PLACES = `
OpenAIModel,OpenAIEmbeddings|openai_api_base|OPENAI_BASE_URL|
OllamaModel,OllamaEmbeddings|base_url|OLLAMA_BASE_URL|
AzureOpenAIModel,AzureOpenAIEmbeddings|azure_endpoint|AZURE_OPENAI_ENDPOINT|
IBMwatsonxModel|base_url|WATSONX_URL|url
WatsonxEmbeddingsComponent|url|WATSONX_URL|
IBMwatsonxModel,WatsonxEmbeddingsComponent|project_id|WATSONX_PROJECT_ID|
QdrantVectorStoreComponent|url|QDRANT_URL|host
Weaviate|url|WEAVIATE_URL|
AstraDB,AstraDBTool|api_endpoint|ASTRA_DB_API_ENDPOINT|database_name
`

let keys: ReadonlyMap<string, UsualKey> | undefined
let places: ReadonlyMap<string, UsualPlace> | undefined

/** The variable that people keep an address or project in. */
export interface UsualPlace {
  readonly name: string
  /** Another field of the component; with a value of its own it is used instead. */
  readonly unless: string
}

/** The usual variable of a component's address or project; undefined if there is none. */
export function usualPlace(type: string, field: string): UsualPlace | undefined {
  places ??= new Map(
    PLACES.trim()
      .split('\n')
      .flatMap((line) => {
        const [types = '', name = '', variable = '', unless = ''] = line.split('|')
        const place = { name: variable, unless }
        return types.split(',').map((one) => [`${one}\n${name}`, place] as const)
      }),
  )
  return places.get(`${type}\n${field}`)
}

/** The usual variable of a component's secret field; undefined if there is none. */
export function usualKey(type: string, field: string): UsualKey | undefined {
  keys ??= new Map(FACTS.trim().split('\n').flatMap(rowsOf))
  return keys.get(`${type}\n${field}`)
}

function rowsOf(line: string): (readonly [string, UsualKey])[] {
  const [types = '', fields = '', name = '', hosts = ''] = line.split('|')
  const key = { name, hosts: hosts.split(' ').filter(Boolean) }
  return types
    .split(',')
    .flatMap((type) => fields.split(',').map((field) => [`${type}\n${field}`, key] as const))
}
