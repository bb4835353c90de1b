import type { Metrics, RequestHooks, Runtime } from '@x/wire'
import type { ComponentRegistry } from '@x/flow-engine'
import type { ChatModel, ComponentServices, ModelProviders } from '@x/flow-engine'
import type { ResultCache } from '@x/flow-engine'
import type { RunLimits } from '@x/flow-engine'
import type { CountTokens, Prices, RunBudget, RunHooks } from '@x/flow-engine'
import type { BuildJobsOptions } from '@x/flow-engine'
import type { McpOptions } from './mcp/mcp-options.ts'
import type { ComponentStore } from './services/component-store/component-store.ts'
import type { ExampleFlow } from './services/flows/examples.ts'
import type { FlowFiles } from './store/flow-files.ts'
import type { PasswordHasher } from './services/crypto/passwords.ts'
import type { A2aDoorOptions, DoorOptions } from './services/doors/door-options.ts'
import type { ProfilePictures } from './services/files/profile-pictures.ts'
import type { SecretBox } from './services/crypto/secret-box.ts'
import type { BudgetsOptions } from './services/budgets/budget-options.ts'
import type { QuotaStore } from './services/runs/run-quota.ts'
import type { SignInLimiter } from './services/accounts/sign-in-limiter.ts'
import type { FlowSettings } from './settings.ts'
import type { AuditRecord, AuditStore } from './store/audit.ts'
import type { BlobStore } from './store/blob-store.ts'
import type { CollectionStore } from './store/collections.ts'
import type { FlowStore } from './store/flow-store.ts'
import type { JobStore } from '@x/flow-engine/store'

/** Facts about a request that only the host knows. */
export interface HostContext {
  /** The client's address, for the sign-in rate limit. */
  readonly clientAddress?: string
  /** The client sent no `Host` header, so the host in `request.url` is a guess. */
  readonly hostMissing?: boolean
  /** For logs, hooks and `x-request-id`. Default: that header, else a random id. */
  readonly requestId?: string
  /** A user already authenticated by the host; overrides any credentials. */
  readonly user?: { readonly userId: string; readonly isSuperuser: boolean }
}

/** The identity a host assigns to a request. */
export interface HostIdentity {
  /** A UUID in lower case. */
  readonly userId: string
  readonly isSuperuser: boolean
  /** If set, a user with this name is created when the id is unknown. */
  readonly createAs?: string
}

/**
 * Replaces API keys and tokens. Return null for missing credentials, or a Response to send it. Thrown errors
 * are treated as unexpected failures.
 */
export type HostAuthenticate = (
  request: Request,
  context: HostContext,
) => HostIdentity | null | Response | Promise<HostIdentity | null | Response>

/** Options of the built-in component store. */
export interface ComponentStoreOptions {
  /** Predefined tags. */
  readonly tags?: readonly string[]
  /** Validates a saved store key. Default: any non-empty key. */
  readonly checkKey?: (key: string, userId: string) => boolean | Promise<boolean>
}

/** Options of the OpenAI-compatible API. */
export interface OpenAiOptions {
  readonly maxRuns?: number
  readonly store?: boolean
  readonly timeoutMs?: number
  readonly fetchUrls?: boolean
}

/** The agents of a directory. */
export interface KeyAgents {
  /** Whether a user may have a key of an agent. */
  mayBind(
    user: { readonly id: string; readonly isSuperuser: boolean },
    agentId: string,
  ): Promise<'yes' | 'no' | 'unknown'>
  /** Why keys of an agent do not work now; null: they do. Asked with each request of such a key. */
  refusal(agentId: string): Promise<string | null>
}

/**
 * All that a flow service stores, opened in one call: `sqliteStorage` and `postgresStorage` of
 * `@x/store-kysely/storage`, or `memoryStorage` of `@x/flow-service/memory`.
 */
export interface FlowStorage {
  readonly flows: FlowStore
  readonly jobs: JobStore
  readonly files: BlobStore
  readonly vectors?: CollectionStore
  readonly quotas?: QuotaStore
  readonly audit?: AuditStore
  readonly passwords?: PasswordHasher
}

/**
 * Options of a flow service in their old, flat form.
 * @deprecated Use the groups of `FlowServiceOptions`.
 */
