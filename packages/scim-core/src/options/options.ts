import { createSystemRuntime, type Metrics, type RequestHooks, type Runtime } from '@x/wire'
import { createAddressFilter, type AddressFilter } from '../base/addresses.ts'
import { schemesOf, type AuthenticationScheme, type ScimAuth } from './auth.ts'
import { ScimConfigError } from '../base/errors.ts'
import type { ScimAuditEntry } from './events.ts'
import type { ScimObservation } from './observation.ts'
import type { FilterLimits } from '../filter/parse.ts'
import { readBasePath } from './base-path.ts'
import { readMetricTenants } from './metric-tenants.ts'
import { completeLimits, type ScimLimits } from '../base/limits.ts'
import type { ConnectionSettings } from '../base/connection-settings.ts'
import type { ScimContext, ScimPrincipal } from '../base/principal.ts'
import { SCIM_PROFILES, type RateLimit, type ScimProfile } from '../base/profiles.ts'
import { completeQuirks, type ScimQuirk } from '../base/quirks.ts'
import type { ScimDocument } from '../base/document.ts'
import type { ScimExtension } from '../schema/extension.ts'
import { createSchemas, type ResourceSchemas, type ResourceTypeName } from '../schema/registry.ts'
import { createTypeSchemas } from '../schema/resource-type.ts'
import { withProfile, type ProfileConfig } from './profile-options.ts'
import { servedType, type ScimResourceType, type ServedType } from './resource-type.ts'
import type { ScimStore } from '../store/scim-store.ts'
import { deletion } from './deletion.ts'
import { readSchemaOmit } from './schema-omit.ts'
import { userNameCheck } from './user-name-check.ts'

/** A change the host may veto inside the transaction. */
export interface ScimChange {
  readonly kind: 'create' | 'update' | 'delete'
  readonly resourceType: ResourceTypeName
  readonly tenant: string
  readonly actor: string | null
  readonly before: ScimDocument | null
  readonly after: ScimDocument | null
  /** For a group whose members change: the numbers of additions and removals. */
  readonly memberChange: { readonly added: number; readonly removed: number } | null
}

/** Arguments of `beforeCommit`. */
export interface ScimTools {
  /** The store of the transaction, which sees its uncommitted changes. */
  readonly store: ScimStore
  /** The `transaction` argument of store hooks. */
  readonly handle: unknown
  readonly context: ScimContext
  readonly requestId: string
  /** The added and removed members, at most 1,000 ids at a time. */
  readonly members: () => AsyncIterable<{
    readonly added: readonly string[]
    readonly removed: readonly string[]
  }>
}

/** Cursor paging (RFC 9865). */
export interface CursorOptions {
  /** Lifetime of a cursor in seconds. Default 600. */
  readonly ttl?: number
  /** Key that signs cursors. Default: random per service. */
  readonly secret?: string
}

