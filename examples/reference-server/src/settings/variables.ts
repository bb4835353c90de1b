/** How the text of a variable is read. */
export type VariableKind = 'text' | 'secret' | 'boolean' | 'integer' | 'list' | readonly string[]

export interface Variable {
  readonly kind: VariableKind
  /** As it would be written in the environment; undefined = none. */
  readonly default?: string
  readonly meaning: string
  /** Smallest integer allowed, 0 by default. */
  readonly min?: number
  /** Largest integer allowed. */
  readonly max?: number
}

type Of<K extends VariableKind> = Variable & { readonly kind: K }

const text = (meaning: string, value?: string) => of('text', meaning, value)
const secret = (meaning: string) => of('secret', meaning)
const flag = (meaning: string, value = false) => of('boolean', meaning, String(value))
const list = (meaning: string, value?: string) => of('list', meaning, value)
const integer = (meaning: string, value?: number, min = 0): Of<'integer'> => ({
  ...of('integer', meaning, value === undefined ? undefined : String(value)),
  min,
})
const choice = (meaning: string, values: readonly string[]) => of(values, meaning, values[0])

function of<const K extends VariableKind>(kind: K, meaning: string, value?: string): Of<K> {
  return { kind, meaning, ...(value === undefined ? {} : { default: value }) }
}

