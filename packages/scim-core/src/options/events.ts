import { createEvents, type Events } from '@x/wire'
import type { ScimType } from '../base/errors.ts'
import type { ScimDocument } from '../base/document.ts'

export type { EventSource } from '@x/wire'

/** Fields of every event. */
export interface ScimEventBase {
  /** RFC 3339, UTC with milliseconds. */
  readonly at: string
  readonly tenant: string
  readonly requestId: string
  /** Id of the principal; null for in-process calls. */
  readonly actor: string | null
  /** Id of the resource (or token). */
  readonly id: string
}

interface Changed {
  readonly before: ScimDocument
  readonly after: ScimDocument
  /** Names of attributes; extensions by URN. */
  readonly changed: readonly string[]
}

interface StatusChanged {
  readonly reason: 'put' | 'patch' | 'delete'
}

/** The change of a group's members; the lists are cut off after 1000 ids. */
export interface MembersChanged {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly addedCount: number
  readonly removedCount: number
}

/** The notifications of a service, emitted after the commit. */
export interface ScimEvents {
  'user.created': ScimEventBase & {
    readonly after: ScimDocument
    /** How the user took over an existing account of the host. */
    readonly adopted?: ScimAuditEntry['adopted']
  }
  'user.updated': ScimEventBase & Changed
  'user.activated': ScimEventBase & StatusChanged
  'user.deactivated': ScimEventBase & StatusChanged
  'user.deleted': ScimEventBase & { readonly mode: 'tombstone' | 'remove' }
  'group.created': ScimEventBase & { readonly after: ScimDocument }
  'group.updated': ScimEventBase & Changed
  'group.deleted': ScimEventBase
  'group.members.changed': ScimEventBase & MembersChanged
  'resource.created': ScimEventBase & { readonly after: ScimDocument }
  'resource.updated': ScimEventBase & Changed
  'resource.deleted': ScimEventBase
  'token.issued': ScimEventBase & { readonly tokenId: string }
  'token.rotated': ScimEventBase & { readonly tokenId: string }
  'token.revoked': ScimEventBase & { readonly tokenId: string }
  audit: { readonly entry: ScimAuditEntry }
  error: { readonly at: string; readonly requestId: string; readonly error: unknown }
}

export type ScimEventName = keyof ScimEvents

/** The outcome of a request, without any values. */
export interface ScimAuditEntry {
  readonly at: string
  readonly requestId: string
  readonly tenant: string | null
  readonly actor: string | null
  readonly op:
    | 'create'
    | 'read'
    | 'list'
    | 'search'
    | 'replace'
    | 'patch'
    | 'delete'
    | 'bulk'
    | 'discover'
    | 'other'
  readonly resourceType: string | null
  readonly resourceId: string | null
  readonly status: number
  readonly scimType?: ScimType
  /** Names of attributes. */
  readonly changed: readonly string[]
  readonly members?: { readonly added: number; readonly removed: number }
  /** Paths in the request that were not stored, as sent: at most 20, each of at most 100 characters. */
  readonly ignored?: readonly string[]
  /** The number of all of them, if there are more than 20. */
  readonly ignoredCount?: number
  /** Canonical paths whose value was stored in another form than sent: at most 20. */
  readonly adjusted?: readonly string[]
  /** How a create took over an existing account. */
  readonly adopted?: 'userName' | 'externalId' | 'email' | 'recreated' | 'manual'
  /** With status 409: what is in use, or held by an account that the directory does not manage. */
  readonly conflict?: 'userName' | 'email' | 'groupName' | 'unmanaged'
  /** Names of the events emitted. */
  readonly events: readonly string[]
  readonly durationMs: number
  /** The streamed response ended prematurely: it failed, or the client disconnected. */
  readonly aborted?: true
  /** Id of the caller's connection. */
  readonly connectionId?: string
  /** Only if `auditUserNames` is set. */
  readonly userName?: string
}

/** The emitter of a service, which knows whether it has listeners. */
export type ScimEmitter = Events<ScimEvents>

export function createScimEmitter(onError: (error: unknown) => void): ScimEmitter {
  return createEvents<ScimEvents>(TYPES, onError)
}

const TYPES: Readonly<Record<ScimEventName, true>> = {
  'user.created': true,
  'user.updated': true,
  'user.activated': true,
  'user.deactivated': true,
  'user.deleted': true,
  'group.created': true,
  'group.updated': true,
  'group.deleted': true,
  'group.members.changed': true,
  'resource.created': true,
  'resource.updated': true,
  'resource.deleted': true,
  'token.issued': true,
  'token.rotated': true,
  'token.revoked': true,
  audit: true,
  error: true,
}
