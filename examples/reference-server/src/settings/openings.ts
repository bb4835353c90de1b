import { isLoopback, readPublicUrl, toFlowSettings } from './flow-settings.ts'
import type { Settings } from './read-settings.ts'
import { wrapText } from './wrap-text.ts'
import { readTrustProxy } from './trust-proxy.ts'

/** Something the settings expose, and to whom. */
export interface Opening {
  /** The variable, or a path. */
  readonly name: string
  readonly opens: string
}

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Lists what these settings expose: the listen address, options without their safe value, cookies without
 * TLS, and what anonymous clients may do by default.
 * @throws SettingsError, TypeError for settings that would prevent the start
 */
export function openingsOf(settings: Settings, environment: Environment): Opening[] {
  const host = settings.HOST ?? '127.0.0.1'
  const publicUrl = readPublicUrl(settings.SERVICE_PUBLIC_URL) ?? `http://${host}`
  toFlowSettings(settings, publicUrl)
  readTrustProxy(settings.SERVICE_TRUST_PROXY ?? [])
  return [
    ...addressOpenings(host),
    ...cookieOpenings(settings, { host, publicUrl }),
    ...switches.filter(({ isOpen }) => isOpen(settings)),
    ...commandOpenings(settings),
    ...variableOpenings(environment),
    ...lanes(settings),
  ].map(({ name, opens }) => ({ name, opens }))
}

/** The output of `--check`. */
export function openingsText(
  openings: readonly Opening[],
  warnings: readonly string[],
  columns = Number.POSITIVE_INFINITY,
): string {
  const width = Math.max(...openings.map(({ name }) => name.length))
  return [
    ...warnings.map((warning) => `Warning: ${warning}`),
    `Exposed by these settings (${openings.length}):`,
    ...openings.map(
      ({ name, opens }) => `  ${name.padEnd(width)}  ${wrapText(opens, width + 4, columns)}`,
    ),
  ].join('\n')
}

function addressOpenings(host: string): Opening[] {
  const opens = isLoopback(host)
    ? `only this machine can reach the server (${host})`
    : `everyone who can reach ${host} can reach the server; put it behind TLS`
  return [{ name: 'HOST', opens }]
}

function cookieOpenings(
  settings: Settings,
  { host, publicUrl }: { readonly host: string; readonly publicUrl: string },
): Opening[] {
  const isTls = publicUrl.toLowerCase().startsWith('https:')
  const names = ['SERVICE_ACCESS_SECURE', 'SERVICE_REFRESH_SECURE'] as const
  return names
    .filter((name) => !(settings[name] ?? isTls) && (isTls || !isLoopback(host)))
    .map((name) => ({
      name,
      opens: 'the cookie is also sent without TLS; set SERVICE_PUBLIC_URL to an https URL',
    }))
}

/** Requires both the option and a list of commands. */
function commandOpenings(settings: Settings): Opening[] {
  const { SERVICE_MCP_STDIO: isOn, SERVICE_MCP_STDIO_COMMANDS: commands = [] } = settings
  if (isOn !== true) return []
  const opens =
    commands.length === 0
      ? 'nothing: SERVICE_MCP_STDIO_COMMANDS lists no command'
      : `flows of superusers can start on this machine: ${commands.join(', ')}`
  return [{ name: 'SERVICE_MCP_STDIO', opens }]
}

/** An option that does not have its safe value. */
interface Switch extends Opening {
  readonly isOpen: (settings: Settings) => boolean
}

type Flag = {
  [K in keyof Settings]: Settings[K] extends boolean | undefined ? K : never
}[keyof Settings]

const on = (name: Flag, opens: string): Switch => ({
  name,
  opens,
  isOpen: (settings) => settings[name] === true,
})
const off = (name: Flag, opens: string): Switch => ({
  name,
  opens,
  isOpen: (settings) => settings[name] === false,
})
const given = (name: keyof Settings, opens: string): Switch => ({
  name,
  opens,
  isOpen: (settings) => {
    const value = settings[name]
    return Array.isArray(value) ? value.length > 0 && value.join() !== 'false' : value !== undefined
  },
})