/** Every environment variable of the server but those of SCIM, in the order of `--help`. */
export const variables = {
  HOST: text('listen address', '127.0.0.1'),
  PORT: { ...integer('listen port; 0 picks a free one', 7860), max: 65_535 },
  LOG_LEVEL: choice('how much is logged, as JSON lines', [
    'info',
    'debug',
    'warning',
    'error',
    'silent',
  ]),

  SERVICE_CONFIG_DIR: text('files, profile pictures, the generated secret key', './data'),
  SERVICE_DATABASE_URL: text(
    'sqlite:PATH, sqlite::memory: or postgres://...; a file in the folder',
  ),
  SERVICE_FRONTEND_PATH: text(
    'folder of a built single-page editor, served at /; the console moves to /console',
  ),
  SERVICE_PUBLIC_URL: text('base of the absolute addresses in answers; http://HOST:PORT'),
  SERVICE_TRUST_PROXY: list(
    'true, or addresses/CIDR of proxies whose X-Forwarded-* count',
    'false',
  ),
  SERVICE_SSRF_ALLOW: list(
    'private hosts or CIDR that components, models and tool servers of flows may reach',
  ),
  SERVICE_MAX_CRAWL_MB: integer('MiB that one run of the page reader reads in all', 64, 1),
  SERVICE_MCP_STDIO: flag('flows of superusers start the commands of SERVICE_MCP_STDIO_COMMANDS'),
  SERVICE_MCP_STDIO_COMMANDS: list('local commands: exact text or base name, npx for example'),
  SERVICE_CODE_RUNNER: flag('runs component code of users (TypeScript) in the sandbox'),
  SERVICE_CODE_RUNNER_SECONDS: integer('seconds that such code may take', 30, 1),
  SERVICE_PYTHON: flag(
    'runs components written in Python in the sandbox; needs the package pyodide',
  ),
  SERVICE_PYTHON_TIMEOUT_MS: integer('milliseconds of one call of such a component', 60_000, 100),
  SERVICE_PYTHON_MEMORY_MB: integer('MiB of memory of one interpreter, 4096 at most', 512, 64),
  SERVICE_PYTHON_INTERPRETERS: integer(
    'interpreters at work at once; half the cores',
    undefined,
    1,
  ),
  SERVICE_PYTHON_PER_USER: integer('of these, those of one user', 1, 1),
  SERVICE_PYTHON_WARM: integer('interpreters kept ready', 1, 0),
  SERVICE_PYTHON_WHEELS: text('folder of wheels of pure Python that such components import'),
  SERVICE_PYTHON_ENV: list('names of variables of this environment that Python components see'),
  SERVICE_MAX_SANDBOXES: integer(
    'sandboxes at once, one of each user; half the cores',
    undefined,
    1,
  ),

  SERVICE_VECTOR_DIR: text('collections of Chroma and FAISS, beside SQLite; vectors in the folder'),
  SERVICE_KNOWLEDGE_ROWS: integer('rows of a knowledge base or collection', 200_000, 1),
  SERVICE_SQL_ALLOW: list('databases flows may open: sqlite:PATH, postgres://host/db'),
  SERVICE_FINANCE_URL: text('answers GET ?symbol=&method=&count= with JSON, for Yahoo! Finance'),

  SERVICE_SUPERUSER: text('name of the first superuser', 'admin'),
  SERVICE_SUPERUSER_PASSWORD: secret('its password; generated and printed once'),
  SERVICE_SECRET_KEY: secret('signs tokens, at least 32 characters; generated and kept'),
  SERVICE_NEW_USER_IS_ACTIVE: flag('added users sign in without approval'),
  SERVICE_AUTO_LOGIN: flag(
    'signs everybody who reaches the server in as the superuser; loopback only',
  ),
  SERVICE_AUTO_LOGIN_ALLOW_REMOTE: flag(
    'auto login on other addresses too: everybody on the network is the superuser',
  ),
  SERVICE_ALLOWED_HOSTS: list(
    'host names of requests besides loopback and SERVICE_PUBLIC_URL; checked with auto login, or when set',
  ),
  SERVICE_SKIP_AUTH_AUTO_LOGIN: flag(
    'with auto login: requests without credentials act as the superuser',
  ),
  SERVICE_LOGIN_RATE_LIMIT: flag('slows wrong passwords; false opens them to guessing', true),
  SERVICE_REQUIRE_CURRENT_PASSWORD: flag('Reset Password asks for the current password'),
  SERVICE_ACCESS_TOKEN_EXPIRE_SECONDS: integer('life of an access token', 3600, 1),
  SERVICE_REFRESH_TOKEN_EXPIRE_SECONDS: integer('life of a refresh token', 604_800, 1),
  SERVICE_REFRESH_TOKEN_MAX_AGE_SECONDS: integer('longest life of a sign-in', 2_592_000, 1),
  SERVICE_ACCESS_SAME_SITE: choice('of the access cookie', ['lax', 'strict', 'none']),
  SERVICE_ACCESS_SECURE: of(
    'boolean',
    'of the access cookie; true where SERVICE_PUBLIC_URL begins with https',
  ),
  SERVICE_ACCESS_HTTPONLY: flag('of the access cookie'),
  SERVICE_REFRESH_SAME_SITE: choice('of the refresh cookie', ['lax', 'strict', 'none']),
  SERVICE_REFRESH_SECURE: of(
    'boolean',
    'of the refresh cookie; true where SERVICE_PUBLIC_URL begins with https',
  ),
  SERVICE_REFRESH_HTTPONLY: flag('of the refresh cookie', true),
  SERVICE_COOKIE_DOMAIN: text('domain of the cookies'),
  SERVICE_CORS_ORIGINS: list('foreign origins whose pages may call the interface'),
  SERVICE_CORS_ALLOW_CREDENTIALS: of('boolean', 'credentials from foreign origins; true'),
  SERVICE_CORS_ALLOW_METHODS: list('methods from foreign origins', '*'),
  SERVICE_CORS_ALLOW_HEADERS: list('headers from foreign origins', '*'),

  SERVICE_API_KEY_SOURCE: choice('env: SERVICE_API_KEY also acts as the superuser', ['db', 'env']),
  SERVICE_API_KEY: secret('the key of SERVICE_API_KEY_SOURCE=env'),
  SERVICE_DISABLE_TRACK_APIKEY_USAGE: flag('counts no uses of API keys'),
  SERVICE_WEBHOOK_AUTH_ENABLE: flag(
    'webhooks need an API key; false: anybody who knows an address calls it',
  ),
  SERVICE_STORE_ENVIRONMENT_VARIABLES: flag('copies variables of the environment on sign-in'),
  SERVICE_VARIABLES_TO_GET_FROM_ENVIRONMENT: list('which ones'),
  SERVICE_FALLBACK_TO_ENV_VAR: flag('flows may read provider keys of the environment', true),
  SERVICE_AGENTIC_EXPERIENCE: flag('opens the session run'),
  SERVICE_OPENAI_API: flag('serves flows as models of the OpenAI API', true),
  SERVICE_MCP_SERVER: flag('serves projects as MCP servers', true),
  SERVICE_MCP_SSE: flag('serves the older HTTP+SSE transport of MCP too', true),
  SERVICE_MCP_ANONYMOUS: flag('projects with auth_type none open to MCP clients without key'),
  SERVICE_MCP_CALL_TIMEOUT_MS: integer('milliseconds that a call of a tool may take', 300_000, 1),
  SERVICE_STORE: flag('the component store', true),

  SERVICE_MAX_FILE_SIZE_UPLOAD: integer('MB of an upload', 1024, 1),
  SERVICE_MAX_JSON_BODY: integer(
    'MB of a body where JSON is expected; 0 = SERVICE_MAX_FILE_SIZE_UPLOAD',
    32,
  ),
  SERVICE_MAX_PUBLIC_BODY: integer('KiB of a body of a webhook call or a public build', 1024, 1),
  SERVICE_DEPRECATED_UPLOAD: flag(
    'opens POST /api/v1/upload/{flow}: anybody stores files of public flows, 10 MiB each, for a day',
  ),
  SERVICE_MAX_ITEMS_LENGTH: integer('items of a list in build records', 1000, 1),
  SERVICE_MAX_TEXT_LENGTH: integer('characters of a text in build records', 6000, 1),
  SERVICE_MAX_CONCURRENT_BUILDS: integer('builds at once', 64, 1),
  SERVICE_MAX_BUILDS_PER_USER: integer('builds of one user at once; half of all', undefined, 1),
  SERVICE_MAX_PUBLIC_BUILDS: integer(
    'builds of public flows by visitors at once; 2 or a quarter, never the last place',
    undefined,
    1,
  ),
  SERVICE_PUBLIC_BUILD_SECONDS: integer('longest time of such a build', 600, 1),
  SERVICE_MAX_WEBHOOK_RUNS: integer('runs of webhooks at once, beside the builds', 8, 1),
  SERVICE_MAX_QUEUED_BUILDS: integer('builds that wait', 1000),
  SERVICE_JOB_RETENTION_HOURS: integer('hours that finished builds stay', 24),
  SERVICE_JOB_RETENTION_COUNT: integer('finished builds that stay', 1000),
  SERVICE_MAX_VERTEX_BUILDS_PER_VERTEX: integer('build records kept for a node', 2, 1),
  SERVICE_MAX_VERTEX_BUILDS_TO_KEEP: integer(
    'build records kept for each user, and for all visitors of public flows',
    3000,
    1,
  ),
  SERVICE_MAX_TRANSACTIONS_TO_KEEP: integer(
    'transactions kept for a flow, and for all visitors of public flows',
    3000,
    1,
  ),
  SERVICE_VERTEX_BUILDS_STORAGE_ENABLED: flag('keeps build records', true),
  SERVICE_TRANSACTIONS_STORAGE_ENABLED: flag('keeps transactions', true),

  SERVICE_EVENT_DELIVERY: choice('what the editor is advised to use', [
    'streaming',
    'polling',
    'direct',
  ]),
  SERVICE_DEFAULT_FOLDER_NAME: text("name of everybody's first project", 'Starter Project'),
  SERVICE_FRONTEND_TIMEOUT: integer('seconds, for the editor; 0 = none', 0),
  SERVICE_AUTO_SAVING: flag('for the editor', true),
  SERVICE_AUTO_SAVING_INTERVAL: integer('ms, for the editor', 1000),
  SERVICE_HEALTH_CHECK_MAX_RETRIES: integer('for the editor', 5),
  SERVICE_WEBHOOK_POLLING_INTERVAL: integer('ms, for the editor', 5000),
  SERVICE_PUBLIC_BUILD_READERS: flag('visitors read the public builds that they started', true),
  SERVICE_PUBLIC_FLOW_CLEANUP_INTERVAL: integer('seconds', 3600, 601),
  SERVICE_PUBLIC_FLOW_EXPIRATION: integer('seconds', 86_400, 601),
  SERVICE_HIDE_GETTING_STARTED_PROGRESS: flag('for the editor'),

  OPENAI_API_KEY: secret('key of the provider where a flow gives none'),
  OPENAI_BASE_URL: text("address of the provider, may be private; the vendor's own"),
  ANTHROPIC_API_KEY: secret('key of the provider where a flow gives none'),
  ANTHROPIC_BASE_URL: text("address of the provider, may be private; the vendor's own"),
  OLLAMA_BASE_URL: text('address of a local model server, may be private'),

  OIDC_ISSUER: text('single sign-on: address of the provider'),
  OIDC_CLIENT_ID: text('single sign-on: client'),
  OIDC_CLIENT_SECRET: secret('single sign-on: secret of a confidential client'),
  OIDC_EXTERNAL_ID_CLAIM: text("claim that is the directory's externalId", 'sub'),
  OIDC_AUTO_CREATE: flag('makes an account at the first sign-in'),
} as const satisfies Record<string, Variable>

