import { pathBelow } from '@x/wire'
import {
  acquireActiveUser,
  type Acquired,
  type ActiveUserWork,
  type SignInName,
} from '../rules/acquire-active-user.ts'
import { assertOutsideHook, hookOwnerOf } from '../store/hooks.ts'
import { createService } from '../rules/create-service.ts'
import type { EventSource, ScimEvents } from '../options/events.ts'
import { readScimOptions } from '../options/read-options.ts'
import { createHandler, type ScimHandler } from '../http/handler.ts'
import { parseTarget } from '../http/location.ts'
import {
  createInProcess,
  type GroupResource,
  type ScimResource,
  type ScimResources,
  type UserResource,
} from './in-process.ts'
import type { ScimOptions } from '../options/options.ts'
import { recordUserWrite, type OwnUserWrite } from '../rules/record-user-write.ts'
import type { ScimStore } from '../store/scim-store.ts'

/** In-process access to users. */
export type ScimUsers = ScimResources<UserResource>
/** In-process access to groups. */
export interface ScimGroups extends ScimResources<GroupResource> {
  /** The number of direct members of a group; the store may stop counting at `upTo`. */
  countMembers(tenant: string, id: string, upTo?: number): Promise<number>
}

/** A SCIM 2.0 service provider. */
export interface ScimService {
  /** The request handler, bound to the service. Never rejects: all errors become responses. */
  readonly handle: ScimHandler
  /** Returns whether the path of a request is below the base path. */
  readonly match: (request: Request) => boolean
  /** Notifications, emitted after the commit. */
  readonly events: EventSource<ScimEvents>
  /**
   * Announces a user write that a host made through the store, such as the removal of one of its own users:
   * writes the outbox rows in the running transaction `tx`. Returns a function that emits the events; call
   * it after the commit.
   */
  readonly recordUserWrite: (change: OwnUserWrite, tx: ScimStore) => Promise<() => void>
  /**
   * Signs a person in beside the directory: runs `work` in the transaction that checks the person to be
   * active, with the record locked, so that no session of somebody who was deactivated can begin.
   * @throws TypeError unless `who` has exactly one of the names; what `work` throws, after the roll-back
   */
  readonly acquireActiveUser: <T>(
    tenant: string,
    who: SignInName,
    work: ActiveUserWork<T>,
  ) => Promise<Acquired<T>>
  /** Users, with the same rules, errors and events as over HTTP. */
  readonly users: ScimUsers
  /** Groups, likewise. */
  readonly groups: ScimGroups
  /** Resources of a type in `resourceTypes`. @throws TypeError for an unknown type */
  readonly resources: (type: string) => ScimResources<ScimResource>
}

/**
 * Creates a SCIM service.
 * @throws ScimConfigError naming the invalid option
 */
export function createScimService(options: ScimOptions): ScimService {
  return createChecked(readScimOptions('createScimService', options))
}

function createChecked(options: ScimOptions): ScimService {
  const service = createService(options)
  const { basePath } = service.config
  return {
    handle: createHandler(service, options),
    match: (request) => pathBelow(parseTarget(request.url).path, basePath) !== undefined,
    events: service.emitter.source,
    recordUserWrite: (change, tx) => recordUserWrite(service, change, tx),
    acquireActiveUser(tenant, who, work) {
      assertOutsideHook(hookOwnerOf(service.config.store), 'acquireActiveUser')
      return acquireActiveUser(service, tenant, who, work)
    },
    users: createInProcess<UserResource>(service, 'User'),
    groups: {
      ...createInProcess<GroupResource>(service, 'Group'),
      countMembers: (tenant, id, upTo) => service.config.store.members.count(tenant, id, upTo),
    },
    resources: (type) => createInProcess<ScimResource>(service, type),
  }
}

/**
 * Creates only the handler of a service: `createScimService(options).handle`.
 * @throws ScimConfigError
 */
export function createScimHandler(options: ScimOptions): ScimHandler {
  return createChecked(readScimOptions('createScimHandler', options)).handle
}