export interface FlowEngineOptions {
  /**
   * All stores in one; `store`, `jobs` and `files` are then absent. `vectors`, `quotas`, `audit` and `passwords`
   * replace those of the storage.
   */
  readonly storage?: FlowStorage
  /** Required without `storage`. */
  readonly store?: FlowStore
  /** Required without `storage`. */
  readonly files?: BlobStore
  /** Vector collections for Chroma and FAISS. Default `store.collections`. */
  readonly vectors?: CollectionStore
  /**
   * Signs tokens and encrypts secrets; at least 32 characters or bytes. A list begins with the current key; the others,
   * at most three, still open what they have encrypted and signed (see `services.secrets.reencrypt`).
   */
  readonly secretKey: string | Uint8Array | readonly (string | Uint8Array)[]
  /** The components available to the editor and to flows. Default: the built-in ones. */
  readonly components?: ComponentRegistry
  /**
   * Makes the models of flows; a single chat model answers for every provider and model name, and flows that ask for
   * an embedding model then fail. Default: the built-in clients, with the keys of users.
   */
  readonly models?: ChatModel | ModelProviders
  /** Services for components. Messages, variables, files and flows come from the store. */
  readonly services?: Partial<ComponentServices>
  /**
   * Private hosts, addresses or CIDR ranges that components, models and tool servers may reach.
   * Default: none. Has no effect if `services.fetch` is given.
   */
  readonly ssrfAllow?: readonly string[]
  readonly authenticate?: HostAuthenticate
  /** Default: none, which disables password sign-in. */
  readonly passwords?: PasswordHasher
  /** Default: AES-256-GCM with a key derived from `secretKey`. */
  readonly secrets?: SecretBox
  /** `false` disables it; an object with `list` is used as the component store. */
  readonly componentStore?: boolean | ComponentStore | ComponentStoreOptions
  /** Where the handler is mounted, such as `/flows`. Default: `settings.basePath`, else the root. */
  readonly basePath?: string
  readonly settings?: Partial<FlowSettings>
  /**
   * Where builds and background runs are kept. Default `memory`, which beside a SQL store is told to `onError` once
   * unless it is given.
   */
  readonly jobs?: JobStore | 'memory'
  readonly queue?: Pick<
    BuildJobsOptions,
    | 'work'
    | 'process'
    | 'concurrency'
    | 'concurrencyPerUser'
    | 'maxQueued'
    | 'retention'
    | 'leaseMs'
    | 'heartbeatMs'
  >
  /** What each run and each job may use at most: tokens, money, seconds, model calls. Default: no limit. */
  readonly budget?: RunBudget
  /** Budgets of flows, API keys, users and the service in an hour, a day or a month. Default: none. */
  readonly budgets?: BudgetsOptions
  /** Money for a million tokens by model, for budgets in money. Default: none. */
  readonly prices?: Prices
  /** Counts tokens before a request. Default: a token for three bytes. */
  readonly countTokens?: CountTokens
  /** Observes the runs of this process. */
  readonly hooks?: RunHooks
  readonly limits?: Partial<RunLimits>
  readonly cache?: ResultCache
  readonly runtime?: Runtime
  /** Storage for flows with an `fs_path`. Without it, the path is only validated and stored. */
  readonly flowFiles?: FlowFiles
  /** Additional profile pictures; they take precedence over the bundled ones. */
  readonly profilePictures?: ProfilePictures
  /** Example flows. Default: the bundled ones. */
  readonly examples?: readonly ExampleFlow[]
  /** Shared by several processes. Default: in memory. */
  readonly signInLimiter?: SignInLimiter
  /**
   * `statusCodes: true` returns failures of `POST /api/v1/responses` as 400, 404 and 500; `false` as 200
   *.
   */
  readonly responses?: { readonly statusCodes?: boolean }
  /**
   * Options of `/api/openai/v1`; `false` disables it (404). `maxRuns`: concurrent runs per user, default 256
   *. `store: false`: responses are stored only if the request asks for it. `timeoutMs`:
   * maximum duration of a synchronous run in milliseconds, default 600,000. `fetchUrls: true`: images may be
   * `http(s)` URLs, fetched with the components' `fetch`.
   */
  readonly openai?: false | OpenAiOptions
  /** Serves projects over MCP; `false` disables the endpoints (404). */
  readonly mcp?: false | McpOptions
  /** Flows as backends of the AI SDK's `useChat`; `false` disables the routes (404). */
  readonly aiSdk?: false | DoorOptions
  /** Flows as AG-UI agents; `false` disables the routes (404). */
  readonly agUi?: false | DoorOptions
  /** Flows as A2A agents; `false` disables the routes (404). */
  readonly a2a?: false | A2aDoorOptions
  /** Additional modules that component code may import. */
  readonly codeModules?: readonly string[]
  /**
   * Counts the daily runs of users (setting `maxRunsPerDayPerUser`). Default: per process.
   * `createRateLimitStore(db)` of `@x/store-kysely/rate-limit` counts across restarts and processes.
   */
  readonly quotas?: QuotaStore
  /** The agents of a directory, to which API keys can be bound. Default: none. */
  readonly agents?: KeyAgents
  /** Stores audit records, which superusers read at `/api/v1/monitor/audit`. Default: none. */
  readonly audit?: AuditStore
  /** Called with each audit record. */
  readonly onAudit?: (record: AuditRecord) => void | Promise<void>
  /**
   * Counts requests, runs, jobs and model calls; created with `createMetrics` from any `/metrics`
   * entry point.
   */
  readonly metrics?: Metrics
  /** Observes requests. */
  readonly requestHooks?: RequestHooks
  /**
   * Called with unexpected errors; `info` contains the `requestId` if there is a request. Default:
   * `console.error`.
   */
  onError?(error: unknown, info: Readonly<Record<string, unknown>>): void
}

/** Options whose stores are resolved. */
export type StoredEngineOptions = Omit<FlowEngineOptions, 'jobs'> & {
  readonly jobs?: JobStore
  readonly store: FlowStore
  readonly files: BlobStore
}
