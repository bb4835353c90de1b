import type { Component } from './components/component.ts'
import { apiRequest } from './components/data-source/api-request.ts'
import { conditionalRouter } from './components/flow-controls/conditional-router.ts'
import { loop } from './components/flow-controls/loop.ts'
import { webhook } from './components/input-output/webhook.ts'
import { dataFrameOperations } from './components/processing/data-frame-operations.ts'
import { dataOperations } from './components/processing/data-operations.ts'
import { splitText } from './components/processing/split-text.ts'
import { typeConverter } from './components/processing/type-converter.ts'
import { tavilySearch } from './components/tavily/tavily-search.ts'
import { currentDate } from './components/utilities/current-date.ts'
import { agent } from './components/models-and-agents/agent.ts'
import { calculator } from './components/utilities/calculator.ts'
import { chatInput } from './components/input-output/chat-input.ts'
import { chatOutput } from './components/input-output/chat-output.ts'
import { combineText } from './components/processing/combine-text.ts'
import { languageModel } from './components/models-and-agents/language-model.ts'
import { memory } from './components/models-and-agents/memory.ts'
import { messagetoData } from './components/processing/message-to-data.ts'
import { parser } from './components/processing/parser.ts'
import { pass } from './components/flow-controls/pass.ts'
import { promptTemplate } from './components/models-and-agents/prompt-template.ts'
import { structuredOutput } from './components/llm-operations/structured-output.ts'
import { textInput } from './components/input-output/text-input.ts'
import { textOutput } from './components/input-output/text-output.ts'
import { anthropicModel } from './components/anthropic/anthropic-model.ts'
import { embeddingModel } from './components/models-and-agents/embedding-model.ts'
import { openAIEmbeddings } from './components/openai/openai-embeddings.ts'
import { openAIModel } from './components/openai/openai-model.ts'
import { batchRun } from './components/llm-operations/batch-run.ts'
import { arXiv } from './components/arxiv/arxiv-search.ts'
import { search } from './components/searchapi/search-api.ts'
import { yfinance } from './components/yahoosearch/yahoo-finance.ts'
import { sql } from './components/data-source/sql-query.ts'
import { unifiedWebSearch } from './components/data-source/web-search.ts'
import { saveToFile } from './components/files-and-knowledge/save-to-file.ts'
import { file } from './components/files-and-knowledge/file.ts'
import { url } from './components/data-source/url.ts'
import { faiss } from './components/faiss/faiss.ts'
import { chroma } from './components/chroma/chroma.ts'
import { mcpTools } from './components/models-and-agents/mcp-tools.ts'
import { knowledgeIngestion } from './components/files-and-knowledge/knowledge-ingestion.ts'
import { knowledgeRetrieval } from './components/files-and-knowledge/knowledge-retrieval.ts'

export type { ComponentContext } from './components/context.ts'
export type { Component, ComponentDefinition } from './components/component.ts'
export { defineComponent } from './components/define.ts'
export { field } from './components/field.ts'
export { output } from './components/output.ts'

/** The built-in library: tiers A, B and C, and the small ones (FE-45). One line each, by category. */
export const builtinComponents: readonly Component[] = [
  mcpTools,
  url,
  file,
  textOutput,
  textInput,
  structuredOutput,
  promptTemplate,
  pass,
  parser,
  messagetoData,
  memory,
  languageModel,
  combineText,
  chatOutput,
  chatInput,
  calculator,
  agent,
  apiRequest,
  conditionalRouter,
  loop,
  webhook,
  dataFrameOperations,
  dataOperations,
  splitText,
  typeConverter,
  tavilySearch,
  currentDate,
  anthropicModel,
  embeddingModel,
  openAIEmbeddings,
  openAIModel,
  batchRun,
  arXiv,
  search,
  yfinance,
  sql,
  unifiedWebSearch,
  saveToFile,
  faiss,
  chroma,
  knowledgeIngestion,
  knowledgeRetrieval,
]

export {
  knowledgeRetrieval,
  knowledgeIngestion,
  mcpTools,
  chroma,
  faiss,
  url,
  file,
  saveToFile,
  unifiedWebSearch,
  sql,
  yfinance,
  search,
  arXiv,
  batchRun,
  openAIModel,
  openAIEmbeddings,
  embeddingModel,
  anthropicModel,
  textOutput,
  textInput,
  structuredOutput,
  promptTemplate,
  pass,
  parser,
  messagetoData,
  memory,
  languageModel,
  combineText,
  chatOutput,
  chatInput,
  calculator,
  agent,
  apiRequest,
  conditionalRouter,
  loop,
  webhook,
  dataFrameOperations,
  dataOperations,
  splitText,
  typeConverter,
  tavilySearch,
  currentDate,
}
