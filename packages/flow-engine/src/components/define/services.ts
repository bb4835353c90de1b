import type { ChatModel, Embedder } from '../../models/chat-model.ts'
import type { FlowJson, NodeDetails } from '../../graph/flow/node-json.ts'
import type { VariableLookup } from './variable-lookup.ts'
import type { RedisLists } from './redis-lists.ts'

/** Services that a host injects into components; all optional (flow-engine section 1.3). */
export interface ComponentServices {
  /** Default: in memory, for this run only. */
  messages?: MessageService
  variables?: VariableLookup
  /** Fallback after the variables. Default: no environment. */
  environment?: Readonly<Record<string, string>>
  /** A single `ChatModel` is used for every provider and model name. */
  models?: ChatModel | ModelProviders
  files?: FileService
  fetch?: typeof fetch
  /** Total number of bytes that the URL component may read in one run. Default 64 MiB. */
  crawlBytes?: number
  knowledge?: KnowledgeService
  /** Vector memories of flows. */
  memories?: MemoryBases
  finance?: FinanceSource
  sql?: SqlConnections
  redis?: RedisLists
  vectors?: VectorStores
  /**
   * Runs jq expressions so that they can be aborted. Default: in the calling thread, without a time limit.
   */
  jsonQueries?: JsonQueries
  /**
   * Reads PDF documents and workbooks within time and memory limits. Default: small ones in the calling
   * thread.
   */
  documentReader?: DocumentReader
  flows?: FlowService
  mcp?: McpService
  /** Runs component source. Default: none; such components fail. */
  codeRunner?: CodeRunner
  /**
   * The user on whose behalf the run uses shared workers for JSON queries, documents and sandboxes. Default: the run's user.
   */
  workOwner?: string
}

export interface MessageService {
  add(message: MessageRecord): Promise<void>
  update(message: MessageRecord): Promise<void>
  remove(id: string): Promise<void>
  /**
   * Ordered by time; `last` selects the last n. Error rows are omitted by default, and empty filters are
   * ignored.
   */
  list(query: MessageQuery): Promise<MessageRecord[]>
}

export interface MessageQuery {
  sessionId?: string
  contextId?: string
  flowId?: string
  sender?: string
  senderName?: string
  includeErrors?: boolean
  order?: 'ascending' | 'descending'
  last?: number
}

/** A stored message. */
export interface MessageRecord {
  id: string
  flowId: string | null
  timestamp: Date
  sender: string | null
  senderName: string | null
  sessionId: string
  contextId: string | null
  text: string
  files: string[]
  error: boolean
  edit: boolean
  category: string
  properties: object
  contentBlocks: object[]
  duration: number | null
}

export interface ModelProviders {
  chatModel(spec: ModelSpec): ChatModel | Promise<ChatModel>
  embedder(spec: ModelSpec): Embedder | Promise<Embedder>
}

export interface ModelSpec {
  provider: string
  model: string
  apiKey?: string
  baseUrl?: string
  options: Readonly<Record<string, unknown>>
}

export interface FileScope {
  userId?: string
  flowId: string
}

export interface FileService {
  /** Returns null if there is no such file. */
  read(path: string, scope: FileScope): Promise<Uint8Array | null>
  /** Returns the path under which the file can be read. */
  write(path: string, data: Uint8Array, scope: FileScope): Promise<string>
  /**
   * Reads, changes and writes atomically, so that concurrent changes are not lost; `change` gets null if
   * there is no file. Returns the same as `write`. Without it, components read and then write.
   */
  update?(
    path: string,
    change: (before: Uint8Array | null) => Uint8Array | Promise<Uint8Array>,
    scope: FileScope,
  ): Promise<string>
  /** Tests whether the file exists. Without it, chats accept files unchecked. */
  exists?(path: string, scope: FileScope): Promise<boolean>
  list(prefix: string, scope: FileScope): Promise<string[]>
}

/** A file passed to a component, read on demand. */
export interface FileReference {
  path: string
  name: string
  /** @throws FlowError `not_found` if the file does not exist */
  read(): Promise<Uint8Array>
}

export interface McpService {
  connect(
    server: { name: string; config?: object },
    options: {
      userId?: string
      sessionId?: string
      signal: AbortSignal
      /**
       * True if the run was started by someone other than `userId`, for example a visitor. Default
       * false.
       */
      isForeign?: boolean
      /** Runs a flow within the connecting run; absent outside runs. */
      runFlow?: RunChildFlow
    },
  ): Promise<McpClient>
}

/** `ComponentContext.runFlow` as seen by services. */
export type RunChildFlow = (
  flow: FlowJson,
  options: {
    readonly input?: string
    readonly tweaks?: Readonly<Record<string, unknown>>
    readonly sessionId?: string
    readonly outputType: 'any'
  },
) => Promise<{
  readonly status: 'succeeded' | 'failed' | 'cancelled'
  readonly error?: Error | undefined
  readonly outputs: readonly { readonly outputs: Readonly<Record<string, unknown>> }[]
}>

/** The flows of the run's owner, for components that run flows. */
export interface FlowService {
  /** Finds a flow by id, then by name; null for other users' flows. */
  get(idOrName: string, scope: { userId?: string }): Promise<FlowJson | null>
  /** Returns at most 1,000 names to offer in the editor. */
  names?(scope: { userId?: string }): Promise<readonly string[]>
}

export interface McpTool {
  name: string
  description?: string
  inputSchema: object
}

export interface McpResult {
  content: object[]
  isError?: boolean
  structuredContent?: unknown
}

