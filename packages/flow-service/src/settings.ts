import { checkBasePath } from '@x/wire'

/** When a cookie is sent with cross-site requests. */
export type SameSite = 'lax' | 'strict' | 'none'

/** Settings of the flow service: the specification's SERVICE_* settings in camelCase. */
export interface FlowSettings {
  /** Path prefix the API is mounted under, such as `/flows`. Default `''`. */
  basePath: string
  /** Base of absolute URLs in responses. Default `''`: URLs are relative. */
  publicUrl: string
  /** Name of the superuser used by auto login and by `apiKey`. Default `admin`. */
  superuser: string
  /** New users are active. Default false. */
  newUserIsActive: boolean
  /** Auto Login issues a superuser token to any client. Default false. */
  autoLogin: boolean
  /** With `autoLogin`: requests without credentials act as the superuser. Default false. */
  skipAuthAutoLogin: boolean
  /**
   * Accepted `Host` names besides loopback and the host of `publicUrl`. Default: none. Checked if `autoLogin`
   * is on or the list is not empty.
   */
  allowedHosts: readonly string[]
  /** Delays repeated wrong passwords. Default true. */
  loginRateLimit: boolean
  /** Reset Password requires the current password. Default false, as the web editor has no field for it. */
  requireCurrentPassword: boolean
  /** Seconds. Default 3,600. */
  accessTokenExpireSeconds: number
  /** Seconds. Default 604,800. */
  refreshTokenExpireSeconds: number
  /** Seconds from sign-in until its refresh tokens expire. Default 2,592,000. */
  refreshTokenMaxAgeSeconds: number
  accessSameSite: SameSite
  /** Default: true if `publicUrl` begins with https, else false. */
  accessSecure: boolean
  accessHttponly: boolean
  refreshSameSite: SameSite
  /** Default: like `accessSecure`, but true without a `publicUrl`. */
  refreshSecure: boolean
  refreshHttponly: boolean
  /** Domain of the cookies. Default: none. */
  cookieDomain: string | null
  /** Exact origins, or `*`. Default: none. */
  corsOrigins: readonly string[]
  corsAllowCredentials: boolean
  /** Methods allowed to cross-origin requests; `*`: all methods of the API. */
  corsAllowMethods: readonly string[]
  /** Headers allowed in cross-origin requests; `*`: any requested header. */
  corsAllowHeaders: readonly string[]
  /** `env`: the value of `apiKey` is accepted as the superuser's key too. Default `db`. */
  apiKeySource: 'db' | 'env'
  apiKey: string | null
  /** Disables counting the uses of API keys. Default false. */
  disableTrackApikeyUsage: boolean
  /** Webhooks require the owner's API key. Default false. */
  webhookAuthEnable: boolean
  /** Sign-in copies environment variables to the user's variables. Default false. */
  storeEnvironmentVariables: boolean
  variablesToGetFromEnvironment: readonly string[]
  /** Flows may read the given environment variables. Default true. */
  fallbackToEnvVar: boolean
  /** Enables the session run API. Default false. */
  agenticExperience: boolean
  /** Enables the component store. Default true. */
  store: boolean
  /** Maximum rows of a knowledge base, and of a Chroma or FAISS collection. Default 200,000. */
  knowledgeRows: number
  /**
   * Limits per user; 0 means unlimited. Defaults: API keys 1,000, variables 2,000, projects 2,000, flows
   * 20,000, files (and files of one flow) 20,000, messages 1,000,000, shared components 2,000, tool servers
   * 500.
   */
  maxApiKeysPerUser: number
  maxVariablesPerUser: number
  maxProjectsPerUser: number
  maxFlowsPerUser: number
  maxFilesPerUser: number
  maxMessagesPerUser: number
  maxSharedComponentsPerUser: number
  maxMcpServersPerUser: number
  /** Total size of a user's files in MB (10^6 bytes). Default 0: unlimited. */
  maxStoredMbPerUser: number
  /** Runs and builds a user may start per day. Default 0: unlimited. */
  maxRunsPerDayPerUser: number
  /** Versions kept for each flow, 1 to 1,000; the oldest are removed. Default 50. */
  maxFlowVersions: number
  /** Concurrent sign-ins per user; another one ends the oldest. 0: unlimited. Default 1,000. */
  maxSignInsPerUser: number
  /** Concurrent runs of a user's flows outside of builds (429 beyond it). Default 256. */
  maxRunsPerUser: number
  /**
   * Maximum MiB of long responses, from 1 MiB each, that one user, or one network of anonymous clients, has
   * not read yet, and of request bodies, from 64 KiB each, that it sends at once (429 beyond it). Default 256.
   */
  maxUnreadMbPerClient: number
  /** Maximum size in MiB of an upload and of any other non-JSON body. Default 1,024. */
  maxFileSizeUpload: number
  /**
   * Maximum size in MiB of a body where JSON is expected, regardless of its content type; 0:
   * `maxFileSizeUpload`. Default 32.
   */
  maxJsonBody: number
  /** Maximum size in KiB of the body of a webhook call or a public build. Default 1,024. */
  maxPublicBody: number
  /** Maximum number of array items in build records. Default 1,000. */
  maxItemsLength: number
  /** Maximum number of characters of a string in build records. Default 6,000. */
  maxTextLength: number
  maxVertexBuildsPerVertex: number
  maxVertexBuildsToKeep: number
  maxTransactionsToKeep: number
  /** Traces kept per user of runs that are not jobs, at most 10,000; 0: none. Default 1,000. */
  maxRunTracesToKeep: number
  vertexBuildsStorageEnabled: boolean
  transactionsStorageEnabled: boolean
  /** The event delivery reported to the editor. Default `streaming`. */
  eventDelivery: 'streaming' | 'polling' | 'direct'
  /** Name of every user's first project. Default `Starter Project`. */
  defaultFolderName: string
  /** Seconds; 0: none. Default 0. */
  frontendTimeout: number
  autoSaving: boolean
  /** Milliseconds. Default 1,000. */
  autoSavingInterval: number
  healthCheckMaxRetries: number
  /** Milliseconds. Default 5,000. */
  webhookPollingInterval: number
  /** Seconds, more than 600. Default 3,600. */
  publicFlowCleanupInterval: number
  /** Seconds, more than 600. Default 86,400. */
  publicFlowExpiration: number
  hideGettingStartedProgress: boolean
  /** Concurrent builds of public flows by visitors; null: 2, or a quarter of the slots. Default null. */
  maxPublicBuilds: number | null
  /**
   * Builds go on in another process when theirs stops, unless the request says no; null: if several processes
   * share the queue. Default null.
   */
  resumableBuilds: boolean | null
  /** Time limit of such a build, in seconds. Default 600. */
  publicBuildSeconds: number
  /** Concurrent runs started by webhooks, in addition to the slots of builds. Default 8. */
  maxWebhookRuns: number
  /**
   * Enables the deprecated upload without credentials: anyone can store files for public flows, 10 MiB each and
   * 100 MiB a day per flow. Default false.
   */
  deprecatedUpload: boolean
  /** Visitors of a public flow can read and cancel the builds that they started, by cookie. Default true. */
  publicBuildReaders: boolean
}

