import {
  amount,
  anything,
  callback,
  choice,
  either,
  flag,
  implementing,
  integer,
  list,
  mountPath,
  optionCheck,
  OptionError,
  options,
  required,
  secrets as secretKeys,
  text,
  texts,
  type KindsOf,
  type OptionKind,
  type OptionKinds,
} from '@x/wire'
import { errorText } from '@x/flow-engine'
import { runOptionKinds } from '@x/flow-engine/internal'
import { readSigningKey } from '@x/flow-protocols/internal'
import { ungroup, withGroups } from './option-groups.ts'
import type { FlowEngineOptions, FlowStorage, StoredEngineOptions } from './options.ts'
import { budgetsOption } from './services/budgets/budget-options.ts'
import { defaultSettings } from './settings.ts'

const isBoolean = (value: unknown): boolean => typeof value === 'boolean'
const isNull = (value: unknown): boolean => value === null
const orNull = (kind: OptionKind): OptionKind => either(isNull, anything, kind)

/** Settings are of the kind of their defaults, apart from these. Sizes and times may have fractions. */
const SETTINGS: OptionKinds = {
  basePath: mountPath,
  accessSameSite: choice('lax', 'strict', 'none'),
  refreshSameSite: choice('lax', 'strict', 'none'),
  apiKeySource: choice('db', 'env'),
  eventDelivery: choice('streaming', 'polling', 'direct'),
  cookieDomain: orNull(text),
  apiKey: orNull(text),
  maxPublicBuilds: orNull(integer(0)),
  resumableBuilds: orNull(flag),
  ...Object.fromEntries(
    [
      'accessTokenExpireSeconds',
      'refreshTokenExpireSeconds',
      'refreshTokenMaxAgeSeconds',
      'maxStoredMbPerUser',
      'maxUnreadMbPerClient',
      'maxFileSizeUpload',
      'maxJsonBody',
      'maxPublicBody',
      'frontendTimeout',
      'autoSavingInterval',
      'webhookPollingInterval',
      'publicFlowCleanupInterval',
      'publicFlowExpiration',
      'publicBuildSeconds',
    ].map((name) => [name, amount(0)]),
  ),
}

function likeDefault(value: unknown): OptionKind {
  if (typeof value === 'boolean') return flag
  if (typeof value === 'number') return integer(0)
  return typeof value === 'string' ? text : texts
}

const settings = Object.fromEntries(
  Object.entries(defaultSettings).map(([name, value]) => [
    name,
    SETTINGS[name] ?? likeDefault(value),
  ]),
)

const mcp = options({
  anonymous: flag,
  sse: flag,
  callTimeoutMs: integer(1),
  maxCalls: integer(1),
  maxTools: integer(1),
  maxBodyBytes: integer(1),
  maxResourceBytes: integer(1),
  maxSseSessions: integer(1),
  listTtlMs: integer(0),
  listBroken: flag,
  annotations: callback,
  resourceMetadata: text,
})

const openai = options({
  maxRuns: integer(1),
  store: flag,
  timeoutMs: integer(1),
  fetchUrls: flag,
})

const surfaces = implementing('createSurfaceParts()', 'reader', 'operations', 'answerOf')
const door = options({
  unreadMs: orNull(amount(0)),
  history: choice('stored', 'request'),
  reasoning: flag,
  fileUrlSeconds: integer(1),
  surfaces,
  public: flag,
})

const signingKey: OptionKind = {
  read(value, { path, page }) {
    try {
      return readSigningKey(value)
    } catch (error) {
      throw new OptionError(path, `${path}: ${errorText(error)}`, page)
    }
  },
}

const PAGE = 'flow-api-options.md'
const flowStore = implementing(
  'FlowStore',
  'users.get',
  'flows.get',
  'messages.list',
  'transaction',
  'ping',
)
const blobStore = implementing('BlobStore', 'read', 'write')

const storage = options({
  flows: required(flowStore),
  jobs: required(implementing('JobStore')),
  files: required(blobStore),
  vectors: anything,
  quotas: anything,
  audit: anything,
  passwords: anything,
  db: anything,
  migrate: anything,
  close: anything,
})

