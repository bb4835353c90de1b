import type { Metrics, RequestHooks, Runtime } from '@x/wire'
import type { ComponentRegistry } from './components/registry/registry.ts'
import type { ComponentServices, ModelProviders } from './components/define/services.ts'
import type { ResultCache } from './graph/context/cache.ts'
import type { RunLimits } from './graph/plan/limits.ts'
import type { RunHooks } from './graph/context/run-hooks.ts'
import type { BuildJobsOptions } from './jobs/build-jobs.ts'
import type { McpOptions } from './mcp/mcp-options.ts'
import type { ComponentStore } from './services/component-store/component-store.ts'
import type { ExampleFlow } from './services/flows/examples.ts'
import type { FlowFiles } from './services/base/flow-files.ts'
import type { PasswordHasher } from './services/crypto/passwords.ts'
import type { ProfilePictures } from './services/files/profile-pictures.ts'
import type { SecretBox } from './services/crypto/secret-box.ts'
import type { QuotaStore } from './services/base/run-quota.ts'
import type { SignInLimiter } from './services/accounts/sign-in-limiter.ts'
import type { FlowSettings } from './settings.ts'
import type { AuditRecord, AuditStore } from './store/audit.ts'
import type { BlobStore } from './store/blob-store.ts'
import type { CollectionStore } from './store/collections.ts'
import type { FlowStore } from './store/flow-store.ts'
import type { JobStore } from './store/job-store.ts'

/** Facts about a request that only the host knows. */
export interface HostContext {
  /** The client's address, for the sign-in limit. */
  readonly clientAddress?: string
  /** The client named no host, so the one in `request.url` is a guess (AB-66). */
  readonly hostMissing?: boolean
  /** For logs, hooks and `x-request-id`; default: that header, else a random one (OP-10). */
  readonly requestId?: string
  /** A user that the host has authenticated already; decides alone. */
  readonly user?: { readonly userId: string; readonly isSuperuser: boolean }
}

/** The identity that a host gives a request. */
export interface HostIdentity {
  /** A UUID in lower case. */
  readonly userId: string
  readonly isSuperuser: boolean
  /** Given: a user of this name is made when the id is unknown. */
  readonly createAs?: string
}

/**
 * Replaces API keys and tokens: null counts as no credentials, a Response is the answer. What it
 * throws is answered as an unforeseen failure.
 */
export type HostAuthenticate = (
  request: Request,
  context: HostContext,
) => HostIdentity | null | Response | Promise<HostIdentity | null | Response>

/** Options of the built-in component store. */
export interface ComponentStoreOptions {
  /** Tags that exist from the start. */
  readonly tags?: readonly string[]
  /** Accepts a saved store key. Default: every key that is not empty. */
  readonly checkKey?: (key: string, userId: string) => boolean | Promise<boolean>
}

/** Options of the OpenAI-compatible API (RS-50). */
export interface OpenAiOptions {
  readonly maxRuns?: number
  readonly store?: boolean
  readonly timeoutMs?: number
  readonly fetchUrls?: boolean
}

/** Options of a flow service. */
export interface FlowEngineOptions {
  readonly store: FlowStore
  readonly files: BlobStore
  /** Collections of Chroma and FAISS. Default `store.collections`. */
  readonly vectors?: CollectionStore
  /** Signs tokens and encrypts secrets; at least 32 characters or bytes. */
  readonly secretKey: string | Uint8Array
  /** The components of the editor and of flows; the built-in ones by default. */
  readonly components?: ComponentRegistry
  readonly models?: ModelProviders
  /** Services of components; messages, variables, files and flows come from the store. */
  readonly services?: Partial<ComponentServices>
  /**
   * Private hosts, addresses or CIDR ranges that components, models and tool servers may reach
   * (AB-40); none by default. Without effect when `services.fetch` is given.
   */
  readonly ssrfAllow?: readonly string[]
  readonly authenticate?: HostAuthenticate
  /** Without one, password sign-in is off. */
  readonly passwords?: PasswordHasher
  /** AES-256-GCM with a key derived from `secretKey` by default. */
  readonly secrets?: SecretBox
  /** False switches it off; an object with `list` is a store of the host's own. */
  readonly componentStore?: boolean | ComponentStore | ComponentStoreOptions
  readonly settings?: Partial<FlowSettings>
  readonly jobs?: JobStore
  readonly queue?: Pick<
    BuildJobsOptions,
    'concurrency' | 'concurrencyPerUser' | 'maxQueued' | 'retention' | 'leaseMs' | 'heartbeatMs'
  >
  /** Look into the runs of this process (DR-70). */
  readonly hooks?: RunHooks
  readonly limits?: Partial<RunLimits>
  readonly cache?: ResultCache
  readonly runtime?: Runtime
  /** Storage of flows with an `fs_path`; without it, the path is only checked and stored. */
  readonly flowFiles?: FlowFiles
  /** Pictures of the host, looked up before the bundled ones. */
  readonly profilePictures?: ProfilePictures
  /** Example flows; the bundled ones by default. */
  readonly examples?: readonly ExampleFlow[]
  /** For several processes; in memory by default. */
  readonly signInLimiter?: SignInLimiter
  /** `statusCodes`: failures of `POST /api/v1/responses` are 400, 404 and 500; false: 200 (RS-6). */
  readonly responses?: { readonly statusCodes?: boolean }
  /**
   * `false` takes `/api/openai/v1` away (404). `maxRuns`: runs of one user at once there; 256 (RS-50).
   * `store: false`: responses are kept only when a request says so (RS-30). `timeoutMs`: longest run of a
   * request that waits for it, in milliseconds; 600,000. `fetchUrls: true`: images may be `http(s)`
   * addresses, which are fetched as components fetch.
   */
  readonly openai?: false | OpenAiOptions
  /** Projects as MCP servers; `false` takes their addresses away (404) (MC-2, MC-100). */
  readonly mcp?: false | McpOptions
  /** Modules that component code may import besides the package's own. */
  readonly codeModules?: readonly string[]
  /**
   * Counts the runs of users in a day (setting `maxRunsPerDayPerUser`, OP-18). Default: in this process.
   * `createRateLimitStore(db)` of `@x/store-kysely/rate-limit` counts over restarts and processes.
   */
  readonly quotas?: QuotaStore
  /** Keeps audit records, which superusers read at `/api/v1/monitor/audit` (OP-11); none by default. */
  readonly audit?: AuditStore
  /** Told of each audit record (OP-11). */
  readonly onAudit?: (record: AuditRecord) => void | Promise<void>
  /** Counts requests, runs, jobs and model calls (OP-6); `createMetrics` of any `/metrics`. */
  readonly metrics?: Metrics
  /** Watch requests (OP-1). */
  readonly requestHooks?: RequestHooks
  /**
   * Called with unexpected errors; those of a request have its `requestId`. Default: they are written to
   * `console.error` (OP-12).
   */
  onError?(error: unknown, info: Readonly<Record<string, unknown>>): void
}
