import { isAdopting } from './forms.ts'
import { isLoopback } from './flow-settings.ts'
import type { Settings } from './read-settings.ts'
import type { Variable } from './variable.ts'
import { variables } from './variables.ts'

/** Something the settings expose, and to whom. */
export interface Opening {
  /** The variable, or a path. */
  readonly name: string
  readonly opens: string
}

export type Environment = Readonly<Record<string, string | undefined>>

/** An option that does not have its safe value. */
export interface Switch extends Opening {
  readonly isOpen: (settings: Settings, environment: Environment) => boolean
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
const chosen = (name: keyof Settings, values: readonly string[], opens: string): Switch => ({
  name,
  opens,
  isOpen: (settings) => values.includes(String(settings[name])),
})

const isOn = (environment: Environment, name: string): boolean =>
  /^(true|1|yes|on)$/i.test(environment[name]?.trim() ?? '')
/** Opens something only while provisioning is on. */
const scim = (
  name: string,
  opens: string,
  isOpen = (environment: Environment): boolean => isOn(environment, name),
): Switch => ({
  name,
  opens,
  isOpen: (_, environment) => isOn(environment, 'SCIM_ENABLED') && isOpen(environment),
})

const MODEL_SERVER = 'flows can use the model server at this address, even a private one'
const SAME_SITE = 'requests that pages of other sites send carry the cookie'

/** Limits of users that 0 switches off. */
const limits: readonly Switch[] = Object.entries<Variable>(variables).flatMap(
  ([name, { kind, default: value, meaning }]) => {
    const [what, zero] = meaning.split('; 0 = ')
    if (kind !== 'integer' || value === '0' || zero !== 'unlimited') return []
    return [chosen(name as keyof Settings, ['0'], `no limit for ${what}`)]
  },
)

export const switches: readonly Switch[] = [
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
      SERVICE_METRICS: isCollected,
      SERVICE_METRICS_PORT: port,
      SERVICE_METRICS_HOST: host = '127.0.0.1',
      SERVICE_METRICS_TOKEN: token,
    }) => isCollected === true && port !== undefined && token === undefined && !isLoopback(host),
  },
  given('SERVICE_ALLOWED_HOSTS', 'requests for these host names are answered'),
  given('SERVICE_FRONTEND_PATH', 'anyone can read the files of this folder'),
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
  given('SERVICE_SQL_ALLOW', 'flows can open these databases'),
  given('SERVICE_FINANCE_URL', 'flows send requests to this address, even a private one'),
  given('OPENAI_BASE_URL', MODEL_SERVER),
  given('ANTHROPIC_BASE_URL', MODEL_SERVER),
  given('OLLAMA_BASE_URL', MODEL_SERVER),
  on('SERVICE_CODE_RUNNER', 'users can run their own TypeScript in the sandbox'),
  on('SERVICE_PYTHON', 'users can run their own Python in the sandbox'),
  given('SERVICE_PYTHON_ENV', 'Python components of users can read these variables'),
  chosen('SERVICE_API_KEY_SOURCE', ['env'], 'SERVICE_API_KEY acts as the superuser'),
  off('SERVICE_ACCESS_HTTPONLY', 'scripts of the page can read the access cookie'),
  off('SERVICE_REFRESH_HTTPONLY', 'scripts of the page can read the refresh cookie'),
  chosen('SERVICE_ACCESS_SAME_SITE', ['none'], SAME_SITE),
  chosen('SERVICE_REFRESH_SAME_SITE', ['none'], SAME_SITE),
  given('SERVICE_COOKIE_DOMAIN', 'every host of this domain gets the cookies'),
  on('SERVICE_STORE_ENVIRONMENT_VARIABLES', 'users get variables of this environment at sign-in'),
  on('SERVICE_FALLBACK_TO_ENV_VAR', 'flows can use provider keys of this environment'),
  on('SERVICE_PUBLIC_CHAT', 'anyone can chat with public flows, by their ids'),
  on('SERVICE_MCP_ANONYMOUS', 'anyone can call flows of projects whose auth_type is none'),
  on('SERVICE_AGENTIC_EXPERIENCE', 'a session cookie can run flows'),
  chosen(
    'SERVICE_OTEL_CONTENT',
    ['truncated', 'full'],
    'the collector of spans gets inputs, outputs and prompts',
  ),
  given('OIDC_ISSUER', 'users can sign in with their accounts of this provider'),
  on('OIDC_AUTO_CREATE', 'every account of the identity provider gets a user'),
  chosen(
    'SERVICE_MAX_JSON_BODY',
    ['0'],
    'JSON bodies of users are limited only by SERVICE_MAX_FILE_SIZE_UPLOAD',
  ),
  ...limits,
  scim('SCIM_ENABLED', 'everyone with a SCIM token can add and deactivate users'),
  scim('SCIM_PUBLIC_DISCOVERY', 'SCIM discovery needs no token'),
  scim(
    'SCIM_ADOPT_USERS',
    'a directory can take over existing users of the same name',
    ({ SCIM_ADOPT_USERS: words }) => isAdopting(words),
  ),
  scim('SCIM_CONNECTIONS', 'superusers can issue credentials of directories over HTTP'),
  scim('SCIM_PORTAL', 'whoever has a link of a superuser can connect a directory at /directory'),
  scim(
    'SCIM_OAUTH_CLIENTS',
    'these clients get SCIM tokens at /api/v1/scim/oauth/token',
    ({ SCIM_OAUTH_CLIENTS: clients = '' }) => clients.trim() !== '',
  ),
  scim(
    'SCIM_JWT_ISSUER',
    'tokens of this issuer are SCIM tokens',
    ({ SCIM_JWT_ISSUER: issuer = '' }) => issuer.trim() !== '',
  ),
  scim(
    'SCIM_SIGNALS_TOKEN',
    "whoever has it and the issuer's key ends sessions at /api/v1/scim/signals",
    ({ SCIM_SIGNALS_TOKEN: token = '' }) => token.trim() !== '',
  ),
  scim(
    'SCIM_ALLOWED_ADDRESSES',
    'SCIM accepts requests from every address',
    ({ SCIM_ALLOWED_ADDRESSES: addresses }) => addresses === undefined,
  ),
]