const kinds: KindsOf<FlowEngineOptions> = {
  ...runOptionKinds,
  storage,
  store: flowStore,
  files: blobStore,
  vectors: anything,
  secretKey: required(secretKeys(32)),
  ssrfAllow: texts,
  authenticate: callback,
  passwords: implementing('PasswordHasher', 'hash', 'verify'),
  secrets: anything,
  componentStore: anything,
  basePath: mountPath,
  settings: options(settings),
  jobs: either((value) => value === 'memory', anything, implementing('JobStore')),
  queue: options({
    work: flag,
    process: options({ name: text, role: choice('all', 'web', 'worker'), version: text }),
    concurrency: integer(1),
    concurrencyPerUser: orNull(integer(1)),
    maxQueued: integer(0),
    retention: options({ maxAgeMs: amount(0), maxJobs: amount(0) }),
    leaseMs: amount(1),
    heartbeatMs: amount(1),
  }),
  budgets: budgetsOption,
  prices: anything,
  countTokens: callback,
  hooks: anything,
  cache: anything,
  runtime: implementing('Runtime', 'now', 'uuid'),
  flowFiles: anything,
  profilePictures: anything,
  examples: list,
  signInLimiter: anything,
  responses: options({ statusCodes: flag }),
  openai: either(isBoolean, choice(false), openai),
  mcp: either(isBoolean, choice(false), mcp),
  aiSdk: either(isBoolean, choice(false), door),
  agUi: either(isBoolean, choice(false), door),
  a2a: either(isBoolean, choice(false), options({ rootFlow: text, surfaces, signingKey })),
  codeModules: texts,
  quotas: anything,
  agents: implementing('KeyAgents', 'mayBind', 'refusal'),
  audit: anything,
  onAudit: callback,
  metrics: anything,
  requestHooks: anything,
  onError: callback,
}

const grouped = withGroups(kinds) as KindsOf<FlowEngineOptions>
const readStores = optionCheck<FlowEngineOptions>(PAGE, {
  ...grouped,
  store: required(flowStore),
  files: required(blobStore),
})
const readStorage = optionCheck<FlowEngineOptions>(PAGE, grouped)

/** The options of a service, flat and with their stores, and how the host wrote those that came from a group. */
export interface ReadServiceOptions {
  readonly options: StoredEngineOptions
  readonly written: ReadonlyMap<string, string>
}

/** The options of a service as they were given, each read once. @throws OptionError */
export function readServiceOptions(called: string, given: unknown): ReadServiceOptions {
  const hasStorage = (given as Partial<FlowEngineOptions> | null | undefined)?.storage !== undefined
  const read = (hasStorage ? readStorage : readStores)(called, given)
  const { options: flat, written } = ungroup(called, read, PAGE)
  const stored = hasStorage ? fromStorage(called, flat as unknown as FlowEngineOptions) : flat
  return { options: withJobs(stored as unknown as FlowEngineOptions), written }
}

/** `memory` is what is used without a store of jobs. */
function withJobs({ jobs, ...others }: FlowEngineOptions): StoredEngineOptions {
  return {
    ...others,
    ...(jobs !== 'memory' && jobs !== undefined && { jobs }),
  } as StoredEngineOptions
}

function fromStorage(
  called: string,
  { storage: from, ...others }: FlowEngineOptions,
): StoredEngineOptions {
  for (const name of ['store', 'jobs', 'files'] as const)
    if (others[name] !== undefined)
      throw new OptionError(
        name,
        `${called}: the options "storage" and "${name}" exclude each other`,
        PAGE,
      )
  const { flows: store, jobs, files, vectors, quotas, audit, passwords } = from as FlowStorage
  const own = Object.entries(others).filter(([, value]) => value !== undefined)
  return {
    vectors,
    quotas,
    audit,
    passwords,
    ...Object.fromEntries(own),
    store,
    jobs,
    files,
  } as StoredEngineOptions
}
