import type { ChatModel, Embedder } from '../../models/chat-model.ts'
import type { FlowJson, NodeDetails } from '../../graph/flow/node-json.ts'

/** Services a host injects for components; all optional (flow-engine section 1.3). */
export interface ComponentServices {
  /** Default: in memory, for this run only. */
  messages?: MessageService
  variables?: {
    get(name: string, scope: { userId?: string; flowId: string }): Promise<string | null>
  }
  /** Looked up after the variables; absent = no environment fallback. */
  environment?: Readonly<Record<string, string>>
  /** A `ChatModel` serves every provider and name. */
  models?: ChatModel | ModelProviders
  files?: FileService
  fetch?: typeof fetch
  /** Bytes that one run of the page reader (URL) reads in all; 64 MiB (AB-34). */
  crawlBytes?: number
  knowledge?: KnowledgeService
  /** Vector memories of flows (NX-32). */
  memories?: MemoryBases
  finance?: FinanceSource
  sql?: SqlConnections
  vectors?: VectorStores
  /** Runs jq expressions where they can be ended; default: in the calling thread, without a time limit. */
  jsonQueries?: JsonQueries
  /** Reads PDF documents and workbooks with bounds of time and memory; default: small ones in the calling thread (AB-36). */
  documentReader?: DocumentReader
  flows?: FlowService
  mcp?: McpService
  /** Off unless given. */
  codeRunner?: CodeRunner
  /**
   * The user whose turns JSON queries, documents and sandboxes of the run take (AB-32, AB-36, AB-76).
   * Default: the run's user.
   */
  workOwner?: string
}

export interface MessageService {
  add(message: MessageRecord): Promise<void>
  update(message: MessageRecord): Promise<void>
  remove(id: string): Promise<void>
  /** Leaves error rows out by default; empty filters count as none; ordered by time, `last` = the last n in that order. */
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
  /** null: no such file. */
  read(path: string, scope: FileScope): Promise<Uint8Array | null>
  /** Resolves with the path under which the file is read again. */
  write(path: string, data: Uint8Array, scope: FileScope): Promise<string>
  /**
   * Reads, changes and writes as one step, so that of changes at the same time none is lost; null =
   * there was no file. Resolves as `write` does. Without it components read and then write.
   */
  update?(
    path: string,
    change: (before: Uint8Array | null) => Uint8Array | Promise<Uint8Array>,
    scope: FileScope,
  ): Promise<string>
  /** Tells whether the file exists. Without it, a chat accepts files unchecked. */
  exists?(path: string, scope: FileScope): Promise<boolean>
  list(prefix: string, scope: FileScope): Promise<string[]>
}

/** A file given to a component; read only when asked. */
export interface FileReference {
  path: string
  name: string
  /** Throws FlowError `not_found` when it does not exist. */
  read(): Promise<Uint8Array>
}

export interface McpService {
  connect(
    server: { name: string; config?: object },
    options: {
      userId?: string
      sessionId?: string
      signal: AbortSignal
      /** The run was started by someone other than `userId`, a visitor for example (AB-75); false. */
      isForeign?: boolean
      /** Runs a flow within the run that connects; absent outside runs (MC-84). */
      runFlow?: RunChildFlow
    },
  ): Promise<McpClient>
}

/** `ComponentContext.runFlow`, as services see it. */
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

/** The flows of the run's owner, for components that run them. */
export interface FlowService {
  /** By id, else by name; null for flows of others too. */
  get(idOrName: string, scope: { userId?: string }): Promise<FlowJson | null>
  /** Names for the editor to offer, at most 1,000. */
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
    /** `timeoutMs`: how long the answer may take; by default what the client waits. */
    options: { signal: AbortSignal; timeoutMs?: number },
  ): Promise<McpResult>
  close(): Promise<void>
}

export interface SqlConnections {
  /** Rejects when the database cannot be reached. */
  connect(url: string): Promise<SqlConnection>
}

