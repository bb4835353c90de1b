import { anything, OptionError, options, type OptionKind, type OptionKinds } from '@x/wire'
import { defaultRunLimits } from '@x/flow-engine'
import type { FlowServiceOptions } from './service-options.ts'
import type { FlowSettings } from './settings.ts'

/**
 * Options that stand flat inside of the service, by the group in which a host writes them. Settings come last: a
 * name at a wrong place is told by the first path that ends with it.
 */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  'limits.perUser': inSettings(
    'maxApiKeysPerUser',
    'maxVariablesPerUser',
    'maxProjectsPerUser',
    'maxFlowsPerUser',
    'maxFilesPerUser',
    'maxMessagesPerUser',
    'maxSharedComponentsPerUser',
    'maxMcpServersPerUser',
    'maxStoredMbPerUser',
    'maxRunsPerDayPerUser',
    'maxSignInsPerUser',
    'maxRunsPerUser',
  ),
  'limits.bodies': inSettings(
    'maxUnreadMbPerClient',
    'maxFileSizeUpload',
    'maxJsonBody',
    'maxPublicBody',
  ),
  'limits.run': Object.keys(defaultRunLimits).map((name) => `limits.${name}`),
  doors: ['openai', 'mcp', 'responses', 'aiSdk', 'agUi', 'a2a'],
  'doors.webhooks': inSettings('webhookAuthEnable', 'maxWebhookRuns'),
  'doors.publicFlows': inSettings(
    'maxPublicBuilds',
    'publicBuildSeconds',
    'publicBuildReaders',
    'deprecatedUpload',
  ),
  observe: ['hooks', 'requestHooks', 'metrics', 'audit', 'onAudit', 'onError'],
  overrides: [
    'vectors',
    'quotas',
    'passwords',
    'secrets',
    'signInLimiter',
    'flowFiles',
    'profilePictures',
    'componentStore',
    'cache',
    'agents',
  ],
  'settings.http': [
    'settings.basePath',
    'settings.publicUrl',
    'settings.allowedHosts',
    'ssrfAllow',
  ],
  'settings.auth': inSettings(
    'autoLogin',
    'skipAuthAutoLogin',
    'superuser',
    'newUserIsActive',
    'loginRateLimit',
    'requireCurrentPassword',
    'apiKeySource',
    'apiKey',
    'disableTrackApikeyUsage',
  ),
  'settings.sessions': inSettings(
    'accessTokenExpireSeconds',
    'refreshTokenExpireSeconds',
    'refreshTokenMaxAgeSeconds',
    'accessSameSite',
    'accessSecure',
    'accessHttponly',
    'refreshSameSite',
    'refreshSecure',
    'refreshHttponly',
    'cookieDomain',
  ),
  'settings.records': inSettings(
    'vertexBuildsStorageEnabled',
    'transactionsStorageEnabled',
    'maxItemsLength',
    'maxTextLength',
    'maxVertexBuildsPerVertex',
    'maxVertexBuildsToKeep',
    'maxTransactionsToKeep',
    'maxRunTracesToKeep',
    'maxFlowVersions',
    'knowledgeRows',
  ),
  'settings.editor': inSettings(
    'eventDelivery',
    'defaultFolderName',
    'frontendTimeout',
    'autoSaving',
    'autoSavingInterval',
    'healthCheckMaxRetries',
    'webhookPollingInterval',
    'publicFlowCleanupInterval',
    'publicFlowExpiration',
    'hideGettingStartedProgress',
    'agenticExperience',
    'store',
    'resumableBuilds',
  ),
  'settings.variables': inSettings(
    'storeEnvironmentVariables',
    'variablesToGetFromEnvironment',
    'fallbackToEnvVar',
  ),
}

