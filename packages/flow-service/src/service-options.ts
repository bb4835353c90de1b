import type { RunLimits } from '@x/flow-engine'
import type { FlowEngineOptions } from './options.ts'
import type { FlowSettings } from './settings.ts'

type Settings<Name extends keyof FlowSettings> = Readonly<Partial<Pick<FlowSettings, Name>>>
type Flat<Name extends keyof FlowEngineOptions> = Pick<FlowEngineOptions, Name>

/** Addresses: where the service is mounted, who may call it from where, and what it may call. */
export interface HttpSettings extends Settings<'basePath' | 'publicUrl' | 'allowedHosts'> {
  readonly cors?: {
    /** Exact origins, or `*`. Default: none. */
    readonly origins?: readonly string[]
    readonly allowCredentials?: boolean
    /** Methods allowed to cross-origin requests; `*`: all methods of the API. */
    readonly allowMethods?: readonly string[]
    /** Headers allowed in cross-origin requests; `*`: any requested header. */
    readonly allowHeaders?: readonly string[]
  }
  /** Private hosts, addresses or CIDR ranges that components, models and tool servers may reach. Default: none. */
  readonly ssrfAllow?: readonly string[]
}

/** Users, passwords and API keys. */
export type AuthSettings = Settings<
  | 'autoLogin'
  | 'skipAuthAutoLogin'
  | 'superuser'
  | 'newUserIsActive'
  | 'loginRateLimit'
  | 'requireCurrentPassword'
  | 'apiKeySource'
  | 'apiKey'
  | 'disableTrackApikeyUsage'
>

/** How long a sign-in lasts, and its cookies. */
export type SessionSettings = Settings<
  | 'accessTokenExpireSeconds'
  | 'refreshTokenExpireSeconds'
  | 'refreshTokenMaxAgeSeconds'
  | 'accessSameSite'
  | 'accessSecure'
  | 'accessHttponly'
  | 'refreshSameSite'
  | 'refreshSecure'
  | 'refreshHttponly'
  | 'cookieDomain'
>

/** What is stored of runs, builds and versions: how long and at which size. */
export type RecordSettings = Settings<
  | 'vertexBuildsStorageEnabled'
  | 'transactionsStorageEnabled'
  | 'maxItemsLength'
  | 'maxTextLength'
  | 'maxVertexBuildsPerVertex'
  | 'maxVertexBuildsToKeep'
  | 'maxTransactionsToKeep'
  | 'maxRunTracesToKeep'
  | 'maxFlowVersions'
  | 'knowledgeRows'
>

/** What the visual editor reads. */
export type EditorSettings = Settings<
  | 'eventDelivery'
  | 'defaultFolderName'
  | 'frontendTimeout'
  | 'autoSaving'
  | 'autoSavingInterval'
  | 'healthCheckMaxRetries'
  | 'webhookPollingInterval'
  | 'publicFlowCleanupInterval'
  | 'publicFlowExpiration'
  | 'hideGettingStartedProgress'
  | 'agenticExperience'
  | 'store'
  | 'resumableBuilds'
>

/** Which variables of the environment flows see. */
export type VariableSettings = Settings<
  'storeEnvironmentVariables' | 'variablesToGetFromEnvironment' | 'fallbackToEnvVar'
>

export interface FlowServiceSettings {
  readonly http?: HttpSettings
  readonly auth?: AuthSettings
  readonly sessions?: SessionSettings
  readonly records?: RecordSettings
  readonly editor?: EditorSettings
  readonly variables?: VariableSettings
}

/** Maxima of what one user has and does, of bodies, and of each run. */
export interface FlowServiceLimits {
  readonly perUser?: Settings<
    | 'maxApiKeysPerUser'
    | 'maxVariablesPerUser'
    | 'maxProjectsPerUser'
    | 'maxFlowsPerUser'
    | 'maxFilesPerUser'
    | 'maxMessagesPerUser'
    | 'maxSharedComponentsPerUser'
    | 'maxMcpServersPerUser'
    | 'maxStoredMbPerUser'
    | 'maxRunsPerDayPerUser'
    | 'maxSignInsPerUser'
    | 'maxRunsPerUser'
  >
  readonly bodies?: Settings<
    'maxUnreadMbPerClient' | 'maxFileSizeUpload' | 'maxJsonBody' | 'maxPublicBody'
  >
  readonly run?: Partial<RunLimits>
}

/** The interfaces through which flows are reached besides `/api/v1/run`. */
export interface FlowServiceDoors extends Flat<
  'openai' | 'mcp' | 'responses' | 'aiSdk' | 'agUi' | 'a2a'
> {
  readonly webhooks?: Settings<'webhookAuthEnable' | 'maxWebhookRuns'>
  /** What visitors may do with flows that their owners made public. */
  readonly publicFlows?: Settings<
    'maxPublicBuilds' | 'publicBuildSeconds' | 'publicBuildReaders' | 'deprecatedUpload'
  >
}

/** What a host sees of the service. */
export type FlowServiceObservers = Flat<
  'hooks' | 'requestHooks' | 'metrics' | 'audit' | 'onAudit' | 'onError'
>

/** Parts that replace those of the storage or of the service. */
export type FlowServiceOverrides = Flat<
  | 'vectors'
  | 'quotas'
  | 'passwords'
  | 'secrets'
  | 'signInLimiter'
  | 'flowFiles'
  | 'profilePictures'
  | 'componentStore'
  | 'cache'
  | 'agents'
>

/** Options of a flow service. */
export interface FlowServiceOptions extends Flat<
  | 'storage'
  | 'store'
  | 'files'
  | 'jobs'
  | 'queue'
  | 'secretKey'
  | 'basePath'
  | 'components'
  | 'models'
  | 'services'
  | 'authenticate'
  | 'examples'
  | 'codeModules'
  | 'budgets'
  | 'runtime'
> {
  readonly settings?: FlowServiceSettings
  readonly limits?: FlowServiceLimits
  readonly doors?: FlowServiceDoors
  readonly observe?: FlowServiceObservers
  readonly overrides?: FlowServiceOverrides
}
