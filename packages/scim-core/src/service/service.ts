import { createService } from '../rules/create-service.ts'
import type { EventSource, ScimEvents } from '../options/events.ts'
import { createHandler, type ScimHandler } from '../http/handler.ts'
import { belowBase, placeOf } from '../http/location.ts'
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

/** Users in process. */
export type ScimUsers = ScimResources<UserResource>
/** Groups in process. */
export type ScimGroups = ScimResources<GroupResource>

/** A SCIM 2.0 service provider. */
export interface ScimService {
  /** Bound; never rejects: every failure is a Response. */
  readonly handle: ScimHandler
  /** Returns whether the path of a request is below the base path. */
  readonly match: (request: Request) => boolean
  /** Notifications, emitted after the commit (SC-73). */
  readonly events: EventSource<ScimEvents>
  /**
   * Announces a write of a user that a host made by the store, such as the removal of one of its own users:
   * the rows of the outbox are written in the running transaction `tx`. What it gives emits the events; call
   * it when the transaction has committed.
   */
  readonly recordUserWrite: (change: OwnUserWrite, tx: ScimStore) => Promise<() => void>
  /** The users, with the same rules, errors and events as over HTTP. */
  readonly users: ScimUsers
  /** The groups, likewise. */
  readonly groups: ScimGroups
  /**
   * The resources of a type of `resourceTypes`. @throws TypeError when there is no type of this name
   */
  readonly resources: (type: string) => ScimResources<ScimResource>
}

/** @throws ScimConfigError naming the option that cannot be used */
export function createScimService(options: ScimOptions): ScimService {
  const service = createService(options)
  const { basePath } = service.config
  return {
    handle: createHandler(service, options),
    match: (request) => belowBase(placeOf(request.url).path, basePath) !== undefined,
    events: service.emitter.source,
    recordUserWrite: (change, tx) => recordUserWrite(service, change, tx),
    users: createInProcess<UserResource>(service, 'User'),
    groups: createInProcess<GroupResource>(service, 'Group'),
    resources: (type) => createInProcess<ScimResource>(service, type),
  }
}

/**
 * The handler of a service alone: `createScimService(options).handle`.
 * @throws ScimConfigError
 */
export function createScimHandler(options: ScimOptions): ScimHandler {
  return createScimService(options).handle
}
