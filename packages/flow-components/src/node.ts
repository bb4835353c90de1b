export { createCodeRunner, type CodeRunnerOptions } from './node/code-runner.ts'
export {
  createDocumentReader,
  type DocumentReaderOptions,
  type WorkerDocumentReader,
} from './node/document-reader.ts'
export {
  createJsonQueries,
  type JsonQueriesOptions,
  type WorkerJsonQueries,
} from './node/json-queries.ts'
export { createStdioMcp, type StdioMcpOptions } from './node/stdio-mcp.ts'
