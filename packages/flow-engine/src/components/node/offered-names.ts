/**
 * The names of other packages that Python components can import, by module. The interpreter creates these
 * modules; every other name of these packages is refused before a run.
 */
export const offeredNames: Readonly<Record<string, string>> = {
  langchain_openai: 'ChatOpenAI AzureChatOpenAI OpenAIEmbeddings AzureOpenAIEmbeddings',
  'langchain_openai.embeddings': 'OpenAIEmbeddings AzureOpenAIEmbeddings',
  'langchain_openai.chat_models': 'ChatOpenAI AzureChatOpenAI',
  langchain_ollama: 'ChatOllama OllamaEmbeddings',
  langchain_anthropic: 'ChatAnthropic',
  langchain_google_genai: 'ChatGoogleGenerativeAI GoogleGenerativeAIEmbeddings',
  langchain_groq: 'ChatGroq',
  langchain_mistralai: 'ChatMistralAI',
  langchain_ibm: 'ChatWatsonx WatsonxEmbeddings',
  langchain_cohere: 'ChatCohere CohereEmbeddings',
  langchain_nvidia_ai_endpoints: 'ChatNVIDIA',
  'langchain_community.chat_models':
    'ChatOpenAI AzureChatOpenAI ChatOllama ChatAnthropic ChatGoogleGenerativeAI ChatGroq ChatMistralAI ChatWatsonx ChatCohere',
  langchain_core: '',
  'langchain_core.documents': 'Document',
  'langchain_core.messages':
    'BaseMessage HumanMessage AIMessage AIMessageChunk SystemMessage ToolMessage FunctionMessage ChatMessage convert_to_messages get_buffer_string',
  'langchain_core.prompts':
    'PromptTemplate ChatPromptTemplate MessagesPlaceholder BasePromptTemplate HumanMessagePromptTemplate SystemMessagePromptTemplate AIMessagePromptTemplate',
  'langchain_core.prompts.chat':
    'ChatPromptTemplate MessagesPlaceholder HumanMessagePromptTemplate SystemMessagePromptTemplate AIMessagePromptTemplate',
  'langchain_core.prompt_values': 'PromptValue StringPromptValue ChatPromptValue',
  'langchain_core.output_parsers':
    'StrOutputParser JsonOutputParser PydanticOutputParser BaseOutputParser CommaSeparatedListOutputParser',
  'langchain_core.exceptions': 'OutputParserException',
  'langchain_core.runnables':
    'Runnable RunnableLambda RunnablePassthrough RunnableParallel RunnableMap RunnableSequence',
  'langchain_core.tools': 'BaseTool StructuredTool Tool ToolException tool render_text_description',
  'langchain_core.language_models': 'BaseChatModel BaseLanguageModel BaseLLM',
  'langchain_core.language_models.chat_models': 'BaseChatModel',
  langchain_chroma: 'Chroma',
  'langchain_community.vectorstores': 'Chroma FAISS',
  'langchain_community.embeddings': 'OpenAIEmbeddings OllamaEmbeddings CohereEmbeddings',
  'langchain_core.vectorstores': 'VectorStore VectorStoreRetriever InMemoryVectorStore',
  'langchain_core.embeddings': 'Embeddings',
  'langchain.tools': 'BaseTool StructuredTool Tool ToolException tool',
  'langchain.tools.base': 'BaseTool StructuredTool Tool ToolException tool',
  'langchain.agents':
    'Tool tool AgentExecutor create_tool_calling_agent create_openai_tools_agent create_openai_functions_agent create_react_agent',
  'langchain.agents.agent': 'AgentExecutor RunnableAgent',
  'langchain.prompts':
    'PromptTemplate ChatPromptTemplate MessagesPlaceholder HumanMessagePromptTemplate SystemMessagePromptTemplate AIMessagePromptTemplate',
  'langchain.schema':
    'AIMessage HumanMessage SystemMessage BaseMessage ChatMessage FunctionMessage Document StrOutputParser BaseOutputParser OutputParserException',
  'langchain.schema.output_parser': 'StrOutputParser BaseOutputParser OutputParserException',
  'langchain.schema.runnable':
    'Runnable RunnableLambda RunnablePassthrough RunnableParallel RunnableMap',
  'langchain.output_parsers': 'PydanticOutputParser CommaSeparatedListOutputParser',
  'langchain.embeddings.base': 'Embeddings',
  'langchain.chat_models': 'ChatOpenAI AzureChatOpenAI ChatOllama ChatAnthropic',
  langchain_text_splitters:
    'TextSplitter CharacterTextSplitter RecursiveCharacterTextSplitter TokenTextSplitter MarkdownHeaderTextSplitter',
  'langchain.text_splitter':
    'TextSplitter CharacterTextSplitter RecursiveCharacterTextSplitter TokenTextSplitter MarkdownHeaderTextSplitter',
  'langchain_experimental.utilities': 'PythonREPL',
  'langchain_experimental.utilities.python': 'PythonREPL',
  'sklearn.metrics.pairwise': 'cosine_similarity',
  'langchain.pydantic_v1': 'BaseModel Field SecretStr create_model validator root_validator',
  'langchain_core.pydantic_v1': 'BaseModel Field SecretStr create_model validator root_validator',
}

/** The packages of these modules. */
export const offeredPackages: ReadonlySet<string> = new Set(
  Object.keys(offeredNames).map((path) => path.split('.', 1)[0] ?? path),
)

const names = new Map(
  Object.entries(offeredNames).map(([path, list]) => [path, new Set(list.split(' '))]),
)

/** Tests whether a module of these packages has a name, which may be that of a module inside it. */
export function isOffered(path: string, name: string): boolean {
  if (names.get(path)?.has(name) === true) return true
  const inside = `${path}.${name}`
  return Object.keys(offeredNames).some((one) => one === inside || one.startsWith(`${inside}.`))
}