export interface SqlConnection {
  query(
    sql: string,
    /** `parameters` are the values of `$1`, `$2` in PostgreSQL, of `?` in SQLite. */
    options?: { signal?: AbortSignal; parameters?: readonly unknown[] },
  ): Promise<{ columns: string[]; rows: Record<string, unknown>[] }>
  close(): Promise<void>
}

/** Quotes and company facts; without one the finance component says so (CO-72). */
export interface FinanceSource {
  /** @param method one of the component's method names, `get_info` for example */
  get(
    symbol: string,
    method: string,
    options: { count?: number; signal: AbortSignal },
  ): Promise<unknown>
}

/** Runs jq expressions (CO-61). */
export interface JsonQueries {
  /** All results; rejects with jq's words, or when the expression takes too long. */
  query(expression: string, input: unknown, options: WorkCaller): Promise<unknown[]>
}

/** A run as a caller of workers that users share. */
export interface WorkCaller {
  readonly signal: AbortSignal
  /** The user whose turn it takes. */
  readonly userId?: string
}

/** Reads documents whose reading may take long (AB-36). */
export interface DocumentReader {
  /** The text of a PDF, a blank line between pages; rejects when it is broken or too large. */
  pdf(bytes: Uint8Array, options: WorkCaller): Promise<string>
  /** The rows of the first sheet of a workbook (XLSX): strings, numbers, booleans, dates, null; rejects likewise. */
  sheet(bytes: Uint8Array, options: WorkCaller): Promise<readonly (readonly unknown[])[]>
}

/** One text with its vector. */
export interface VectorRow {
  id: string
  text: string
  vector: readonly number[]
  metadata: Readonly<Record<string, unknown>>
}

/** Named lists of vectors (CO-73); without one they live in memory for one run. */
export interface VectorStores {
  open(name: string, scope: FileScope): Promise<VectorStore>
}

/** Rows in the order they were added. Without the optional methods everything works on `all`. */
export interface VectorStore {
  add(rows: readonly VectorRow[]): Promise<void>
  all(): Promise<readonly VectorRow[]>
  /** Number of rows that may still be added. Default: unlimited. */
  room?(): Promise<number>
  /** Texts without their vectors, a part at a time. */
  documents?(): AsyncIterable<readonly Omit<VectorRow, 'vector'>[]>
  /** Adds only rows whose value of this key in their metadata no stored row has; default: a look at all texts before. */
  distinct?(key: string): Promise<DistinctRows>
  /** The rows nearest to a vector by squared Euclidean distance, nearest first. */
  nearest?(vector: readonly number[], options: NearestOptions): Promise<readonly NearestRow[]>
}

/** Rows told apart by one value of their metadata. */
export interface DistinctRows {
  /** Tells whether a stored row has the value. */
  has(value: unknown): boolean
  /** Leaves out rows whose value was stored by another writer in the meantime. */
  add(rows: readonly VectorRow[]): Promise<void>
}

export interface NearestOptions {
  readonly count: number
  /** Rows whose metadata it refuses are passed over before they are counted. */
  readonly accepts?: (metadata: Readonly<Record<string, unknown>>) => boolean
  readonly signal?: AbortSignal
}

/** A row and its squared Euclidean distance. */
export interface NearestRow {
  readonly row: VectorRow
  readonly distance: number
}

/** Knowledge bases of a user (CO-74, CO-75). */
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

/** Vector memories, each of one user and one flow (NX-32). */
export interface MemoryBases {
  /** null: no such base is attached to the flow. */
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
  /** The node that carries the code: where the runner can, its template and outputs stand (PY-51). */
  readonly node?: NodeDetails
}

/** Runs component source text in isolation (FE-44). */
export interface CodeRunner {
  /** Default: TypeScript alone. */
  readonly languages?: ReadonlySet<CodeLanguage>
  /** Resolves with a component whose functions run in the sandbox. */
  load(code: string, options: CodeLoadOptions): Promise<unknown>
  /**
   * Names of packages and base classes that a text needs and the runner does not have, in words for
   * its author; undefined: nothing is missing.
   */
  missing?(code: string): string | undefined
}
