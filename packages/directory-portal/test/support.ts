import {
  createDirectoryPortal,
  createRoleMapping,
  createSyncLog,
  type DirectoryPortal,
  type PortalRole,
  type RoleMapping,
  type RoleMappingOptions,
} from '@x/directory-portal'
import type { DirectoryPortalOptions, PortalStore, SyncLog } from '@x/directory-portal'
import { createMemoryPortalStore } from '@x/directory-portal/memory'
import { createScimService, type ScimService } from '@x/scim-core'
import { createScimConnections } from '@x/scim-core/connections'
import {
  createMemoryConnectionStore,
  createMemoryScimStore,
  createMemoryTokenStore,
} from '@x/scim-core/memory'
import { createTestRuntime, type TestRuntime } from '@x/scim-core/testing'

export const ORIGIN = 'https://acme.example'
export const BASE = `${ORIGIN}/scim/v2`
export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const GUARD = { 'content-type': 'application/json', 'x-directory-portal': '1' }

/** The answer of a portal, with its JSON. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of any form are looked into
  readonly body: any
}

/** A person with an open session. */
export interface Person {
  readonly cookie: string
  readonly token: string
  readonly go: (method: string, path: string, body?: unknown, headers?: object) => Promise<Answer>
}

export interface Harness {
  readonly portal: DirectoryPortal
  readonly store: PortalStore
  readonly service: ScimService
  readonly roles: RoleMapping | undefined
  readonly log: SyncLog
  readonly runtime: TestRuntime
  readonly errors: unknown[]
  readonly ask: (method: string, path: string, init?: object, address?: string) => Promise<Answer>
  readonly open: (more?: object) => Promise<Person>
  readonly scim: (method: string, path: string, body: unknown, token: string) => Promise<Answer>
  readonly scimWith: (authorization: string) => Promise<Answer>
  /** Moves the clock so far that the log is written. */
  readonly written: () => Promise<void>
}

type HarnessOptions = Partial<Omit<DirectoryPortalOptions, 'roles'>> & {
  readonly roles?: readonly PortalRole[]
  readonly onRolesChange?: RoleMappingOptions['onRolesChange']
}

/** A host in memory with a portal, and a clock that stands still. */
export function createHarness(options: HarnessOptions = {}): Harness {
  // Ids are random, because the tags of secrets are made of them.
  const runtime = { ...createTestRuntime(), uuid: () => crypto.randomUUID() }
  const errors: unknown[] = []
  const onError = (error: unknown) => void errors.push(error)
  const { roles: roleList, onRolesChange, ...given } = options
  const store = createMemoryPortalStore({ directory: () => directory })
  const roles =
    roleList &&
    createRoleMapping({ store, roles: roleList, onError, ...(onRolesChange && { onRolesChange }) })
  const directory = createMemoryScimStore(
    roles && { onGroupWrite: roles.onGroupWrite, onUserWrite: roles.onUserWrite },
  )
  const log = createSyncLog({ store, runtime, onError })
  const connections = createScimConnections({
    store: createMemoryConnectionStore(),
    tokens: createMemoryTokenStore(),
    runtime,
    onError,
  })
  const service = createScimService({
    store: directory,
    baseUrl: BASE,
    auth: connections.auth(),
    observe: log.observe,
    runtime,
    onError,
  })
  const portal = createDirectoryPortal({
    connections,
    service,
    store,
    log,
    baseUrl: BASE,
    app: { name: 'Acme App' },
    runtime,
    onError,
    ...(roles && { roles }),
    ...given,
  })
  const ask: Harness['ask'] = async (method, path, init = {}, clientAddress = '192.0.2.1') => {
    const request = new Request(`${ORIGIN}/directory${path}`, { method, ...init })
    return answerOf(await portal.handle(request, { clientAddress }))
  }
  return {
    portal,
    store,
    service,
    roles,
    log,
    runtime,
    errors,
    ask,
    async open(more = {}) {
      const made = await portal.links.create({
        tenant: 'acme',
        actor: 'mira@corp.example',
        ...more,
      })
      const token = new URL(made.url).hash.slice('#open='.length)
      const redeemed = await ask('POST', '/api/session', {
        headers: GUARD,
        body: JSON.stringify({ link: token }),
      })
      if (redeemed.status !== 201) throw new Error(JSON.stringify(redeemed.body))
      const cookie = redeemed.headers.get('set-cookie')?.split(';')[0] ?? ''
      return {
        cookie,
        token,
        go: (method, path, body, headers = {}) =>
          ask(method, `/api${path}`, {
            headers: { cookie, ...(method !== 'GET' && GUARD), ...headers },
            ...(body !== undefined && { body: JSON.stringify(body) }),
          }),
      }
    },
    async scim(method, path, body, token) {
      const request = new Request(BASE + path, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      return answerOf(await service.handle(request, { clientAddress: '198.51.100.7' }))
    },
    async scimWith(authorization) {
      const request = new Request(`${BASE}/Users`, { headers: { authorization } })
      return answerOf(await service.handle(request))
    },
    async written() {
      await runtime.advance(300)
      await log.flush()
    },
  }
}

export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') === true && text !== ''
  const body: unknown = isJson ? JSON.parse(text) : text
  return { status: response.status, headers: response.headers, body }
}