const switches: readonly Switch[] = [
  on('SERVICE_AUTO_LOGIN', 'everyone who can reach the server gets a token of the superuser'),
  on('SERVICE_AUTO_LOGIN_ALLOW_REMOTE', 'auto login also works from other machines'),
  on(
    'SERVICE_SKIP_AUTH_AUTO_LOGIN',
    'with auto login, requests without credentials act as the superuser',
  ),
  {
    name: 'SERVICE_METRICS',
    opens: 'everyone who can reach SERVICE_METRICS_HOST can read the metrics without a token',
    isOpen: ({
      SERVICE_METRICS: isOn,
      SERVICE_METRICS_PORT: port,
      SERVICE_METRICS_HOST: host = '127.0.0.1',
      SERVICE_METRICS_TOKEN: token,
    }) => isOn === true && port !== undefined && token === undefined && !isLoopback(host),
  },
  given('SERVICE_ALLOWED_HOSTS', 'requests for these host names are answered'),
  on('SERVICE_NEW_USER_IS_ACTIVE', 'new users can sign in without approval'),
  off('SERVICE_LOGIN_RATE_LIMIT', 'passwords can be guessed without a limit'),
  off('SERVICE_WEBHOOK_AUTH_ENABLE', 'webhooks of flows can be called without credentials'),
  on(
    'SERVICE_PUBLIC_BUILD_READERS',
    'visitors can read and cancel the public builds that they started',
  ),
  on('SERVICE_DEPRECATED_UPLOAD', 'anyone can store files for public flows, 10 MiB each'),
  given('SERVICE_CORS_ORIGINS', 'pages of these origins can call the API'),
  given('SERVICE_TRUST_PROXY', 'these proxies set the address of clients'),
  given('SERVICE_SSRF_ALLOW', 'flows can reach these private hosts'),
  on('SERVICE_CODE_RUNNER', 'users can run their own TypeScript in the sandbox'),
  on('SERVICE_PYTHON', 'users can run their own Python in the sandbox'),
  {
    name: 'SERVICE_API_KEY_SOURCE',
    opens: 'SERVICE_API_KEY acts as the superuser',
    isOpen: ({ SERVICE_API_KEY_SOURCE: source }) => source === 'env',
  },
  off('SERVICE_REFRESH_HTTPONLY', 'scripts of the page can read the refresh cookie'),
  on('SERVICE_STORE_ENVIRONMENT_VARIABLES', 'users get variables of this environment at sign-in'),
  on('SERVICE_FALLBACK_TO_ENV_VAR', 'flows can use provider keys of this environment'),
  on('SERVICE_MCP_ANONYMOUS', 'anyone can call flows of projects whose auth_type is none'),
  on('SERVICE_AGENTIC_EXPERIENCE', 'a session cookie can run flows'),
  on('OIDC_AUTO_CREATE', 'every account of the identity provider gets a user'),
  {
    name: 'SERVICE_MAX_JSON_BODY',
    opens: 'JSON bodies of users are limited only by SERVICE_MAX_FILE_SIZE_UPLOAD',
    isOpen: ({ SERVICE_MAX_JSON_BODY: megabytes }) => megabytes === 0,
  },
]

/** Every variable the list may contain. */
export const openingVariables: readonly string[] = [
  'HOST',
  'SERVICE_ACCESS_SECURE',
  'SERVICE_REFRESH_SECURE',
  'SERVICE_MCP_STDIO',
  'SCIM_ENABLED',
  'SCIM_PUBLIC_DISCOVERY',
  'SCIM_ALLOWED_ADDRESSES',
  ...switches.map(({ name }) => name),
]

function variableOpenings(environment: Environment): Opening[] {
  const isOn = (name: string): boolean => /^(true|1|yes|on)$/i.test(environment[name]?.trim() ?? '')
  if (!isOn('SCIM_ENABLED')) return []
  return [
    { name: 'SCIM_ENABLED', opens: 'everyone with a SCIM token can add and deactivate users' },
    ...(isOn('SCIM_PUBLIC_DISCOVERY')
      ? [{ name: 'SCIM_PUBLIC_DISCOVERY', opens: 'SCIM discovery needs no token' }]
      : []),
    ...(environment['SCIM_ALLOWED_ADDRESSES'] === undefined
      ? [{ name: 'SCIM_ALLOWED_ADDRESSES', opens: 'SCIM accepts requests from every address' }]
      : []),
  ]
}

/** Features available to anonymous clients with any settings. */
function lanes(settings: Settings): Opening[] {
  const {
    SERVICE_MAX_PUBLIC_BODY: kib = 1024,
    SERVICE_MAX_CONCURRENT_BUILDS: places,
    SERVICE_MAX_BUILDS_PER_USER: perUser,
    SERVICE_MAX_QUEUED_BUILDS: queued = 1000,
  } = settings
  return [
    {
      name: 'builds',
      opens: `${places ?? 'the default number of'} simultaneous builds, ${perUser ?? 'at most half'} of one user, ${queued} queued (--help: SERVICE_MAX_*)`,
    },
    {
      name: 'public flows',
      opens: `visitors can run flows that their owners made public, with bodies up to ${kib} KiB`,
    },
    { name: '/surfaces/demo', opens: 'anyone can watch and use the demo surface' },
  ]
}