/** Options of a service; D-numbers refer to decisions of the specification. */
export interface ScimOptions {
  readonly store: ScimStore
  /** Absolute URL with path; all URLs in responses are derived from it (D19). */
  readonly baseUrl: string | ((tenant: string) => string)
  /** Where the handler is mounted. Default: the path of `baseUrl`; required if that is a function. */
  readonly basePath?: string
  /** One method, or several: the first one that knows a credential decides. */
  readonly auth: ScimAuth | readonly ScimAuth[]
  /** If false, every request gets 401 (D1). Default true. */
  readonly enabled?: boolean
  /** The tenant of a request; null: no tenant is served at its host, which is answered with 404. */
  readonly resolveTenant?: (
    request: Request,
    context: ScimContext,
  ) => string | null | Promise<string | null>
  /** Returns the id of the user for `/Me`. Without it `/Me` returns 501. */
  readonly resolveMe?: (principal: ScimPrincipal) => string | null | Promise<string | null>
  /**
   * Called inside the transaction, after all its writes and store hooks, once for the resource the request
   * changes. Throwing rolls back the request; a ScimError is returned to the client.
   */
  readonly beforeCommit?: (change: ScimChange, tools: ScimTools) => void | Promise<void>
  /** The older form of `beforeCommit`, without tools; the two cannot be combined. */
  readonly beforeWrite?: (change: ScimChange, context: ScimContext) => void | Promise<void>
  /** Called with every audit entry, in addition to the event `audit`. */
  readonly audit?: (entry: ScimAuditEntry) => void | Promise<void>
  /**
   * Called with every finished request and what it sent, for a log that is shown to people. Called after the
   * answer was decided; must not delay it.
   */
  readonly observe?: (entry: ScimObservation) => void
  /**
   * Called with errors that result in a 500 response, and errors thrown by listeners and callbacks.
   * Default: `console.error` with the request id.
   */
  readonly onError?: (error: unknown, info: { readonly requestId: string }) => void
  /** Counts requests and operations; created with `createMetrics` from any `/metrics` entry point. Default: none. */
  readonly metrics?: Metrics
  /**
   * Number of tenants counted by name in `scim_tenant_operations_total`, in order of appearance, at most
   * 1,000; others count as `other`. Default 0: operations are not counted by tenant.
   */
  readonly metricTenants?: number
  /** Observes requests. Default: none. */
  readonly requestHooks?: RequestHooks
  /** Response for paths outside the base path: `respond` sends 404 (default); `pass` sends 404 with x-scim-outside. */
  readonly outsideBase?: 'respond' | 'pass'
  readonly runtime?: Runtime
  readonly limits?: Partial<ScimLimits>
  /** Tolerances of section 11. Default `all`. */
  readonly quirks?: 'all' | 'none' | Partial<Record<ScimQuirk, boolean>>
  /**
   * Validates a new userName (D7). `email` and `any` reject invisible characters, which make names look
   * alike; a function decides alone. Default `email`.
   */
  readonly userName?: 'email' | 'any' | ((value: string) => boolean)
  /**
   * Uniqueness of addresses: the userName, and the primary or only e-mail address. `primary`: an address of a
   * new user must not be an address of another one, and a changed primary e-mail address not another user's
   * userName. `userName`: only the latter, for new users too. Default `primary`.
   */
  readonly emailConflict?: 'primary' | 'userName' | 'off'
  /**
   * A new user with the userName of one who is not active takes that user over, with its id: `same` when both
   * have the same externalId; `name` also when neither has one; `externalId` also when one user who is not
   * active has the externalId under another userName; `never` not at all. Default `same`.
   */
  readonly recreate?: 'same' | 'name' | 'externalId' | 'never'
  /** Effect of deleting a user (D3). Default `deactivate`. */
  readonly deleteUser?: 'deactivate' | 'tombstone' | 'remove'
  /** Users have the enterprise extension. Default true (D6). */
  readonly enterprise?: boolean
  /** Requires unique group names (D23). Default true. */
  readonly uniqueGroupNames?: boolean
  /** Handling of unknown group members (D13). Default `reject`. */
  readonly unknownMembers?: 'reject' | 'skip'
  /** Effect of a PUT without members (D11). Default `clear`. */
  readonly putWithoutMembers?: 'clear' | 'keep'
  /** Number of members above which PATCH of a group returns 204 (D12). Default 1000. */
  readonly patchBodyMembers?: number
  /** Allows groups as members (D22). Default false. */
  readonly nestedGroups?: boolean
  /** Representation of an empty group's members (D25). Default `array`. */
  readonly emptyMembers?: 'array' | 'omit'
  /** Allows discovery without credentials (D9). Default false. */
  readonly publicDiscovery?: boolean
  /** Enables Bulk (D5). Default false. */
  readonly bulk?: boolean
  /** Enables entity tags (D5). Default false. */
  readonly etag?: boolean
  /** Enables cursor paging (D5). Default false. */
  readonly cursor?: boolean | CursorOptions
  /** Schema extensions (D5). Default: none. */
  readonly extensions?: readonly ScimExtension[]
  /** Writes every event to the store's outbox in the transaction of the change. Default false. */
  readonly outbox?: boolean
  /** The host's own resource types, served like groups without members. */
  readonly resourceTypes?: readonly ScimResourceType[]
  /** Shown in ServiceProviderConfig. Default: derived from `auth`. */
  readonly authenticationSchemes?: readonly AuthenticationScheme[]
  /** Shown in ServiceProviderConfig. */
  readonly documentationUri?: string
  /**
   * Attributes left out of `/Schemas`, such as `members.$ref`, for clients that stumble over them; they keep
   * working. Default: none.
   */
  readonly schemaOmit?: readonly string[]
  /** Shown in ServiceProviderConfig. Default: none. */
  readonly securityEvents?: { readonly eventUris: readonly string[] }
  /** Default page size (D20). Default 100. */
  readonly pageSize?: number
  /** Maximum page size (D20). Default 200. */
  readonly maxPageSize?: number
  /** Handling of unknown attributes. Default `ignore`. */
  readonly unknownAttributes?: 'ignore' | 'reject'
  /** Rejects PATCH operations without a path. Default false. */
  readonly requirePatchPath?: boolean
  /**
   * Effect of PATCH on a complex value: `merge` sets the given sub-attributes, `whole` also removes the
   * others. Default `merge`.
   */
  readonly replaceComplex?: 'merge' | 'whole'
  /** Handling of passwords: dropped (`ignore`), or rejected with 400. They are never stored. Default `ignore`. */
  readonly password?: 'ignore' | 'reject'
  /** Requests per tenant in this process; further ones get 429. Default: unlimited. */
  readonly rateLimit?: RateLimit
  /** The profile the options follow; part of each entry of `SCIM_PROFILES`. */
  readonly profile?: ScimProfile
  /** Addresses and CIDR ranges; others get 403. Default: all. */
  readonly allowedAddresses?: readonly string[]
  /** Audit entries contain user names. Default false. */
  readonly auditUserNames?: boolean
  /**
   * Remembers in the store which directory named each user when, for `createReconciliation`. Default true, if the
   * store can.
   */
  readonly rememberActivity?: boolean
}

