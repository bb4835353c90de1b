export { createDiskBlobStore } from './node/disk-blob-store.ts'
export { createDiskFlowFiles } from './node/disk-flow-files.ts'
export { createDiskProfilePictures } from './node/disk-profile-pictures.ts'
export {
  createDocumentReader,
  type DocumentReaderOptions,
  type WorkerDocumentReader,
} from './node/document-reader.ts'
export { AddressBlockedError } from './outgoing/address-blocked.ts'
export type { GuardedFetchOptions } from './outgoing/fetch-options.ts'
export { createGuardedFetch } from './node/guarded-fetch.ts'
export {
  createJsonQueries,
  type JsonQueriesOptions,
  type WorkerJsonQueries,
} from './node/json-queries.ts'
export { createScryptHasher, type ScryptOptions } from './node/scrypt-hasher.ts'
export { createStdioMcp, type StdioMcpOptions } from './node/stdio-mcp.ts'
export { createCodeRunner, type CodeRunnerOptions } from './node/code-runner.ts'
export {
  createSandboxQueue,
  type SandboxQueueOptions,
  type UserQueue,
  type UserQueueOptions,
} from './node/user-queue.ts'
