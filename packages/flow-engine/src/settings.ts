/** When a cookie goes along with requests from other sites. */
export type SameSite = 'lax' | 'strict' | 'none'

/** Settings of the flow service: the SERVICE_* settings of the specification in camelCase. */
export interface FlowSettings {
  /** Path that the whole interface is mounted under, `/flows` for example; `''`. */
  basePath: string
  /** Base of absolute addresses in answers; `''` leaves them relative. */
  publicUrl: string
  /** Name of the superuser that auto login and the key of `apiKey` act as; `admin`. */
  superuser: string
  /** Add User makes active users. Default false. */
  newUserIsActive: boolean
  /** Auto Login gives a token of the superuser to everybody; false. */
  autoLogin: boolean
  /** With `autoLogin`: requests without credentials act as the superuser; false. */
  skipAuthAutoLogin: boolean
  /**
   * Host names that requests may be for besides loopback and that of `publicUrl`; none. Checked while
   * `autoLogin` is on, and always when there are any.
   */
  allowedHosts: readonly string[]
  /** Slows wrong passwords; true. */
  loginRateLimit: boolean
  /** Reset Password asks for the current password; false, as the web editor has no field for it. */
  requireCurrentPassword: boolean
  /** Seconds; 3,600. */
  accessTokenExpireSeconds: number
  /** Seconds; 604,800. */
  refreshTokenExpireSeconds: number
  /** Seconds from sign-in to the end of its refresh tokens; 2,592,000. */
  refreshTokenMaxAgeSeconds: number
  accessSameSite: SameSite
  /** True where `publicUrl` begins with https; false otherwise. */
  accessSecure: boolean
  accessHttponly: boolean
  refreshSameSite: SameSite
  /** As `accessSecure`, and true where there is no `publicUrl`. */
  refreshSecure: boolean
  refreshHttponly: boolean
  /** Domain of the cookies; none. */
  cookieDomain: string | null
  /** Exact origins, or `*`; none. */
  corsOrigins: readonly string[]
  corsAllowCredentials: boolean
  /** Methods allowed to foreign origins; `*` = all of the interface. */
  corsAllowMethods: readonly string[]
  /** Headers allowed to foreign origins; `*` = the ones asked for. */
  corsAllowHeaders: readonly string[]
  /** `env`: the value of `apiKey` acts as the superuser too; `db`. */
  apiKeySource: 'db' | 'env'
  apiKey: string | null
  /** Counts no uses of keys; false. */
  disableTrackApikeyUsage: boolean
  /** Webhooks need the owner's API key; false. */
  webhookAuthEnable: boolean
  /** Sign-in copies variables of the environment to the user; false. */
  storeEnvironmentVariables: boolean
  variablesToGetFromEnvironment: readonly string[]
  /** Flows may read variables of the given environment; true. */
  fallbackToEnvVar: boolean
  /** Opens the session run; false. */
  agenticExperience: boolean
  /** The component store; true. */
  store: boolean
  /** Rows of a knowledge base, and of a collection of Chroma or FAISS; 200,000. */
  knowledgeRows: number
  /**
   * Limits of a user; 0 = no limit. API keys, 1,000; variables, 2,000; projects, 2,000; flows,
   * 20,000; files, and files of one flow, 20,000; messages, 1,000,000; shared components, 2,000; tool
   * servers, 500.
   */
  maxApiKeysPerUser: number
  maxVariablesPerUser: number
  maxProjectsPerUser: number
  maxFlowsPerUser: number
  maxFilesPerUser: number
  maxMessagesPerUser: number
  maxSharedComponentsPerUser: number
  maxMcpServersPerUser: number
  /** Bytes of a user's files in MB of a million bytes; 0, the default: any number (OP-18). */
  maxStoredMbPerUser: number
  /** Runs and builds that a user starts in a day; 0, the default: any number (OP-18). */
  maxRunsPerDayPerUser: number
  /** Versions of one flow that stay; the oldest go; 1 to 1,000; 50. */
  maxFlowVersions: number
  /** Sign-ins of a user that are open at once; one more ends the oldest; 0 = any number; 1,000. */
  maxSignInsPerUser: number
  /** Runs of a user's flows that go on at once outside of builds (429 over it); 256. */
  maxRunsPerUser: number
  /** MB of 2^20 bytes of an upload, and of any other body; 1,024. */
  maxFileSizeUpload: number
  /** MB of a body where JSON is expected, whatever it says it is; 0 = `maxFileSizeUpload`; 32. */
  maxJsonBody: number
  /** KiB of a body of a webhook call or a public build; 1,024. */
  maxPublicBody: number
  /** Items of a list in build records; 1,000. */
  maxItemsLength: number
  /** Characters of a text in build records; 6,000. */
  maxTextLength: number
  maxVertexBuildsPerVertex: number
  maxVertexBuildsToKeep: number
  maxTransactionsToKeep: number
  vertexBuildsStorageEnabled: boolean
  transactionsStorageEnabled: boolean
  /** The event delivery the editor is told to use. Default `streaming`. */
  eventDelivery: 'streaming' | 'polling' | 'direct'
  /** Name of everybody's first project; `Starter Project`. */
  defaultFolderName: string
  /** Seconds, 0 = none; 0. */
  frontendTimeout: number
  autoSaving: boolean
  /** Milliseconds; 1,000. */
  autoSavingInterval: number
  healthCheckMaxRetries: number
  /** Milliseconds; 5,000. */
  webhookPollingInterval: number
  /** Seconds, more than 600; 3,600. */
  publicFlowCleanupInterval: number
  /** Seconds, more than 600; 86,400. */
  publicFlowExpiration: number
  hideGettingStartedProgress: boolean
  /** Builds of public flows by visitors at once; null: 2, or a quarter of the places (AB-70). */
  maxPublicBuilds: number | null
  /** Longest time of such a build, in seconds; 600. */
  publicBuildSeconds: number
  /** Runs that webhooks start at once, beside the places of builds; 8 (AB-71). */
  maxWebhookRuns: number
  /**
   * The upload without credentials (deprecated): anyone can store files of public flows, 10 MiB each
   * and 100 MiB a day per flow. Default false.
   */
  deprecatedUpload: boolean
  /** Visitors of a public flow read and cancel the builds that they started, by cookie; true. */
  publicBuildReaders: boolean
}

