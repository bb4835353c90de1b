import type { Runtime } from '@x/wire'
import type { ComponentRegistry } from './components/registry/registry.ts'
import type { ComponentServices, ModelProviders } from './components/define/services.ts'
import type { ResultCache } from './graph/context/cache.ts'
import type { RunLimits } from './graph/plan/limits.ts'
import type { BuildJobsOptions } from './jobs/build-jobs.ts'
import type { McpOptions } from './mcp/mcp-options.ts'
import type { ComponentStore } from './services/component-store.ts'
import type { ExampleFlow } from './services/examples.ts'
import type { FlowFiles } from './services/flow-files.ts'
import type { PasswordHasher } from './services/passwords.ts'
import type { ProfilePictures } from './services/profile-pictures.ts'
import type { SecretBox } from './services/secrets.ts'
import type { SignInLimiter } from './services/sign-in-limiter.ts'
import type { FlowSettings } from './settings.ts'
import type { BlobStore } from './store/blob-store.ts'
import type { CollectionStore } from './store/collections.ts'
import type { FlowStore } from './store/flow-store.ts'
import type { JobStore } from './store/job-store.ts'

/** What a host knows about a request. */
export interface HostContext {
  /** The client's address, for the sign-in limit. */
  readonly clientAddress?: string
  /** The client named no host, so the one in `request.url` is a guess (AB-66). */
  readonly hostMissing?: boolean
  readonly requestId?: string
  /** A user that the host has authenticated already; decides alone. */
  readonly user?: { readonly userId: string; readonly isSuperuser: boolean }
}

/** Who a host says makes a request. */
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
  /** Whether a saved store key is accepted; every key that is not empty by default. */
  readonly checkKey?: (key: string, userId: string) => boolean | Promise<boolean>
}

/** What a flow service is made of. */
export interface FlowEngineOptions {
  readonly store: FlowStore
  readonly files: BlobStore
  /** Where the collections of Chroma and FAISS lie; `store.collections` by default. */
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
  readonly limits?: Partial<RunLimits>
  readonly cache?: ResultCache
  readonly runtime?: Runtime
  /** Where `fs_path` of flows is written; without one it is stored and checked only. */
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
   * `store: false`: responses are kept only when a request says so (RS-30).
   */
  readonly openai?: false | { readonly maxRuns?: number; readonly store?: boolean }
  /** Projects as MCP servers; `false` takes their addresses away (404) (MC-2, MC-100). */
  readonly mcp?: false | McpOptions
  /** Modules that component code may import besides the package's own. */
  readonly codeModules?: readonly string[]
  /** Called with unexpected errors. */
  onError?(error: unknown, info: Readonly<Record<string, unknown>>): void
}