/** The default settings. */
export const defaultSettings: FlowSettings = Object.freeze({
  basePath: '',
  publicUrl: '',
  superuser: 'admin',
  newUserIsActive: false,
  autoLogin: false,
  skipAuthAutoLogin: false,
  allowedHosts: [],
  loginRateLimit: true,
  requireCurrentPassword: false,
  accessTokenExpireSeconds: 3600,
  refreshTokenExpireSeconds: 604_800,
  refreshTokenMaxAgeSeconds: 2_592_000,
  accessSameSite: 'lax',
  accessSecure: false,
  accessHttponly: false,
  refreshSameSite: 'lax',
  refreshSecure: true,
  refreshHttponly: true,
  cookieDomain: null,
  corsOrigins: [],
  corsAllowCredentials: true,
  corsAllowMethods: ['*'],
  corsAllowHeaders: ['*'],
  apiKeySource: 'db',
  apiKey: null,
  disableTrackApikeyUsage: false,
  webhookAuthEnable: false,
  storeEnvironmentVariables: false,
  variablesToGetFromEnvironment: [],
  fallbackToEnvVar: true,
  agenticExperience: false,
  store: true,
  knowledgeRows: 200_000,
  maxApiKeysPerUser: 1000,
  maxVariablesPerUser: 2000,
  maxProjectsPerUser: 2000,
  maxFlowsPerUser: 20_000,
  maxFilesPerUser: 20_000,
  maxMessagesPerUser: 1_000_000,
  maxSharedComponentsPerUser: 2000,
  maxMcpServersPerUser: 500,
  maxStoredMbPerUser: 0,
  maxRunsPerDayPerUser: 0,
  maxFlowVersions: 50,
  maxSignInsPerUser: 1000,
  maxRunsPerUser: 256,
  maxUnreadMbPerClient: 256,
  maxFileSizeUpload: 1024,
  maxJsonBody: 32,
  maxPublicBody: 1024,
  maxItemsLength: 1000,
  maxTextLength: 6000,
  maxVertexBuildsPerVertex: 2,
  maxVertexBuildsToKeep: 3000,
  maxTransactionsToKeep: 3000,
  maxRunTracesToKeep: 1000,
  vertexBuildsStorageEnabled: true,
  transactionsStorageEnabled: true,
  eventDelivery: 'streaming',
  defaultFolderName: 'Starter Project',
  frontendTimeout: 0,
  autoSaving: true,
  autoSavingInterval: 1000,
  healthCheckMaxRetries: 5,
  webhookPollingInterval: 5000,
  publicFlowCleanupInterval: 3600,
  publicFlowExpiration: 86_400,
  hideGettingStartedProgress: false,
  maxPublicBuilds: null,
  resumableBuilds: null,
  publicBuildSeconds: 600,
  maxWebhookRuns: 8,
  deprecatedUpload: false,
  publicBuildReaders: true,
})

