import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openingsOf, openingVariables } from '../src/settings/openings.ts'
import { readSettings } from '../src/settings/read-settings.ts'
import { scimVariables } from '../src/settings/scim-variables.ts'
import { shortcomingsOf } from '../src/settings/shortcomings.ts'
import type { Variable } from '../src/settings/variable.ts'
import { variables } from '../src/settings/variables.ts'
import { inFolder, runToEnd } from '../../../tests/server/start-server.ts'

const namesFor = (environment: Record<string, string>): string[] =>
  openingsOf(readSettings(environment).settings, environment).map(({ name }) => name)

test('--check lists what is open, creates nothing and exits with 0', { tags: ['long'] }, () =>
  inFolder(async (folder) => {
    const SERVICE_CONFIG_DIR = join(folder, 'config')
    const open = { SERVICE_CONFIG_DIR, HOST: '0.0.0.0', SERVICE_DEPRECATED_UPLOAD: 'true' }
    const { code, stdout, stderr } = await runToEnd(open, ['--check'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^ {2}HOST +everyone who can reach 0\.0\.0\.0/m)
    expect(stdout).toMatch(/^ {2}SERVICE_DEPRECATED_UPLOAD +anyone can store files/m)
    expect(stdout).toMatch(/^ {2}SERVICE_ACCESS_SECURE /m)
    expect(stdout).toMatch(/^ {2}public flows /m)
    expect(stdout).toMatch(
      /^Unsafe or missing for a public server \(\d+\):\nnote: SERVICE_PUBLIC_URL +missing/m,
    )
    expect(await readdir(folder)).toEqual([])

    const refused = await runToEnd({ HOST: '0.0.0.0', SERVICE_AUTO_LOGIN: 'true' }, ['--check'])
    expect(refused.code).toBe(1)
    expect(refused.stdout).toMatch(/^error: SERVICE_AUTO_LOGIN works on a loopback/)
  }),
)

test('the defaults on loopback list few openings', () => {
  expect(namesFor({})).toEqual([
    'HOST',
    'SERVICE_WEBHOOK_AUTH_ENABLE',
    'SERVICE_PUBLIC_BUILD_READERS',
    'SERVICE_ACCESS_HTTPONLY',
    'SERVICE_FALLBACK_TO_ENV_VAR',
    'builds',
    'public flows',
    '/surfaces/demo',
  ])
})

/**
 * Variables that open nothing: names, folders, sizes and times, limits that no value switches off, keys that
 * others are checked against, features that ask for credentials, and parts of a variable that is listed.
 */
const OPEN_NOTHING = `
  PORT LOG_LEVEL LOG_FORMAT SERVICE_CONFIG_DIR SERVICE_DATABASE_URL SERVICE_DATABASE_CONNECTIONS
  SERVICE_DATABASE_WAIT_SECONDS SERVICE_DATABASE_STATEMENT_SECONDS SERVICE_ROLE SERVICE_PROCESS_NAME SERVICE_LEASE_SECONDS
  SERVICE_RESUMABLE_BUILDS SERVICE_SECRET_KEY_PREVIOUS
  SERVICE_PUBLIC_URL SERVICE_METRICS_PORT SERVICE_METRICS_HOST SERVICE_METRICS_TOKEN
  SERVICE_RATE_LIMIT SERVICE_RATE_LIMIT_BURST SERVICE_RATE_LIMIT_ADDRESS
  SERVICE_RATE_LIMIT_REDIS_URL SERVICE_OTEL SERVICE_DRAIN_SECONDS SERVICE_MAX_CRAWL_MB
  SERVICE_MCP_STDIO_COMMANDS SERVICE_CODE_RUNNER_SECONDS SERVICE_PYTHON_TIMEOUT_MS
  SERVICE_PYTHON_MEMORY_MB SERVICE_PYTHON_INTERPRETERS SERVICE_PYTHON_PER_USER SERVICE_PYTHON_WARM
  SERVICE_PYTHON_WHEELS SERVICE_MAX_SANDBOXES SERVICE_VECTOR_DIR SERVICE_MAX_RUNS_PER_USER
  SERVICE_MAX_UNREAD_MB_PER_CLIENT
  SERVICE_MAX_STORED_MB_PER_USER SERVICE_MAX_RUNS_PER_DAY_PER_USER SERVICE_BUDGETS SERVICE_PRICES
  SERVICE_KNOWLEDGE_ROWS
  SERVICE_SUPERUSER SERVICE_SUPERUSER_PASSWORD SERVICE_SECRET_KEY SERVICE_REQUIRE_CURRENT_PASSWORD
  SERVICE_ACCESS_TOKEN_EXPIRE_SECONDS SERVICE_REFRESH_TOKEN_EXPIRE_SECONDS
  SERVICE_REFRESH_TOKEN_MAX_AGE_SECONDS SERVICE_CORS_ALLOW_CREDENTIALS SERVICE_CORS_ALLOW_METHODS
  SERVICE_CORS_ALLOW_HEADERS SERVICE_API_KEY SERVICE_DISABLE_TRACK_APIKEY_USAGE
  SERVICE_VARIABLES_TO_GET_FROM_ENVIRONMENT SERVICE_OPENAI_API SERVICE_AI_SDK_API
  SERVICE_AG_UI_API SERVICE_A2A_API SERVICE_A2A_ROOT_FLOW SERVICE_A2A_SIGNING_KEY SERVICE_CHAT_UNREAD_MS SERVICE_MCP_SERVER SERVICE_MCP_SSE
  SERVICE_MCP_CALL_TIMEOUT_MS SERVICE_MCP_MAX_CALLS SERVICE_MCP_MAX_TOOLS SERVICE_MCP_MAX_BODY_KIB
  SERVICE_MCP_MAX_RESOURCE_MB SERVICE_MCP_MAX_STREAMS SERVICE_OPENAI_MAX_RUNS
  SERVICE_OPENAI_TIMEOUT_SECONDS SERVICE_STORE SERVICE_SURFACE_MAX_BODY_KIB
  SERVICE_SURFACE_HISTORY SERVICE_SURFACE_HISTORY_MB SERVICE_SURFACE_WAITING
  SERVICE_SURFACE_SLOW_MS SERVICE_SURFACE_MAX_VIEWERS SERVICE_SURFACE_MAX_SURFACES
  SERVICE_SURFACE_MAX_MB SERVICE_MAX_FILE_SIZE_UPLOAD SERVICE_MAX_PUBLIC_BODY
  SERVICE_MAX_ITEMS_LENGTH SERVICE_MAX_TEXT_LENGTH SERVICE_MAX_FLOW_VERTICES
  SERVICE_MAX_FLOW_EDGES SERVICE_MAX_LOOP_PASSES SERVICE_MAX_RUN_SECONDS
  SERVICE_MAX_VERTEX_SECONDS SERVICE_MAX_RUN_EVENTS SERVICE_MAX_EVENT_KIB SERVICE_MAX_VALUE_MB
  SERVICE_MAX_CHECKPOINT_MB SERVICE_MAX_BUFFERED_TOKENS SERVICE_MAX_CONCURRENT_BUILDS
  SERVICE_MAX_BUILDS_PER_USER SERVICE_MAX_PUBLIC_BUILDS SERVICE_PUBLIC_BUILD_SECONDS
  SERVICE_MAX_FLOW_VERSIONS SERVICE_MAX_WEBHOOK_RUNS SERVICE_MAX_QUEUED_BUILDS
  SERVICE_JOB_RETENTION_HOURS SERVICE_JOB_RETENTION_COUNT SERVICE_MAX_VERTEX_BUILDS_PER_VERTEX
  SERVICE_MAX_VERTEX_BUILDS_TO_KEEP SERVICE_MAX_TRANSACTIONS_TO_KEEP
  SERVICE_MAX_RUN_TRACES_TO_KEEP SERVICE_VERTEX_BUILDS_STORAGE_ENABLED
  SERVICE_TRANSACTIONS_STORAGE_ENABLED SERVICE_EVENT_DELIVERY SERVICE_DEFAULT_FOLDER_NAME
  SERVICE_FRONTEND_TIMEOUT SERVICE_AUTO_SAVING SERVICE_AUTO_SAVING_INTERVAL
  SERVICE_HEALTH_CHECK_MAX_RETRIES SERVICE_WEBHOOK_POLLING_INTERVAL
  SERVICE_PUBLIC_FLOW_CLEANUP_INTERVAL SERVICE_PUBLIC_FLOW_EXPIRATION
  SERVICE_HIDE_GETTING_STARTED_PROGRESS OPENAI_API_KEY ANTHROPIC_API_KEY OIDC_CLIENT_ID
  OIDC_CLIENT_SECRET OIDC_EXTERNAL_ID_CLAIM SCIM_TOKEN SCIM_TOKENS SCIM_BASE_URL SCIM_USER_NAME
  SCIM_DELETE_USER SCIM_PROVIDER SCIM_SCHEMA_OMIT SCIM_RECREATE SCIM_EMAIL_CONFLICT SCIM_UNIQUE_GROUP_NAMES SCIM_UNKNOWN_MEMBERS SCIM_EMPTY_MEMBERS SCIM_QUIRKS
  SCIM_OAUTH_ISSUER SCIM_OAUTH_KEY SCIM_OAUTH_TTL SCIM_RECONCILE SCIM_SILENCE_SECONDS
  SCIM_PORTAL_DNS SCIM_PORTAL_NAME SCIM_PORTAL_ROLES SCIM_AGENTS SCIM_SIGNALS_ISSUER SCIM_SIGNALS_JWKS SCIM_SIGNALS_AUDIENCE SCIM_PAGE_SIZE SCIM_MAX_PAGE_SIZE SCIM_BULK SCIM_ETAG SCIM_CURSOR SCIM_CURSOR_TTL
  SCIM_JWT_AUDIENCE SCIM_JWT_JWKS SCIM_JWT_TENANT SCIM_ROLES SCIM_ENTITLEMENTS SCIM_PROFILE
  SCIM_OUTBOX SCIM_WEBHOOK_KEY SCIM_CURSOR_SECRET SCIM_AUDIT_LOG SCIM_METRICS_TENANTS
  SCIM_MAX_BODY_KIB SCIM_MAX_JSON_DEPTH SCIM_MAX_PATCH_OPERATIONS SCIM_MAX_PATCH_COMPARISONS
  SCIM_MAX_RESOURCE_LENGTH SCIM_MAX_MEMBERS_PER_REQUEST SCIM_MAX_MEMBERS_PER_ANSWER
  SCIM_MAX_VALUES_PER_ATTRIBUTE SCIM_MAX_STRING_LENGTH SCIM_MAX_FILTER_LENGTH
  SCIM_MAX_FILTER_TERMS SCIM_MAX_FILTER_DEPTH SCIM_MAX_FILTER_COMPARISONS SCIM_MAX_PATH_LENGTH
  SCIM_MAX_ATTRIBUTES_LISTED SCIM_MAX_BULK_OPERATIONS SCIM_MAX_BULK_KIB
`

test('every variable opens something that is listed, or is known to open nothing', () => {
  const known = [...openingVariables.map(({ name }) => name), ...OPEN_NOTHING.trim().split(/\s+/)]
  expect(known.toSorted()).toEqual(
    [...Object.keys(variables), ...Object.keys(scimVariables)].toSorted(),
  )
})

test(
  '--help and the openings reference say what each of these variables opens',
  { tags: ['long'] },
  async () => {
    const page = await readFile(
      new URL('../../../docs/reference/openings.md', import.meta.url),
      'utf8',
    )
    const rows = page.split('\n').filter((line) => line.startsWith('| `'))
    const rowOf = (name: string): string =>
      rows.find((row) => row.split('|')[1]?.includes(`\`${name}\``) === true) ?? ''
    const silent = openingVariables.filter(
      ({ name, opens }) => !rowOf(name).replaceAll('`', '').includes(opens),
    )
    expect(silent).toEqual([])

    const { stdout } = await runToEnd({}, ['--help'])
    const help = stdout.replaceAll(/\s+/g, ' ')
    expect(
      openingVariables.filter(({ name, opens }) => !help.includes(`${name} ${opens}`)),
    ).toEqual([])
  },
)

test('--check lists each of these variables when it opens', () => {
  const values: Readonly<Record<string, string>> = {
    HOST: '0.0.0.0',
    SERVICE_METRICS_PORT: '9464',
    SERVICE_METRICS_HOST: '0.0.0.0',
    SERVICE_PUBLIC_URL: 'https://flows.example.test',
    SERVICE_AUTO_LOGIN_ALLOW_REMOTE: 'true',
    SERVICE_MCP_STDIO_COMMANDS: 'npx',
    SCIM_ENABLED: 'true',
    SCIM_JWT_ISSUER: 'https://issuer.example.test',
    SERVICE_API_KEY_SOURCE: 'env',
    SERVICE_OTEL_CONTENT: 'full',
    SERVICE_ACCESS_SAME_SITE: 'none',
    SERVICE_REFRESH_SAME_SITE: 'none',
  }
  const wrong = openingVariables.filter(({ name }) => {
    const variable: Variable | undefined = { ...variables, ...scimVariables }[name]
    const given =
      values[name] ?? GIVEN[name] ?? (variable?.kind === 'integer' ? '0' : flip(variable?.default))
    const own = name === 'SCIM_ALLOWED_ADDRESSES' ? {} : { [name]: given }
    return !namesFor({ ...values, ...own }).includes(name)
  })
  expect(wrong.map(({ name }) => name)).toEqual([])
})

/** Values that open, of variables that take neither a number nor true and false. */
const GIVEN: Readonly<Record<string, string>> = {
  SERVICE_ALLOWED_HOSTS: 'flows.example.test',
  SERVICE_FRONTEND_PATH: '/srv/editor',
  SERVICE_CORS_ORIGINS: 'https://other.example.test',
  SERVICE_TRUST_PROXY: 'true',
  SERVICE_SSRF_ALLOW: '10.0.0.0/8',
  SERVICE_SQL_ALLOW: 'sqlite:a.db',
  SERVICE_REDIS_HOSTS: 'redis.example.test',
  SERVICE_FINANCE_URL: 'https://finance.example.test',
  OPENAI_BASE_URL: 'http://127.0.0.1:1234',
  ANTHROPIC_BASE_URL: 'http://127.0.0.1:1234',
  OLLAMA_BASE_URL: 'http://127.0.0.1:11434',
  SERVICE_PYTHON_ENV: 'HOME',
  SERVICE_COOKIE_DOMAIN: 'example.test',
  OIDC_ISSUER: 'https://issuer.example.test',
  SERVICE_ACCESS_SECURE: 'false',
  SERVICE_REFRESH_SECURE: 'false',
  // These open by their default.
  SERVICE_FALLBACK_TO_ENV_VAR: 'true',
  SERVICE_PUBLIC_BUILD_READERS: 'true',
  SERVICE_WEBHOOK_AUTH_ENABLE: 'false',
  SERVICE_ACCESS_HTTPONLY: 'false',
}

const flip = (value = 'false'): string => (value === 'true' ? 'false' : 'true')

const shortFor = (environment: Record<string, string>): string[] =>
  shortcomingsOf(readSettings(environment).settings).map(({ name, opens }) => `${name}: ${opens}`)

test('OP-14 --check lists what is unsafe or missing for a public server', () =>
  inFolder(async (folder) => {
    const SERVICE_CONFIG_DIR = join(folder, 'config')
    await mkdir(SERVICE_CONFIG_DIR)
    await chmod(SERVICE_CONFIG_DIR, 0o777)
    for (const name of ['service.db', 'secret_key']) {
      await writeFile(join(SERVICE_CONFIG_DIR, name), '')
      await chmod(join(SERVICE_CONFIG_DIR, name), 0o666)
    }
    const found = shortFor({
      SERVICE_CONFIG_DIR,
      SERVICE_PUBLIC_URL: 'http://flows.example.test',
      SERVICE_AUTO_LOGIN: 'true',
      SERVICE_LOGIN_RATE_LIMIT: 'false',
      SERVICE_SECRET_KEY: 'change-me-change-me-change-me-change-me',
      SERVICE_SUPERUSER_PASSWORD: 'admin',
      SERVICE_METRICS_TOKEN: 'secret',
    })
    for (const line of [
      /^SERVICE_PUBLIC_URL: no TLS/,
      /^SERVICE_AUTO_LOGIN: everyone is the superuser/,
      /^SERVICE_WEBHOOK_AUTH_ENABLE: public webhooks/,
      /^SERVICE_LOGIN_RATE_LIMIT: /,
      /^SERVICE_SECRET_KEY: default or weak/,
      /^SERVICE_SUPERUSER_PASSWORD: default or weak/,
      /^SERVICE_METRICS_TOKEN: default or weak/,
      /^SERVICE_DATABASE_URL: SQLite/,
      /^SERVICE_CONFIG_DIR: .+ writable by others/,
      /^SERVICE_DATABASE_URL: .+service\.db is writable by others/,
      /^SERVICE_SECRET_KEY: its file is readable by others/,
    ])
      expect(found.filter((text) => line.test(text))).toHaveLength(1)
    expect(found.join()).not.toMatch(/change-me/)
  }))

test('OP-14 nothing is reported if everything is set', () => {
  expect(
    shortFor({
      SERVICE_CONFIG_DIR: '/nowhere/at/all',
      SERVICE_PUBLIC_URL: 'https://flows.example.test',
      SERVICE_TRUST_PROXY: '10.0.0.1',
      SERVICE_WEBHOOK_AUTH_ENABLE: 'true',
      SERVICE_SECRET_KEY: 'vX3k9-QmZ7Lp2Rt8Wy4Bn6Cd1Fg5Hj0Ks',
      SERVICE_DATABASE_URL: 'postgres://db.internal/flows',
    }),
  ).toEqual([])
})
