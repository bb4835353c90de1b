import type { Component } from './components/define/component.ts'
import { anthropicModel } from './components/built-in/vendors/anthropic-model.ts'
import { arXiv } from './components/built-in/vendors/arxiv-search.ts'
import { chroma } from './components/built-in/vendors/chroma.ts'
import { apiRequest } from './components/built-in/data-source/api-request.ts'
import { sql } from './components/built-in/data-source/sql-query.ts'
import { url } from './components/built-in/data-source/url.ts'
import { unifiedWebSearch } from './components/built-in/data-source/web-search.ts'
import { faiss } from './components/built-in/vendors/faiss.ts'
import { file } from './components/built-in/files-and-knowledge/file.ts'
import { knowledgeIngestion } from './components/built-in/files-and-knowledge/knowledge-ingestion.ts'
import { knowledgeRetrieval } from './components/built-in/files-and-knowledge/knowledge-retrieval.ts'
import { saveToFile } from './components/built-in/files-and-knowledge/save-to-file.ts'
import { conditionalRouter } from './components/built-in/flow-controls/conditional-router.ts'
import { loop } from './components/built-in/flow-controls/loop.ts'
import { pass } from './components/built-in/flow-controls/pass.ts'
import { runFlow } from './components/built-in/flow-controls/run-flow.ts'
import { chatInput } from './components/built-in/input-output/chat-input.ts'
import { chatOutput } from './components/built-in/input-output/chat-output.ts'
import { textInput } from './components/built-in/input-output/text-input.ts'
import { textOutput } from './components/built-in/input-output/text-output.ts'
import { webhook } from './components/built-in/input-output/webhook.ts'
import { batchRun } from './components/built-in/llm-operations/batch-run.ts'
import { structuredOutput } from './components/built-in/llm-operations/structured-output.ts'
import { agent } from './components/built-in/models-and-agents/agent.ts'
import { embeddingModel } from './components/built-in/models-and-agents/embedding-model.ts'
import { languageModel } from './components/built-in/models-and-agents/language-model.ts'
import { mcpTools } from './components/built-in/models-and-agents/mcp-tools.ts'
import { memory } from './components/built-in/models-and-agents/memory.ts'
import { promptTemplate } from './components/built-in/models-and-agents/prompt-template.ts'
import { openAiEmbeddings } from './components/built-in/openai/openai-embeddings.ts'
import { openAiModel } from './components/built-in/openai/openai-model.ts'
import { combineText } from './components/built-in/processing/combine-text.ts'
import { dataFrameOperations } from './components/built-in/processing/data-frame-operations.ts'
import { dataOperations } from './components/built-in/processing/data-operations.ts'
import { messageToData } from './components/built-in/processing/message-to-data.ts'
import { parser } from './components/built-in/processing/parser.ts'
import { splitText } from './components/built-in/processing/split-text.ts'
import { typeConverter } from './components/built-in/processing/type-converter.ts'
import { search } from './components/built-in/vendors/search-api.ts'
import { tavilySearch } from './components/built-in/vendors/tavily-search.ts'
import { calculator } from './components/built-in/utilities/calculator.ts'
import { currentDate } from './components/built-in/utilities/current-date.ts'
import { yfinance } from './components/built-in/vendors/yahoo-finance.ts'
import { agentQL } from './components/built-in/vendors/agent-ql.ts'
import { scrapeGraphSearchApi } from './components/built-in/vendors/scrape-graph-search.ts'
import { needle } from './components/built-in/vendors/needle.ts'
import { azureOpenAiEmbeddings } from './components/built-in/providers/azure-openai-embeddings.ts'
import { googleGenerativeAIEmbeddings } from './components/built-in/providers/google-embeddings.ts'
import { mistalAIEmbeddings } from './components/built-in/providers/mistral-embeddings.ts'
import { ollamaEmbeddings } from './components/built-in/providers/ollama-embeddings.ts'
import { azureOpenAiModel } from './components/built-in/providers/azure-openai-model.ts'
import { googleGenerativeAIModel } from './components/built-in/providers/google-model.ts'
import { groqModel } from './components/built-in/providers/groq-model.ts'
import { mistralModel } from './components/built-in/providers/mistral-model.ts'
import { openRouter } from './components/built-in/providers/open-router-model.ts'
import { youTubeComments } from './components/built-in/vendors/youtube-comments.ts'
import { apifyActors } from './components/built-in/vendors/apify-actors.ts'
import { assemblyAITranscriptionJobCreator } from './components/built-in/vendors/assembly-ai-creator.ts'
import { assemblyAITranscriptionJobPoller } from './components/built-in/vendors/assembly-ai-poller.ts'
import { assemblyAITranscriber } from './components/built-in/vendors/assembly-ai-transcriber.ts'
import { astraDB } from './components/built-in/vendors/astra-db.ts'
import { knowledge, knowledgeBase } from './components/built-in/files-and-knowledge/knowledge.ts'
import { memoryBase } from './components/built-in/files-and-knowledge/memory-base.ts'
import { parseData } from './components/built-in/processing/parse-data.ts'

export type { ComponentContext } from './components/define/context.ts'
export type { Component, ComponentDefinition } from './components/define/component.ts'
export { defineComponent } from './components/define/define.ts'
export { field } from './components/define/field.ts'
export { output } from './components/define/output.ts'

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
  runFlow,
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
  openAiEmbeddings,
  openAiModel,
  combineText,
  dataFrameOperations,
  dataOperations,
  messageToData,
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
  azureOpenAiEmbeddings,
  googleGenerativeAIEmbeddings,
  mistalAIEmbeddings,
  ollamaEmbeddings,
  azureOpenAiModel,
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
  runFlow,
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
  openAiEmbeddings,
  openAiModel,
  combineText,
  dataFrameOperations,
  dataOperations,
  messageToData,
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
  azureOpenAiEmbeddings,
  googleGenerativeAIEmbeddings,
  mistalAIEmbeddings,
  ollamaEmbeddings,
  azureOpenAiModel,
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
