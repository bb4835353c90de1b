/** Component types, and their fields under the names that versions before 1.7 used (`former=present`). */
const FACTS = `
APIRequest|urls=url_input curl=curl_input
AnthropicModel|model=model_name anthropic_api_key=api_key anthropic_api_url=base_url
AstraDB|search_input=search_query search_filter=advanced_search_filter namespace=keyspace embedding=embedding_model
ChatInput,ChatOutput|store_message=should_store_message
Chroma,FAISS,OpenSearchVectorStoreComponent,Pinecone,QdrantVectorStoreComponent,Weaviate,pgvector|search_input=search_query
CohereEmbeddings|cohere_api_key=api_key model=model_name
GoogleGenerativeAIModel|google_api_key=api_key model=model_name
GoogleSerperAPI|input_value=query
GroqModel|groq_api_key=api_key groq_api_base=base_url
HuggingFaceInferenceAPIEmbeddings|api_url=inference_endpoint
HuggingFaceModel|endpoint_url=inference_endpoint
OllamaEmbeddings,OllamaModel|model=model_name
OpenAIModel|openai_api_key=api_key
SmartRouter|llm=model
`

let table: ReadonlyMap<string, ReadonlyMap<string, string>> | undefined
const NONE: ReadonlyMap<string, string> = new Map()

/** The present names of a component's fields, by their former names. */
export function formerFields(type: string): ReadonlyMap<string, string> {
  table ??= new Map(FACTS.trim().split('\n').flatMap(rowsOf))
  return table.get(type) ?? NONE
}

function rowsOf(line: string): [string, ReadonlyMap<string, string>][] {
  const [types = '', names = ''] = line.split('|')
  const pairs = names.split(' ').map((pair) => pair.split('=') as [string, string])
  return types.split(',').map((type) => [type, new Map(pairs)])
}