/** The flat path of each path in a group. */
const FLAT: ReadonlyMap<string, string> = new Map([
  ...Object.entries(GROUPS).flatMap(([group, paths]) =>
    paths.map((flat): [string, string] => [`${group}.${flat.slice(flat.indexOf('.') + 1)}`, flat]),
  ),
  ...['origins', 'allowCredentials', 'allowMethods', 'allowHeaders'].map(
    (name): [string, string] => [
      `settings.http.cors.${name}`,
      `settings.cors${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    ],
  ),
])

/** Flat kinds with those of the groups beside them, so that a wrong option is named as it was written. */
export function withGroups(kinds: OptionKinds): OptionKinds {
  const tree: Tree = { kinds: { ...kinds }, below: new Map() }
  for (const [grouped, flat] of FLAT) put(tree, grouped.split('.'), kindAt(kinds, flat))
  return kindsOf(tree)
}

/** Options as the service reads them, and how the host wrote each that came from a group. */
export interface Ungrouped {
  readonly options: Record<string, unknown>
  readonly written: ReadonlyMap<string, string>
}

/** @throws OptionError if an option stands in its group and flat as well */
export function ungroup(called: string, given: object, page: string): Ungrouped {
  const read: Record<string, unknown> = { ...given }
  const written = new Map<string, string>()
  const found = [...FLAT].flatMap(([grouped, flat]) => {
    const value = valueAt(read, grouped)
    return value === undefined ? [] : [{ grouped, flat, value }]
  })
  for (const { grouped, flat } of found)
    if (valueAt(read, flat) !== undefined)
      throw new OptionError(
        grouped,
        `${called}: the options "${grouped}" and "${flat}" exclude each other`,
        page,
      )
  for (const path of Object.keys(GROUPS)) without(read, path)
  for (const { grouped, flat, value } of found) {
    written.set(flat, grouped)
    const [first = '', second] = flat.split('.')
    read[first] = second === undefined ? value : { ...(read[first] as object), [second]: value }
  }
  return { options: read, written }
}

function inSettings(...names: readonly string[]): readonly string[] {
  return names.map((name) => `settings.${name}`)
}

interface Tree {
  readonly kinds: Record<string, OptionKind>
  readonly below: Map<string, Tree>
}

function put(tree: Tree, [name = '', ...rest]: readonly string[], kind: OptionKind): void {
  if (rest.length === 0) {
    tree.kinds[name] = kind
    return
  }
  const known: Tree = tree.below.get(name) ?? {
    kinds: { ...tree.kinds[name]?.options },
    below: new Map(),
  }
  tree.below.set(name, known)
  put(known, rest, kind)
}

function kindsOf({ kinds, below }: Tree): OptionKinds {
  const groups = Object.fromEntries(
    [...below].map(([name, tree]) => [name, options(kindsOf(tree))]),
  )
  // Groups come first: a name that stands at a wrong place is told where it belongs now.
  return { ...groups, ...kinds, ...groups }
}

function kindAt(kinds: OptionKinds, path: string): OptionKind {
  const [first = '', second] = path.split('.')
  const kind = kinds[first]
  return (second === undefined ? kind : kind?.options?.[second]) ?? anything
}

function valueAt(value: unknown, path: string): unknown {
  let found = value
  for (const name of path.split('.')) {
    if (typeof found !== 'object' || found === null) return undefined
    found = Reflect.get(found, name)
  }
  return found
}

function without(read: Record<string, unknown>, path: string): void {
  const [first = '', second] = path.split('.')
  if (second === undefined) delete read[first]
  else if (read[first] !== undefined) {
    const { [second]: _, ...others } = read[first] as Record<string, unknown>
    read[first] = others
  }
}

/**
 * Flat settings, such as those of variables named `SERVICE_*`, in the groups of `createFlowService`.
 * @throws TypeError for an unknown setting
 */
export function groupSettings(
  flat: Partial<FlowSettings>,
): Required<Pick<FlowServiceOptions, 'settings' | 'limits' | 'doors'>> {
  const groups = { settings: {}, limits: {}, doors: {} }
  const paths = new Map([...FLAT].map(([grouped, path]) => [path, grouped]))
  for (const [name, value] of Object.entries(flat)) {
    if (value === undefined) continue
    const path = paths.get(`settings.${name}`)
    if (path === undefined) throw new TypeError(`groupSettings: unknown setting "${name}"`)
    let group: Record<string, unknown> = groups
    const parts = path.split('.')
    for (const part of parts.slice(0, -1)) {
      group[part] ??= {}
      group = group[part] as Record<string, unknown>
    }
    group[parts.at(-1) ?? ''] = value
  }
  return groups
}