/** The variables of SCIM, read by `readScimSettings`; here for `--help` and the names. */
export const scimVariables = {
  SCIM_ENABLED: flag('switches provisioning on'),
  SCIM_TOKEN: secret('bearer token, required when enabled'),
  SCIM_TOKENS: secret('further tokens: JSON list of {id, token, tenant?, scopes?, ...}'),
  SCIM_BASE_URL: text('SERVICE_PUBLIC_URL + /api/v1/scim/v2'),
  SCIM_USER_NAME: choice('form of userName', ['email', 'any']),
  SCIM_DELETE_USER: choice('what DELETE of a user does', ['deactivate', 'tombstone', 'remove']),
  SCIM_ADOPT_USERS: flag('takes existing users of the same name over'),
  SCIM_PUBLIC_DISCOVERY: flag('discovery without token'),
  SCIM_UNIQUE_GROUP_NAMES: flag('refuses equal group names', true),
  SCIM_UNKNOWN_MEMBERS: choice('unknown members of a group', ['reject', 'skip']),
  SCIM_EMPTY_MEMBERS: choice('members of an empty group', ['array', 'omit']),
  SCIM_QUIRKS: text('all, none, or a comma list of switches', 'all'),
  SCIM_PAGE_SIZE: integer('page size', 100, 1),
  SCIM_MAX_PAGE_SIZE: integer('largest page', 200, 1),
  SCIM_BULK: flag('the Bulk operation'),
  SCIM_ETAG: flag('versions of resources'),
  SCIM_CURSOR: flag('cursor paging'),
  SCIM_CURSOR_TTL: integer('seconds that a cursor lives', 600, 1),
  SCIM_JWT_ISSUER: text('issuer of signed access tokens; with audience, keys and tenant'),
  SCIM_JWT_AUDIENCE: text('audience that signed access tokens must have'),
  SCIM_JWT_JWKS: text('address of the keys of the issuer'),
  SCIM_JWT_TENANT: text('tenant of signed access tokens', 'default'),
  SCIM_ROLES: text('JSON list of {id, displayName}, served as roles in the form of Okta'),
  SCIM_ENTITLEMENTS: text('JSON list of {id, displayName}, served as entitlements likewise'),
  SCIM_CURSOR_SECRET: secret('signs cursors; random for each process'),
  SCIM_AUDIT_LOG: text('stdout or a file', 'stdout'),
  SCIM_ALLOWED_ADDRESSES: list('addresses/CIDR of the identity provider; all'),
} as const satisfies Record<string, Variable>
