import { hostOrRange, origin, webAddress } from './forms.ts'
import { choice, flag, integer, list, of, secret, text, type Variable } from './variable.ts'

/** All environment variables of the server except those of SCIM, in the order of `--help`. */
export const variables = {
  HOST: text('listen address', '127.0.0.1'),
  PORT: { ...integer('listen port; 0 picks a free one', 7860), max: 65_535 },
  LOG_LEVEL: choice('lowest level that is logged', [
    'info',
    'debug',
    'warn',
    'warning',
    'error',
    'silent',
  ]),
  LOG_FORMAT: choice('format of log lines; default on a terminal: pretty', ['json', 'pretty']),

  SERVICE_CONFIG_DIR: text(
    'folder of files, profile pictures and the generated secret key',
    './data',
  ),
  SERVICE_DATABASE_URL: text(
    'sqlite:PATH, sqlite::memory: or postgres://...; default: a file in SERVICE_CONFIG_DIR',
  ),
  SERVICE_DATABASE_CONNECTIONS: integer('maximum number of connections to PostgreSQL', 10, 1),
  SERVICE_FRONTEND_PATH: text(
    'folder of a built single-page editor, served at /; the console moves to /console',
  ),
  SERVICE_PUBLIC_URL: text('base of absolute URLs in responses; default: http://HOST:PORT'),
  SERVICE_METRICS: flag('collects metrics and serves them to Prometheus at /metrics'),
  SERVICE_METRICS_PORT: {
    ...integer('separate port for /metrics; default: the port of the server', undefined, 1),
    max: 65_535,
  },
  SERVICE_METRICS_HOST: text('listen address of that port', '127.0.0.1'),
  SERVICE_METRICS_TOKEN: secret(
    'bearer token required for /metrics; without it only this machine is answered',
  ),
  SERVICE_RATE_LIMIT: integer('requests per minute of a user or SCIM tenant; 0 = unlimited', 0),
  SERVICE_RATE_LIMIT_BURST: integer(
    'how many of these may arrive at once; default: all',
    undefined,
    1,
  ),
  SERVICE_RATE_LIMIT_ADDRESS: integer(
    'requests per minute of an address whose caller is unknown; default: SERVICE_RATE_LIMIT',
    undefined,
    1,
  ),
  SERVICE_RATE_LIMIT_REDIS_URL: secret(
    'redis://... that keeps these counts for several processes; not needed with PostgreSQL',
  ),
  SERVICE_OTEL: flag('creates spans with the OpenTelemetry SDK registered by node --import'),
  SERVICE_OTEL_CONTENT: choice('inputs, outputs and prompts in spans (secrets masked)', [
    'none',
    'truncated',
    'full',
  ]),
  SERVICE_DRAIN_SECONDS: {
    ...integer('seconds to accept connections after SIGTERM, while /health/ready answers 503', 0),
    max: 3600,
  },
  SERVICE_TRUST_PROXY: list(
    'true, or addresses/CIDR ranges of proxies whose X-Forwarded-* headers are trusted',
    'false',
  ),
  SERVICE_SSRF_ALLOW: {
    ...list('private hosts or CIDR ranges that components, models and tool servers may reach'),
    form: hostOrRange,
  },
  SERVICE_MAX_CRAWL_MB: integer('MiB that one run of the URL component may read in total', 64, 1),
  SERVICE_MCP_STDIO: flag(
    'allows flows of superusers to start the commands of SERVICE_MCP_STDIO_COMMANDS',
  ),
  SERVICE_MCP_STDIO_COMMANDS: list(
    'allowed local commands: exact path or base name, for example npx',
  ),
  SERVICE_CODE_RUNNER: flag('runs TypeScript components of users in a sandbox'),
  SERVICE_CODE_RUNNER_SECONDS: integer('time limit of such code, in seconds', 30, 1),
  SERVICE_PYTHON: flag('runs Python components in a sandbox; needs the package pyodide'),
  SERVICE_PYTHON_TIMEOUT_MS: integer(
    'time limit of one call of a Python component, in milliseconds',
    60_000,
    100,
  ),
  SERVICE_PYTHON_MEMORY_MB: integer('memory of one interpreter in MiB, at most 4096', 512, 64),
  SERVICE_PYTHON_INTERPRETERS: integer(
    'simultaneous interpreters; default: half the cores, at least 2',
    undefined,
    1,
  ),
  SERVICE_PYTHON_PER_USER: integer('simultaneous interpreters of one user', 1, 1),
  SERVICE_PYTHON_WARM: integer('interpreters kept ready', 1, 0),
  SERVICE_PYTHON_WHEELS: text('folder of pure-Python wheels that Python components may import'),
  SERVICE_PYTHON_ENV: list('names of environment variables that Python components can read'),
  SERVICE_MAX_SANDBOXES: integer(
    'simultaneous sandboxes, one per user; default: half the cores',
    undefined,
    1,
  ),

  SERVICE_VECTOR_DIR: text(
    'folder of Chroma and FAISS collections with SQLite; default: vectors in SERVICE_CONFIG_DIR',
  ),
  SERVICE_MAX_API_KEYS_PER_USER: integer('API keys of a user; 0 = unlimited', 1000),
  SERVICE_MAX_VARIABLES_PER_USER: integer('variables of a user; 0 = unlimited', 2000),
  SERVICE_MAX_PROJECTS_PER_USER: integer('projects of a user; 0 = unlimited', 2000),
  SERVICE_MAX_FLOWS_PER_USER: integer('flows of a user; 0 = unlimited', 20_000),
  SERVICE_MAX_FILES_PER_USER: integer('files of a user, and of a flow; 0 = unlimited', 20_000),
  SERVICE_MAX_MESSAGES_PER_USER: integer('messages of a user; 0 = unlimited', 1_000_000),
  SERVICE_MAX_SHARED_COMPONENTS_PER_USER: integer(
    'shared components of a user; 0 = unlimited',
    2000,
  ),
  SERVICE_MAX_MCP_SERVERS_PER_USER: integer('tool servers of a user; 0 = unlimited', 500),
  SERVICE_MAX_SIGN_INS_PER_USER: integer(
    'open sign-ins of a user (a further one ends the oldest); 0 = unlimited',
    1000,
  ),
  SERVICE_MAX_RUNS_PER_USER: integer('simultaneous runs of a user, not counting builds', 256, 1),
  SERVICE_MAX_UNREAD_MB_PER_CLIENT: integer(
    'MiB of unread long responses and simultaneous request bodies, per user or network of anonymous clients',
    256,
    1,
  ),
  SERVICE_MAX_STORED_MB_PER_USER: integer('MB of stored files of a user; 0 = unlimited', 0),
  SERVICE_MAX_RUNS_PER_DAY_PER_USER: integer('runs and builds of a user per day; 0 = unlimited', 0),
  SERVICE_KNOWLEDGE_ROWS: integer('rows of a knowledge base or collection', 200_000, 1),
  SERVICE_SQL_ALLOW: list('databases that flows may open: sqlite:PATH, postgres://host/db'),
  SERVICE_FINANCE_URL: {
    ...text(
      'service for the Yahoo! Finance component: answers GET ?symbol=&method=&count= with JSON',
    ),
    form: webAddress,
  },

  SERVICE_SUPERUSER: text('name of the first superuser', 'admin'),
  SERVICE_SUPERUSER_PASSWORD: secret(
    'password of the first superuser; default: generated and printed once, with an API key',
  ),
  SERVICE_SECRET_KEY: secret(
    'key for tokens and encryption, at least 32 characters; default: generated and stored',
  ),
  SERVICE_NEW_USER_IS_ACTIVE: flag('new users can sign in without approval'),
  SERVICE_AUTO_LOGIN: flag('signs everyone in as the superuser; only on loopback addresses'),
  SERVICE_AUTO_LOGIN_ALLOW_REMOTE: flag(
    'allows auto login on other addresses: everyone on the network is the superuser',
  ),
  SERVICE_ALLOWED_HOSTS: list(
    'allowed host names besides loopback and SERVICE_PUBLIC_URL; checked with auto login or when set',
  ),
  SERVICE_SKIP_AUTH_AUTO_LOGIN: flag(
    'with auto login, requests without credentials act as the superuser',
  ),
  SERVICE_LOGIN_RATE_LIMIT: flag('limits failed sign-ins; false allows guessing passwords', true),
  SERVICE_REQUIRE_CURRENT_PASSWORD: flag('requires the current password for a reset'),
  SERVICE_ACCESS_TOKEN_EXPIRE_SECONDS: integer('lifetime of an access token, in seconds', 3600, 1),
  SERVICE_REFRESH_TOKEN_EXPIRE_SECONDS: integer(
    'lifetime of a refresh token, in seconds',
    604_800,
    1,
  ),
  SERVICE_REFRESH_TOKEN_MAX_AGE_SECONDS: integer(
    'longest duration of a sign-in, in seconds',
    2_592_000,
    1,
  ),
  SERVICE_ACCESS_SAME_SITE: choice('SameSite of the access cookie', ['lax', 'strict', 'none']),
  SERVICE_ACCESS_SECURE: of(
    'boolean',
    'Secure flag of the access cookie; default: true if SERVICE_PUBLIC_URL begins with https',
  ),
  SERVICE_ACCESS_HTTPONLY: flag('HttpOnly flag of the access cookie'),
  SERVICE_REFRESH_SAME_SITE: choice('SameSite of the refresh cookie', ['lax', 'strict', 'none']),
  SERVICE_REFRESH_SECURE: of(
    'boolean',
    'Secure flag of the refresh cookie; default: true if SERVICE_PUBLIC_URL begins with https',
  ),
  SERVICE_REFRESH_HTTPONLY: flag('HttpOnly flag of the refresh cookie', true),
  SERVICE_COOKIE_DOMAIN: text('domain of the cookies'),
  SERVICE_CORS_ORIGINS: {
    ...list('origins whose pages may call the API'),
    form: origin,
  },
  SERVICE_CORS_ALLOW_CREDENTIALS: of(
    'boolean',
    'allows credentials from these origins; default: true',
  ),
  SERVICE_CORS_ALLOW_METHODS: list('methods allowed from these origins', '*'),
  SERVICE_CORS_ALLOW_HEADERS: list('headers allowed from these origins', '*'),

  SERVICE_API_KEY_SOURCE: choice('with env, SERVICE_API_KEY also acts as the superuser', [
    'db',
    'env',
  ]),
  SERVICE_API_KEY: secret('key for SERVICE_API_KEY_SOURCE=env'),
  SERVICE_DISABLE_TRACK_APIKEY_USAGE: flag('does not count uses of API keys'),
  SERVICE_WEBHOOK_AUTH_ENABLE: flag(
    'webhooks need an API key; false: anyone who knows the URL can call them',
  ),
  SERVICE_STORE_ENVIRONMENT_VARIABLES: flag(
    'copies environment variables to variables of users at sign-in',
  ),
  SERVICE_VARIABLES_TO_GET_FROM_ENVIRONMENT: list('names of these environment variables'),
  SERVICE_FALLBACK_TO_ENV_VAR: flag('flows may use provider keys of the environment', true),
  SERVICE_AGENTIC_EXPERIENCE: flag('allows session cookies to run flows'),
  SERVICE_OPENAI_API: flag('serves flows as models of the OpenAI API', true),
  SERVICE_MCP_SERVER: flag('serves projects as MCP servers', true),
  SERVICE_MCP_SSE: flag('also serves the older HTTP+SSE transport of MCP', true),
  SERVICE_MCP_ANONYMOUS: flag('allows MCP clients without key in projects with auth_type none'),
  SERVICE_MCP_CALL_TIMEOUT_MS: integer('time limit of a tool call, in milliseconds', 300_000, 1),
  SERVICE_MCP_MAX_CALLS: integer('simultaneous tool calls of one user', 256, 1),
  SERVICE_MCP_MAX_TOOLS: integer('tools of one project', 1000, 1),
  SERVICE_MCP_MAX_BODY_KIB: integer('size of an MCP message in KiB', 4096, 1),
  SERVICE_MCP_MAX_RESOURCE_MB: integer('size of a file read as a resource, in MiB', 10, 1),
  SERVICE_MCP_MAX_STREAMS: integer('open HTTP+SSE streams of one user', 20, 1),
  SERVICE_OPENAI_MAX_RUNS: integer('simultaneous runs of one user through the OpenAI API', 256, 1),
  SERVICE_OPENAI_TIMEOUT_SECONDS: integer('time limit of such a request, in seconds', 600, 1),
  SERVICE_STORE: flag('enables the component store', true),
  SERVICE_SURFACE_MAX_BODY_KIB: integer(
    'size of a message that a viewer of a surface posts, in KiB',
    64,
    1,
  ),
  SERVICE_SURFACE_HISTORY: integer('messages of a surface kept for late viewers', 1000, 1),
  SERVICE_SURFACE_HISTORY_MB: integer('size of these messages in MiB', 64, 1),
  SERVICE_SURFACE_WAITING: integer(
    'messages buffered for one viewer before the sender waits',
    64,
    1,
  ),
  SERVICE_SURFACE_SLOW_MS: integer(
    'milliseconds after which a viewer that stopped reading is disconnected',
    5000,
    1,
  ),
  SERVICE_SURFACE_MAX_VIEWERS: integer('simultaneous viewers of a surface; 503 beyond', 10_000, 1),
  SERVICE_SURFACE_MAX_SURFACES: integer('surfaces of a channel', 1000, 1),
  SERVICE_SURFACE_MAX_MB: integer(
    'size of all surfaces of a channel, in units of 1,048,576 characters',
    256,
    1,
  ),

  SERVICE_MAX_FILE_SIZE_UPLOAD: integer('size of an upload in MB', 1024, 1),
  SERVICE_MAX_JSON_BODY: integer('size of a JSON body in MB; 0 = SERVICE_MAX_FILE_SIZE_UPLOAD', 32),
  SERVICE_MAX_PUBLIC_BODY: integer(
    'size of the body of a webhook call or public build, in KiB',
    1024,
    1,
  ),
  SERVICE_DEPRECATED_UPLOAD: flag(
    'opens POST /api/v1/upload/{flow}: anyone can store files for public flows, 10 MiB each, for a day',
  ),
  SERVICE_MAX_ITEMS_LENGTH: integer('items of a list in build records', 1000, 1),
  SERVICE_MAX_TEXT_LENGTH: integer('characters of a string in build records', 6000, 1),
  SERVICE_MAX_FLOW_VERTICES: integer('vertices of a flow', 20_000, 1),
  SERVICE_MAX_FLOW_EDGES: integer('edges of a flow', 100_000, 1),
  SERVICE_MAX_LOOP_PASSES: integer('builds of one vertex in a run', 10_000, 1),
  SERVICE_MAX_RUN_SECONDS: integer('time limit of a run, in seconds', 3600, 1),
  SERVICE_MAX_VERTEX_SECONDS: integer('time limit of a vertex, in seconds; 0 = that of the run', 0),
  SERVICE_MAX_RUN_EVENTS: integer('events of a run', 1_000_000, 1),
  SERVICE_MAX_EVENT_KIB: integer('size of one event in KiB', 8192, 1),
  SERVICE_MAX_VALUE_MB: integer('size of the outputs of one vertex in MiB', 64, 1),
  SERVICE_MAX_CHECKPOINT_MB: integer('size of the checkpoints of one job in MiB', 256, 1),
  SERVICE_MAX_BUFFERED_TOKENS: integer(
    'tokens buffered for a slow reader before they are joined',
    1024,
    1,
  ),
  SERVICE_MAX_CONCURRENT_BUILDS: integer('simultaneous builds', 64, 1),
  SERVICE_MAX_BUILDS_PER_USER: integer(
    'simultaneous builds of one user; default: half of all',
    undefined,
    1,
  ),
  SERVICE_MAX_PUBLIC_BUILDS: integer(
    'simultaneous builds of public flows; default: 2 or a quarter, never the last slot',
    undefined,
    1,
  ),
  SERVICE_PUBLIC_BUILD_SECONDS: integer('time limit of such a build, in seconds', 600, 1),
  SERVICE_MAX_FLOW_VERSIONS: { ...integer('versions kept of each flow', 50, 1), max: 1000 },
  SERVICE_MAX_WEBHOOK_RUNS: integer(
    'simultaneous runs of webhooks, in addition to the builds',
    8,
    1,
  ),
  SERVICE_MAX_QUEUED_BUILDS: integer('queued builds', 1000),
  SERVICE_JOB_RETENTION_HOURS: integer('hours that finished builds are kept', 24),
  SERVICE_JOB_RETENTION_COUNT: integer('finished builds that are kept', 1000),
  SERVICE_MAX_VERTEX_BUILDS_PER_VERTEX: integer('build records kept per node', 2, 1),
  SERVICE_MAX_VERTEX_BUILDS_TO_KEEP: integer(
    'build records kept per user, and for all visitors of public flows together',
    3000,
    1,
  ),
  SERVICE_MAX_TRANSACTIONS_TO_KEEP: integer(
    'transactions kept per flow, and for all visitors of public flows together',
    3000,
    1,
  ),
  SERVICE_MAX_RUN_TRACES_TO_KEEP: integer(
    'traces of runs kept per user, at most 10,000; 0: none',
    1000,
  ),
  SERVICE_VERTEX_BUILDS_STORAGE_ENABLED: flag('keeps build records', true),
  SERVICE_TRANSACTIONS_STORAGE_ENABLED: flag('keeps transactions', true),

  SERVICE_EVENT_DELIVERY: choice('event delivery that the editor uses', [
    'streaming',
    'polling',
    'direct',
  ]),
  SERVICE_DEFAULT_FOLDER_NAME: text("name of each user's first project", 'Starter Project'),
  SERVICE_FRONTEND_TIMEOUT: integer('request timeout of the editor, in seconds; 0 = none', 0),
  SERVICE_AUTO_SAVING: flag('the editor saves automatically', true),
  SERVICE_AUTO_SAVING_INTERVAL: integer('interval of automatic saving in the editor, in ms', 1000),
  SERVICE_HEALTH_CHECK_MAX_RETRIES: integer('health checks that the editor retries', 5),
  SERVICE_WEBHOOK_POLLING_INTERVAL: integer(
    'interval of webhook polling in the editor, in ms',
    5000,
  ),
  SERVICE_PUBLIC_BUILD_READERS: flag('visitors can read the public builds that they started', true),
  SERVICE_PUBLIC_FLOW_CLEANUP_INTERVAL: integer(
    'seconds between deletions of expired visitor data',
    3600,
    601,
  ),
  SERVICE_PUBLIC_FLOW_EXPIRATION: integer('seconds that data of visitors is kept', 86_400, 601),
  SERVICE_HIDE_GETTING_STARTED_PROGRESS: flag('hides the getting-started progress in the editor'),

  OPENAI_API_KEY: secret('key of the provider if a flow has none'),
  OPENAI_BASE_URL: text("base URL of the provider, may be private; default: the vendor's"),
  ANTHROPIC_API_KEY: secret('key of the provider if a flow has none'),
  ANTHROPIC_BASE_URL: text("base URL of the provider, may be private; default: the vendor's"),
  OLLAMA_BASE_URL: text('URL of a local model server; may be private'),

  OIDC_ISSUER: { ...text('single sign-on: URL of the provider'), form: webAddress },
  OIDC_CLIENT_ID: text('single sign-on: client id'),
  OIDC_CLIENT_SECRET: secret('single sign-on: secret of a confidential client'),
  OIDC_EXTERNAL_ID_CLAIM: text(
    "single sign-on: claim that contains the directory's externalId",
    'sub',
  ),
  OIDC_AUTO_CREATE: flag('single sign-on: creates an account at the first sign-in'),
} as const satisfies Record<string, Variable>