/** Validated options with defaults applied. */
export interface ScimConfig extends ProfileConfig {
  readonly store: ScimStore
  readonly schemas: ResourceSchemas
  /** The host's own types by name. */
  readonly types: ReadonlyMap<string, ServedType>
  readonly baseUrl: (tenant: string) => string
  readonly basePath: string
  readonly runtime: Runtime
  readonly limits: ScimLimits
  readonly metricTenants: number
  /** Limits of filters in queries, resolved once. */
  readonly filterLimits: FilterLimits
  readonly checkUserName: (value: string) => void
  readonly emailConflict: 'primary' | 'userName' | 'off'
  readonly recreate: 'same' | 'name' | 'externalId' | 'never'
  readonly uniqueGroupNames: boolean
  readonly unknownMembers: 'reject' | 'skip'
  readonly putWithoutMembers: 'clear' | 'keep'
  readonly patchBodyMembers: number
  readonly nestedGroups: boolean
  readonly emptyMembers: 'array' | 'omit'
  readonly pageSize: number
  readonly maxPageSize: number
  readonly addresses: AddressFilter | null
  readonly outbox: boolean
  readonly authenticationSchemes: readonly AuthenticationScheme[]
  readonly documentationUri: string | undefined
  /** Paths left out of `/Schemas`, in lower case. */
  readonly schemaOmit: ReadonlySet<string>
  /** null: not shown. */
  readonly eventUris: readonly string[] | null
}