export interface McpClient {
  listTools(): Promise<McpTool[]>
  callTool(
    name: string,
    args: object,
    /** `timeoutMs`: maximum time for the answer. Default: the client's timeout. */
    options: { signal: AbortSignal; timeoutMs?: number },
  ): Promise<McpResult>
  close(): Promise<void>
}

export interface SqlConnections {
  /** @throws if the database cannot be reached */
  connect(url: string): Promise<SqlConnection>
}

export interface SqlConnection {
  query(
    sql: string,
    /** `parameters` are the values of `$1`, `$2` in PostgreSQL and of `?` in SQLite. */
    options?: { signal?: AbortSignal; parameters?: readonly unknown[] },
  ): Promise<{ columns: string[]; rows: Record<string, unknown>[] }>
  close(): Promise<void>
}

/** Quotes and company data; without it the finance component reports an error. */
export interface FinanceSource {
  /** @param method a method name of the component, for example `get_info` */
  get(
    symbol: string,
    method: string,
    options: { count?: number; signal: AbortSignal },
  ): Promise<unknown>
}

/** Runs jq expressions. */
export interface JsonQueries {
  /** Returns all results. Rejects with jq's message, or when the expression takes too long. */
  query(expression: string, input: unknown, options: WorkCaller): Promise<unknown[]>
}

/** Identifies a run to workers shared between users. */
export interface WorkCaller {
  readonly signal: AbortSignal
  /** The user whose turn is used. */
  readonly userId?: string
}

/** Reads documents that may take long to parse. */
export interface DocumentReader {
  /** Returns the text of a PDF with a blank line between pages. Rejects if it is corrupt or too large. */
  pdf(bytes: Uint8Array, options: WorkCaller): Promise<string>
  /**
   * Returns the rows of the first sheet of an XLSX workbook: strings, numbers, booleans, dates, null. Rejects
   * likewise.
   */
  sheet(bytes: Uint8Array, options: WorkCaller): Promise<readonly (readonly unknown[])[]>
}

/** A text with its vector. */
export interface VectorRow {
  id: string
  text: string
  vector: readonly number[]
  metadata: Readonly<Record<string, unknown>>
}

/** Named collections of vectors. Default: in memory for one run. */
export interface VectorStores {
  open(name: string, scope: FileScope): Promise<VectorStore>
}

/** Rows in insertion order. The optional methods default to scanning `all`. */
export interface VectorStore {
  add(rows: readonly VectorRow[]): Promise<void>
  all(): Promise<readonly VectorRow[]>
  /** Returns the number of rows that can still be added. Default: unlimited. */
  room?(): Promise<number>
  /** Yields the texts in batches, without vectors. */
  documents?(): AsyncIterable<readonly Omit<VectorRow, 'vector'>[]>
  /**
   * Prepares adding only rows whose metadata value for this key is not stored yet. Default: all texts are
   * scanned first.
   */
  distinct?(key: string): Promise<DistinctRows>
  /** Returns the rows nearest to a vector by squared Euclidean distance, nearest first. */
  nearest?(vector: readonly number[], options: NearestOptions): Promise<readonly NearestRow[]>
}

/** Rows distinguished by one metadata value. */
export interface DistinctRows {
  /** Tests whether a stored row has the value. */
  has(value: unknown): boolean
  /** Adds rows, except those whose value another writer has stored in the meantime. */
  add(rows: readonly VectorRow[]): Promise<void>
}

export interface NearestOptions {
  readonly count: number
  /** Filters rows by metadata before they are counted. */
  readonly accepts?: (metadata: Readonly<Record<string, unknown>>) => boolean
  readonly signal?: AbortSignal
}

/** A row with its squared Euclidean distance. */
export interface NearestRow {
  readonly row: VectorRow
  readonly distance: number
}

/** Knowledge bases of users. */
export interface KnowledgeService {
  list(scope: { userId?: string }): Promise<string[]>
  get(name: string, scope: { userId?: string }): Promise<KnowledgeBase | null>
  create(
    name: string,
    embedding: { provider: string; model: string; apiKey?: string },
    scope: { userId?: string },
  ): Promise<KnowledgeBase>
}

export interface KnowledgeBase {
  id: string
  name: string
  embedding: { provider: string; model: string; apiKey?: string }
  store: VectorStore
}

/** Vector memories, each specific to a user and flow. */
export interface MemoryBases {
  /** Returns null if the flow has no such memory base. */
  open(name: string, scope: FileScope): Promise<MemoryBaseStore | null>
}

export interface MemoryBaseStore {
  embedding: { provider: string; model: string; apiKey?: string }
  store: VectorStore
}

/** The language of component code; TypeScript includes JavaScript. */
export type CodeLanguage = 'typescript' | 'python'

export interface CodeLoadOptions {
  readonly signal: AbortSignal
  /** The user of the run or request. */
  readonly userId?: string
  /**
   * The node that contains the code. Runners that support it use the node's own template and outputs.
   */
  readonly node?: NodeDetails
}

/** Runs component source in isolation. */
export interface CodeRunner {
  /** Default: TypeScript only. */
  readonly languages?: ReadonlySet<CodeLanguage>
  /** Returns a component whose functions run in the sandbox. */
  load(code: string, options: CodeLoadOptions): Promise<unknown>
  /**
   * Describes, for the author, packages and base classes that the source needs and the runner lacks;
   * undefined if nothing is missing.
   */
  missing?(code: string): string | undefined
}
