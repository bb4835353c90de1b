import { isLoopback, readPublicUrl, toFlowSettings } from './flow-settings.ts'
import type { Settings } from './read-settings.ts'
import { readTrustProxy } from './trust-proxy.ts'

/** One thing that the settings open, and to whom. */
export interface Opening {
  /** The variable, or the address. */
  readonly name: string
  readonly opens: string
}

type Environment = Readonly<Record<string, string | undefined>>

/**
 * What is open with these settings: the address, switches away from their safe value, cookies without
 * TLS, and what strangers may use by default.
 * @throws SettingsError, TypeError for settings that the start would refuse
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

/** The answer of `--check`. */
export function openingsText(openings: readonly Opening[], warnings: readonly string[]): string {
  const width = Math.max(...openings.map(({ name }) => name.length))
  return [
    ...warnings.map((warning) => `Warning: ${warning}`),
    `Open with these settings (${openings.length}):`,
    ...openings.map(({ name, opens }) => `  ${name.padEnd(width)}  ${opens}`),
  ].join('\n')
}

function addressOpenings(host: string): Opening[] {
  const opens = isLoopback(host)
    ? `only this machine reaches the server (${host})`
    : `everybody who reaches ${host} reaches the server; put it behind TLS`
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
      opens: 'the cookie travels without TLS too; give SERVICE_PUBLIC_URL an https address',
    }))
}

/** Commands without the switch start nothing, and the switch without commands neither. */
function commandOpenings(settings: Settings): Opening[] {
  const { SERVICE_MCP_STDIO: isOn, SERVICE_MCP_STDIO_COMMANDS: commands = [] } = settings
  if (isOn !== true) return []
  const opens =
    commands.length === 0
      ? 'nothing: SERVICE_MCP_STDIO_COMMANDS lists no command'
      : `flows of superusers start on this machine: ${commands.join(', ')}`
  return [{ name: 'SERVICE_MCP_STDIO', opens }]
}

/** A switch whose other value is the safe one. */
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
  on('SERVICE_AUTO_LOGIN', 'everybody who reaches the server gets a token of the superuser'),
  on('SERVICE_AUTO_LOGIN_ALLOW_REMOTE', 'auto login holds for other machines too'),
  on('SERVICE_SKIP_AUTH_AUTO_LOGIN', 'with auto login, no credentials act as the superuser'),
  given('SERVICE_ALLOWED_HOSTS', 'requests for these host names are answered too'),
  on('SERVICE_NEW_USER_IS_ACTIVE', 'added users sign in without approval'),
  off('SERVICE_LOGIN_RATE_LIMIT', 'passwords may be guessed without a limit'),
  off('SERVICE_WEBHOOK_AUTH_ENABLE', 'webhooks of flows are called without credentials'),
  on('SERVICE_PUBLIC_BUILD_READERS', 'visitors read and cancel the public builds they started'),
  on('SERVICE_DEPRECATED_UPLOAD', 'anybody stores files for public flows, 10 MiB each'),
  given('SERVICE_CORS_ORIGINS', 'pages of these origins call the interface'),
  given('SERVICE_TRUST_PROXY', 'these peers say which address a client has'),
  given('SERVICE_SSRF_ALLOW', 'flows reach these private hosts'),
  on('SERVICE_CODE_RUNNER', 'users run code of their own in the sandbox'),
  on('SERVICE_PYTHON', 'users run Python of their own in the sandbox'),
  {
    name: 'SERVICE_API_KEY_SOURCE',
    opens: 'SERVICE_API_KEY acts as the superuser',
    isOpen: ({ SERVICE_API_KEY_SOURCE: source }) => source === 'env',
  },
  off('SERVICE_REFRESH_HTTPONLY', 'scripts of the page read the refresh cookie'),
  on('SERVICE_STORE_ENVIRONMENT_VARIABLES', 'users get variables of this environment on sign-in'),
  on('SERVICE_FALLBACK_TO_ENV_VAR', 'flows read provider keys of this environment'),
  on('SERVICE_MCP_ANONYMOUS', 'anybody calls flows of projects whose auth_type is none'),
  on('SERVICE_AGENTIC_EXPERIENCE', 'a session cookie runs flows'),
  on('OIDC_AUTO_CREATE', 'every account of the identity provider gets a user'),
  {
    name: 'SERVICE_MAX_JSON_BODY',
    opens: 'JSON of known users is bounded by SERVICE_MAX_FILE_SIZE_UPLOAD alone',
    isOpen: ({ SERVICE_MAX_JSON_BODY: megabytes }) => megabytes === 0,
  },
]

/** Every variable that may stand in the list of openings. */
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
    { name: 'SCIM_ENABLED', opens: 'whoever has a token of SCIM adds and blocks users' },
    ...(isOn('SCIM_PUBLIC_DISCOVERY')
      ? [{ name: 'SCIM_PUBLIC_DISCOVERY', opens: 'discovery of SCIM asks for no token' }]
      : []),
    ...(environment['SCIM_ALLOWED_ADDRESSES'] === undefined
      ? [{ name: 'SCIM_ALLOWED_ADDRESSES', opens: 'SCIM is reached from every address' }]
      : []),
  ]
}

/** What strangers may use of this machine, whatever is set. */
function lanes(settings: Settings): Opening[] {
  const {
    SERVICE_MAX_PUBLIC_BODY: kib = 1024,
    SERVICE_MAX_CONCURRENT_BUILDS: places,
    SERVICE_MAX_BUILDS_PER_USER: perUser,
    SERVICE_MAX_QUEUED_BUILDS: queued = 1000,
  } = settings
  return [
    {
      name: 'lanes of builds',
      opens: `${places ?? 'the default number of'} builds at once, ${perUser ?? 'the default number'} of one user, ${queued} waiting (--help: SERVICE_MAX_*)`,
    },
    {
      name: 'public flows',
      opens: `visitors run flows that their owners made public; bodies to ${kib} KiB`,
    },
    { name: '/surfaces/demo', opens: 'anybody watches and uses the demo surface' },
  ]
}