/** Applies the defaults to checked options. @throws ScimConfigError for values that contradict each other */
export function completeOptions(options: ScimOptions): ScimConfig {
  const { baseUrl, cursor = false, allowedAddresses = [], resourceTypes = [] } = options
  const maxPageSize = options.maxPageSize ?? 200
  const limits = completeLimits(options.limits)
  const quirks = completeQuirks(options.quirks)
  const schemas = allSchemas(options)
  return {
    store: options.store,
    schemas,
    types: new Map(resourceTypes.map((type) => [type.name, servedType(type)])),
    baseUrl: readBaseUrl(baseUrl),
    basePath: readBasePath(options),
    runtime: options.runtime ?? createSystemRuntime(),
    limits,
    metricTenants: readMetricTenants(options.metricTenants),
    quirks,
    filterLimits: {
      filterLength: limits.filterLength,
      filterTerms: limits.filterTerms,
      filterDepth: limits.filterDepth,
      bareFilterValues: quirks.bareFilterValues,
      valuePathSub: quirks.valuePathSub,
    },
    checkUserName: userNameCheck(options.userName ?? 'email'),
    emailConflict: options.emailConflict ?? 'primary',
    recreate: options.recreate ?? 'same',
    deleteUser: deletion(options.deleteUser ?? 'deactivate', options.store),
    uniqueGroupNames: options.uniqueGroupNames ?? true,
    unknownMembers: options.unknownMembers ?? 'reject',
    putWithoutMembers: options.putWithoutMembers ?? 'clear',
    patchBodyMembers: options.patchBodyMembers ?? 1_000,
    nestedGroups: options.nestedGroups ?? false,
    emptyMembers: options.emptyMembers ?? 'array',
    bulk: options.bulk ?? false,
    etag: options.etag ?? false,
    cursor: cursor === false ? null : readCursor(cursor === true ? {} : cursor),
    pageSize: Math.min(options.pageSize ?? 100, maxPageSize),
    maxPageSize,
    rejectUnknown: options.unknownAttributes === 'reject',
    requirePatchPath: options.requirePatchPath ?? false,
    replaceComplex: options.replaceComplex ?? 'merge',
    rejectPassword: options.password === 'reject',
    rateLimit: options.rateLimit ?? null,
    profile: options.profile,
    addresses: allowedAddresses.length === 0 ? null : createAddressFilter(allowedAddresses),
    outbox: needsOutbox(options),
    authenticationSchemes: options.authenticationSchemes ?? schemesOf(options.auth),
    documentationUri: options.documentationUri,
    schemaOmit: readSchemaOmit(options.schemaOmit, schemas),
    eventUris: options.securityEvents?.eventUris ?? null,
  }
}

/** The options overridden by those of a connection. */
export function withSettings(config: ScimConfig, settings: ConnectionSettings): ScimConfig {
  const {
    quirks: given,
    userName,
    profile,
    paused: _paused,
    silenceAfter: _silence,
    ...words
  } = settings
  const base =
    profile === undefined ? config : withProfile(config, SCIM_PROFILES[profile], readCursor({}))
  const quirks = given === undefined ? base.quirks : completeQuirks(given)
  return {
    ...base,
    ...words,
    quirks,
    filterLimits: {
      ...base.filterLimits,
      bareFilterValues: quirks.bareFilterValues,
      valuePathSub: quirks.valuePathSub,
    },
    ...(userName !== undefined && { checkUserName: userNameCheck(userName) }),
  }
}

/** The schemas of users and groups, then those of the host's own types in the given order. */
function allSchemas(options: ScimOptions): ResourceSchemas {
  const own = createTypeSchemas(options.resourceTypes ?? [])
  return {
    ...createSchemas(options),
    ...Object.fromEntries(own.map((schema) => [schema.resourceType, schema])),
  }
}

function needsOutbox({ outbox = false, store }: ScimOptions): boolean {
  if (!outbox || store.outbox !== undefined) return outbox
  throw new ScimConfigError('outbox', 'The store has no outbox')
}

function readCursor({ ttl = 600, secret }: CursorOptions): NonNullable<ScimConfig['cursor']> {
  if (secret !== undefined && secret === '')
    throw new ScimConfigError('cursor', 'cursor.secret is empty')
  return { ttl, secret }
}

function readBaseUrl(baseUrl: ScimOptions['baseUrl']): (tenant: string) => string {
  if (typeof baseUrl === 'function') return (tenant) => withoutSlash(baseUrl(tenant))
  const fixed = withoutSlash(baseUrl)
  return () => fixed
}

function withoutSlash(text: string): string {
  return text.endsWith('/') ? text.slice(0, -1) : text
}