/**
 * Applies the given settings over the defaults; undefined counts as absent.
 * @throws TypeError naming contradictory settings, as the host wrote them
 */
export function resolveSettings(
  given: Partial<FlowSettings> = {},
  written: ReadonlyMap<string, string> = new Map(),
): FlowSettings {
  const nameOf = (name: keyof FlowSettings): string => written.get(`settings.${name}`) ?? name
  const fields = Object.entries(given).filter(([, value]) => value !== undefined)
  const settings: FlowSettings = {
    ...defaultSettings,
    ...secureCookies(given.publicUrl ?? ''),
    ...Object.fromEntries(fields),
  }
  const checked = checkBasePath(settings.basePath)
  if ('problem' in checked)
    throw new TypeError(`createFlowService: option "basePath" ${checked.problem}`)
  settings.basePath = checked.path
  if (settings.refreshSameSite === 'none' && !settings.refreshSecure) {
    throw new TypeError(`${nameOf('refreshSameSite')} "none" requires ${nameOf('refreshSecure')}`)
  }
  if (settings.accessSameSite === 'none' && !settings.accessSecure) {
    throw new TypeError(`${nameOf('accessSameSite')} "none" requires ${nameOf('accessSecure')}`)
  }
  if (settings.corsOrigins.includes('*') && given.corsAllowCredentials === true) {
    throw new TypeError(
      `${nameOf('corsOrigins')} "*" cannot be combined with ${nameOf('corsAllowCredentials')}`,
    )
  }
  for (const name of ['publicFlowCleanupInterval', 'publicFlowExpiration'] as const) {
    if (settings[name] <= 600) throw new TypeError(`${nameOf(name)} must be more than 600`)
  }
  const { maxFlowVersions: versions } = settings
  if (!Number.isInteger(versions) || versions < 1 || versions > 1000)
    throw new TypeError(`${nameOf('maxFlowVersions')} must be an integer from 1 to 1,000`)
  return settings
}

/** Cookies are restricted to TLS only if the public URL uses it. */
function secureCookies(publicUrl: string): Partial<FlowSettings> {
  if (publicUrl === '') return {}
  const isSecure = publicUrl.toLowerCase().startsWith('https:')
  return { accessSecure: isSecure, refreshSecure: isSecure }
}
