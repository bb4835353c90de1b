import type { Component } from './components/component.ts'
import { anthropicModel } from './components/anthropic/anthropic-model.ts'
import { arXiv } from './components/arxiv/arxiv-search.ts'
import { chroma } from './components/chroma/chroma.ts'
import { apiRequest } from './components/data-source/api-request.ts'
import { sql } from './components/data-source/sql-query.ts'
import { url } from './components/data-source/url.ts'
import { unifiedWebSearch } from './components/data-source/web-search.ts'
import { faiss } from './components/faiss/faiss.ts'
import { file } from './components/files-and-knowledge/file.ts'
import { knowledgeIngestion } from './components/files-and-knowledge/knowledge-ingestion.ts'
import { knowledgeRetrieval } from './components/files-and-knowledge/knowledge-retrieval.ts'
import { saveToFile } from './components/files-and-knowledge/save-to-file.ts'
import { conditionalRouter } from './components/flow-controls/conditional-router.ts'
import { loop } from './components/flow-controls/loop.ts'
import { pass } from './components/flow-controls/pass.ts'
import { chatInput } from './components/input-output/chat-input.ts'
import { chatOutput } from './components/input-output/chat-output.ts'
import { textInput } from './components/input-output/text-input.ts'
import { textOutput } from './components/input-output/text-output.ts'
import { webhook } from './components/input-output/webhook.ts'
import { batchRun } from './components/llm-operations/batch-run.ts'
import { structuredOutput } from './components/llm-operations/structured-output.ts'
import { agent } from './components/models-and-agents/agent.ts'
import { embeddingModel } from './components/models-and-agents/embedding-model.ts'
import { languageModel } from './components/models-and-agents/language-model.ts'
import { mcpTools } from './components/models-and-agents/mcp-tools.ts'
import { memory } from './components/models-and-agents/memory.ts'
import { promptTemplate } from './components/models-and-agents/prompt-template.ts'
import { openAIEmbeddings } from './components/openai/openai-embeddings.ts'
import { openAIModel } from './components/openai/openai-model.ts'
import { combineText } from './components/processing/combine-text.ts'
import { dataFrameOperations } from './components/processing/data-frame-operations.ts'
import { dataOperations } from './components/processing/data-operations.ts'
import { messagetoData } from './components/processing/message-to-data.ts'
import { parser } from './components/processing/parser.ts'
import { splitText } from './components/processing/split-text.ts'
import { typeConverter } from './components/processing/type-converter.ts'
import { search } from './components/searchapi/search-api.ts'
import { tavilySearch } from './components/tavily/tavily-search.ts'
import { calculator } from './components/utilities/calculator.ts'
import { currentDate } from './components/utilities/current-date.ts'
import { yfinance } from './components/yahoosearch/yahoo-finance.ts'
import { agentQL } from './components/vendors/agent-ql.ts'
import { scrapeGraphSearchApi } from './components/vendors/scrape-graph-search.ts'
import { needle } from './components/vendors/needle.ts'
import { azureOpenAIEmbeddings } from './components/providers/azure-openai-embeddings.ts'
import { googleGenerativeAIEmbeddings } from './components/providers/google-embeddings.ts'
import { mistalAIEmbeddings } from './components/providers/mistral-embeddings.ts'
import { ollamaEmbeddings } from './components/providers/ollama-embeddings.ts'
import { azureOpenAIModel } from './components/providers/azure-openai-model.ts'
import { googleGenerativeAIModel } from './components/providers/google-model.ts'
import { groqModel } from './components/providers/groq-model.ts'
import { mistralModel } from './components/providers/mistral-model.ts'
import { openRouter } from './components/providers/open-router-model.ts'
import { youTubeComments } from './components/vendors/youtube-comments.ts'
import { apifyActors } from './components/vendors/apify-actors.ts'
import { assemblyAITranscriptionJobCreator } from './components/vendors/assembly-ai-creator.ts'
import { assemblyAITranscriptionJobPoller } from './components/vendors/assembly-ai-poller.ts'
import { assemblyAITranscriber } from './components/vendors/assembly-ai-transcriber.ts'
import { astraDB } from './components/vendors/astra-db.ts'
import { knowledge, knowledgeBase } from './components/files-and-knowledge/knowledge.ts'
import { memoryBase } from './components/files-and-knowledge/memory-base.ts'
import { parseData } from './components/processing/parse-data.ts'

export type { ComponentContext } from './components/context.ts'
export type { Component, ComponentDefinition } from './components/component.ts'
export { defineComponent } from './components/define.ts'
export { field } from './components/field.ts'
export { output } from './components/output.ts'

/** The built-in library: tiers A, B and C, and the small ones (FE-45). One line each, by category. */
export const builtinComponents: readonly Component[] = [
  anthropicModel,
  arXiv,
  chroma,
  apiRequest,
  sql,
  url,
  unifiedWebSearch,
  faiss,
  file,
  knowledgeIngestion,
  knowledgeRetrieval,
  saveToFile,
  conditionalRouter,
  loop,
  pass,
  chatInput,
  chatOutput,
  textInput,
  textOutput,
  webhook,
  batchRun,
  structuredOutput,
  agent,
  embeddingModel,
  languageModel,
  mcpTools,
  memory,
  promptTemplate,
  openAIEmbeddings,
  openAIModel,
  combineText,
  dataFrameOperations,
  dataOperations,
  messagetoData,
  parser,
  splitText,
  typeConverter,
  search,
  tavilySearch,
  calculator,
  currentDate,
  yfinance,
  agentQL,
  scrapeGraphSearchApi,
  needle,
  azureOpenAIEmbeddings,
  googleGenerativeAIEmbeddings,
  mistalAIEmbeddings,
  ollamaEmbeddings,
  azureOpenAIModel,
  googleGenerativeAIModel,
  groqModel,
  mistralModel,
  openRouter,
  youTubeComments,
  apifyActors,
  assemblyAITranscriptionJobCreator,
  assemblyAITranscriptionJobPoller,
  assemblyAITranscriber,
  astraDB,
  knowledge,
  knowledgeBase,
  memoryBase,
  parseData,
]

export {
  anthropicModel,
  arXiv,
  chroma,
  apiRequest,
  sql,
  url,
  unifiedWebSearch,
  faiss,
  file,
  knowledgeIngestion,
  knowledgeRetrieval,
  saveToFile,
  conditionalRouter,
  loop,
  pass,
  chatInput,
  chatOutput,
  textInput,
  textOutput,
  webhook,
  batchRun,
  structuredOutput,
  agent,
  embeddingModel,
  languageModel,
  mcpTools,
  memory,
  promptTemplate,
  openAIEmbeddings,
  openAIModel,
  combineText,
  dataFrameOperations,
  dataOperations,
  messagetoData,
  parser,
  splitText,
  typeConverter,
  search,
  tavilySearch,
  calculator,
  currentDate,
  yfinance,
  agentQL,
  scrapeGraphSearchApi,
  needle,
  azureOpenAIEmbeddings,
  googleGenerativeAIEmbeddings,
  mistalAIEmbeddings,
  ollamaEmbeddings,
  azureOpenAIModel,
  googleGenerativeAIModel,
  groqModel,
  mistralModel,
  openRouter,
  youTubeComments,
  apifyActors,
  assemblyAITranscriptionJobCreator,
  assemblyAITranscriptionJobPoller,
  assemblyAITranscriber,
  astraDB,
  knowledge,
  knowledgeBase,
  memoryBase,
  parseData,
}