/** The settings of a service that is given none. */
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
  maxFileSizeUpload: 1024,
  maxJsonBody: 32,
  maxPublicBody: 1024,
  maxItemsLength: 1000,
  maxTextLength: 6000,
  maxVertexBuildsPerVertex: 2,
  maxVertexBuildsToKeep: 3000,
  maxTransactionsToKeep: 3000,
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
  publicBuildSeconds: 600,
  maxWebhookRuns: 8,
  deprecatedUpload: false,
  publicBuildReaders: true,
})

/**
 * The given settings over the defaults; undefined counts as not given.
 * @throws TypeError naming settings that contradict each other
 */
export function resolveSettings(given: Partial<FlowSettings> = {}): FlowSettings {
  const fields = Object.entries(given).filter(([, value]) => value !== undefined)
  const settings: FlowSettings = {
    ...defaultSettings,
    ...secureCookies(given.publicUrl ?? ''),
    ...Object.fromEntries(fields),
  }
  if (settings.refreshSameSite === 'none' && !settings.refreshSecure) {
    throw new TypeError('refreshSameSite none needs refreshSecure')
  }
  if (settings.accessSameSite === 'none' && !settings.accessSecure) {
    throw new TypeError('accessSameSite none needs accessSecure')
  }
  if (settings.corsOrigins.includes('*') && given.corsAllowCredentials === true) {
    throw new TypeError('corsOrigins * cannot be combined with corsAllowCredentials')
  }
  for (const name of ['publicFlowCleanupInterval', 'publicFlowExpiration'] as const) {
    if (settings[name] <= 600) throw new TypeError(`${name} must be more than 600`)
  }
  const { maxFlowVersions: versions } = settings
  if (!Number.isInteger(versions) || versions < 1 || versions > 1000)
    throw new TypeError('maxFlowVersions must be a whole number of 1 to 1,000')
  return settings
}

/** Cookies are sent over TLS only if the public address uses it (abuse.md AB-65). */
function secureCookies(publicUrl: string): Partial<FlowSettings> {
  if (publicUrl === '') return {}
  const isSecure = publicUrl.toLowerCase().startsWith('https:')
  return { accessSecure: isSecure, refreshSecure: isSecure }
}
