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
  tagged,
  text,
  texts,
  webAddress,
  type OptionKinds,
} from '@x/wire'
import { ScimConfigError } from '../base/errors.ts'
import { defaultLimits } from '../base/limits.ts'
import { SCIM_QUIRKS } from '../base/quirks.ts'
import type { ScimOptions } from './options.ts'

const each = (names: readonly string[], kind: typeof flag): OptionKinds =>
  Object.fromEntries(names.map((name) => [name, kind]))

const isFunction = (value: unknown): boolean => typeof value === 'function'
const isText = (value: unknown): boolean => typeof value === 'string'
const isBoolean = (value: unknown): boolean => typeof value === 'boolean'

const scheme = { scheme: anything }
const method = tagged('kind', {
  token: { token: required(text) },
  tokens: { service: required(implementing('token service', 'authenticate')) },
  bearer: { ...scheme, authenticate: required(callback), misplaced: callback, answered: callback },
  host: { ...scheme, authenticate: required(callback) },
})

const check = optionCheck<ScimOptions>('scim-options.md', {
  store: required(
    implementing(
      'ScimStore',
      ...['get', 'insert', 'update', 'remove', 'briefs', 'list'].map((name) => `users.${name}`),
      ...['get', 'insert', 'update', 'remove', 'briefs', 'list'].map((name) => `groups.${name}`),
      ...['add', 'remove', 'clear', 'removeUser', 'count', 'has', 'list', 'groupsOf'].map(
        (name) => `members.${name}`,
      ),
      'transaction',
    ),
  ),
  baseUrl: required(either(isFunction, callback, webAddress)),
  basePath: mountPath,
  auth: required({
    read(value, place) {
      if (!Array.isArray(value)) return method.read(value, place)
      return value.map((one, index) => method.read(one, { ...place, path: `auth.${index}` }))
    },
  }),
  enabled: flag,
  resolveTenant: callback,
  resolveMe: callback,
  beforeCommit: callback,
  beforeWrite: callback,
  audit: callback,
  observe: callback,
  onError: callback,
  metrics: anything,
  metricTenants: integer(0),
  requestHooks: anything,
  outsideBase: choice('respond', 'pass'),
  runtime: implementing('Runtime', 'now', 'uuid'),
  limits: options(each(Object.keys(defaultLimits), integer(1))),
  quirks: either(isText, choice('all', 'none'), options(each(SCIM_QUIRKS, flag))),
  userName: either(isFunction, callback, choice('email', 'any')),
  emailConflict: choice('primary', 'userName', 'off'),
  recreate: choice('same', 'name', 'externalId', 'never'),
  deleteUser: choice('deactivate', 'tombstone', 'remove'),
  enterprise: flag,
  uniqueGroupNames: flag,
  unknownMembers: choice('reject', 'skip'),
  putWithoutMembers: choice('clear', 'keep'),
  patchBodyMembers: integer(0),
  nestedGroups: flag,
  emptyMembers: choice('array', 'omit'),
  publicDiscovery: flag,
  bulk: flag,
  etag: flag,
  cursor: either(isBoolean, flag, options({ ttl: integer(1), secret: text })),
  extensions: list,
  outbox: flag,
  resourceTypes: list,
  authenticationSchemes: list,
  documentationUri: text,
  securityEvents: implementing('SecurityEvents'),
  pageSize: integer(1),
  maxPageSize: integer(1),
  unknownAttributes: choice('ignore', 'reject'),
  requirePatchPath: flag,
  replaceComplex: choice('merge', 'whole'),
  password: choice('ignore', 'reject'),
  rateLimit: options({ perSecond: required(amount(25)), burst: integer(1) }),
  profile: anything,
  allowedAddresses: texts,
  schemaOmit: texts,
  auditUserNames: flag,
  rememberActivity: flag,
})

/** The options of a service as they were given, each read once. @throws ScimConfigError */
export function readScimOptions(called: string, given: unknown): ScimOptions {
  try {
    const read = check(called, given)
    if (typeof read.baseUrl === 'function' && read.basePath === undefined)
      throw new OptionError(
        'basePath',
        `${called}: option "basePath" is required when baseUrl is a function`,
        'scim-options.md',
      )
    if (read.beforeCommit !== undefined && read.beforeWrite !== undefined)
      throw new OptionError(
        'beforeCommit',
        `${called}: options "beforeWrite" and "beforeCommit" exclude each other`,
        'scim-options.md',
      )
    return read
  } catch (error) {
    if (!(error instanceof OptionError)) throw error
    throw new ScimConfigError(error.option, error.message)
  }
}
