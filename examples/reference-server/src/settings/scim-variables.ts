import { addressRange, adoption, webAddress } from './forms.ts'
import { choice, flag, integer, list, secret, text, type Variable } from './variable.ts'

/** The SCIM variables, listed here for `--help`; `readScimSettings` reads them. */
export const scimVariables = {
  SCIM_ENABLED: flag('enables provisioning'),
  SCIM_TOKEN: secret(
    'bearer token, required if enabled without other credentials; at least 16 characters, except on loopback',
  ),
  SCIM_TOKENS: secret('further tokens: JSON list of {id, token, tenant?, scopes?, ...}'),
  SCIM_OAUTH_CLIENTS: secret(
    'OAuth clients: JSON list of {id, secrets: [{secret, expiresAt}]} or {id, federation}',
  ),
  SCIM_OAUTH_ISSUER: {
    ...text('issuer of access tokens; default: SERVICE_PUBLIC_URL + /api/v1/scim/oauth'),
    form: webAddress,
  },
  SCIM_OAUTH_TTL: {
    ...integer('lifetime of access tokens, in seconds, 3600 to 21600', 3600, 3600),
    max: 21_600,
  },
  SCIM_OAUTH_KEY: secret(
    'private P-256 key that signs access tokens, as JWK or PEM; default: made once and kept in the database',
  ),
  SCIM_BASE_URL: {
    ...text('base URL of SCIM; default: SERVICE_PUBLIC_URL + /api/v1/scim/v2'),
    form: webAddress,
  },
  SCIM_USER_NAME: choice('allowed user names', ['email', 'any']),
  SCIM_DELETE_USER: choice('effect of deleting a user', ['deactivate', 'tombstone', 'remove']),
  SCIM_PROVIDER: choice('directory whose needs are the defaults', [
    'other',
    'entra',
    'okta',
    'google',
    'onelogin',
    'jumpcloud',
    'ping',
    'sailpoint',
  ]),
  SCIM_EMAIL_CONFLICT: choice('addresses that no two users may share', [
    'primary',
    'userName',
    'off',
  ]),
  SCIM_RECREATE: choice('who comes back when a deactivated user is created again', [
    'same',
    'name',
    'externalId',
    'never',
  ]),
  SCIM_ADOPT_USERS: {
    ...text('links existing users of the same name: off or userName', 'off'),
    form: adoption,
  },
  SCIM_CONNECTIONS: flag('enables connections, which superusers manage over HTTP'),
  SCIM_PORTAL: flag(
    'the portal for administrators of customers at /directory; needs SCIM_CONNECTIONS',
  ),
  SCIM_PORTAL_NAME: text(
    'name of the product in the portal; default: the host of SERVICE_PUBLIC_URL',
  ),
  SCIM_PORTAL_ROLES: text(
    'roles that groups give in the portal: JSON list of {value, name, description}; default: none',
  ),
  SCIM_PORTAL_DNS: text(
    "DNS server that domains are looked up at, address:port; default: the system's",
  ),
  SCIM_RECONCILE: flag('remembers which directory named each user when, for the report', true),
  SCIM_SILENCE_SECONDS: {
    ...integer('seconds without a request of a directory that are an alarm; 0: none', 86_400),
    max: 31_536_000,
  },
  SCIM_SCHEMA_OMIT: list('attributes left out of /Schemas, such as members.$ref'),
  SCIM_PUBLIC_DISCOVERY: flag('allows discovery without a token'),
  SCIM_UNIQUE_GROUP_NAMES: flag('refuses duplicate group names', true),
  SCIM_UNKNOWN_MEMBERS: choice('treatment of unknown members of a group', ['reject', 'skip']),
  SCIM_EMPTY_MEMBERS: choice('representation of the members of an empty group', ['array', 'omit']),
  SCIM_QUIRKS: text('workarounds for directories: all, none, or a comma-separated list', 'all'),
  SCIM_PAGE_SIZE: integer('page size', 100, 1),
  SCIM_MAX_PAGE_SIZE: integer('largest page', 200, 1),
  SCIM_BULK: flag('enables the Bulk operation'),
  SCIM_ETAG: flag('enables entity tags'),
  SCIM_CURSOR: flag('enables cursor paging'),
  SCIM_CURSOR_TTL: integer('lifetime of a cursor, in seconds', 600, 1),
  SCIM_JWT_ISSUER: text('issuer of signed access tokens; needs audience, JWKS and tenant'),
  SCIM_JWT_AUDIENCE: text('required audience of signed access tokens'),
  SCIM_JWT_JWKS: { ...text('URL of the keys of the issuer'), form: webAddress },
  SCIM_JWT_TENANT: text('tenant of signed access tokens', 'default'),
  SCIM_ROLES: text("JSON list of {id, displayName}, served as roles in Okta's format"),
  SCIM_ENTITLEMENTS: text('JSON list of {id, displayName}, served as entitlements in the same way'),
  SCIM_PROFILE: choice('profile whose options are the defaults', ['none', 'interop', 'ipsie-al2']),
  SCIM_OUTBOX: flag('stores each change as an event for webhooks'),
  SCIM_WEBHOOK_KEY: secret(
    'enables webhooks; key that encrypts their secrets, at least 32 characters',
  ),
  SCIM_CURSOR_SECRET: secret('key that signs cursors; default: random per process'),
  SCIM_AUDIT_LOG: text('audit log: stdout or a file', 'stdout'),
  SCIM_ALLOWED_ADDRESSES: {
    ...list('addresses or CIDR ranges of the identity provider; default: all'),
    form: addressRange,
  },
  SCIM_METRICS_TENANTS: {
    ...integer('tenants counted by name in metrics; 0: metrics have no tenants', 0),
    max: 1000,
  },
  SCIM_MAX_BODY_KIB: integer('size of a request body in KiB', 1024, 1),
  SCIM_MAX_JSON_DEPTH: integer('nesting depth of a request body', 16, 1),
  SCIM_MAX_PATCH_OPERATIONS: integer('operations of one PATCH', 1000, 1),
  SCIM_MAX_PATCH_COMPARISONS: integer('comparisons of elements in one PATCH', 1_000_000, 1),
  SCIM_MAX_RESOURCE_LENGTH: integer('characters of one resource after a PATCH', 1_048_576, 1),
  SCIM_MAX_MEMBERS_PER_REQUEST: integer('group members in one request', 10_000, 1),
  SCIM_MAX_MEMBERS_PER_ANSWER: integer('group members in one response', 5_000_000, 1),
  SCIM_MAX_VALUES_PER_ATTRIBUTE: integer('values of one attribute, except members', 1000, 1),
  SCIM_MAX_STRING_LENGTH: integer('characters of one string', 65_536, 1),
  SCIM_MAX_FILTER_LENGTH: integer('characters of a filter', 4096, 1),
  SCIM_MAX_FILTER_TERMS: integer('terms of a filter', 64, 1),
  SCIM_MAX_FILTER_DEPTH: integer('nesting of a filter', 32, 1),
  SCIM_MAX_FILTER_COMPARISONS: integer(
    'terms of a long filter that no index answers, times resources',
    1_000_000,
    1,
  ),
  SCIM_MAX_PATH_LENGTH: integer('characters of the path of a PATCH operation', 1024, 1),
  SCIM_MAX_ATTRIBUTES_LISTED: integer('names in attributes and excludedAttributes', 64, 1),
  SCIM_MAX_BULK_OPERATIONS: integer('operations of one Bulk request', 1000, 1),
  SCIM_MAX_BULK_KIB: integer('KiB of the body of a Bulk request', 1024, 1),
} as const satisfies Record<string, Variable>
