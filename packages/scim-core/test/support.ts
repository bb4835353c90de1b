import {
  createScimService,
  type ScimEvents,
  type ScimOptions,
  type ScimService,
} from '@x/scim-core'
import { createMemoryScimStore } from '@x/scim-core/memory'
import {
  createScimClient,
  createTestRuntime,
  type ScimAnswer,
  type ScimClient,
} from '@x/scim-core/testing'

export const BASE = 'https://host.example/api/v1/scim/v2'
export const TOKEN = 'secret-token'
export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group'
export const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
export const MESSAGES = 'urn:ietf:params:scim:api:messages:2.0'
export const PATCH = `${MESSAGES}:PatchOp`
export const ERROR = `${MESSAGES}:Error`

/** A service in memory with a clock that stands still, and what its tests look at. */
export interface Harness extends ScimClient {
  readonly service: ScimService
  readonly runtime: ReturnType<typeof createTestRuntime>
  /** Names of the events so far. */
  readonly events: string[]
  /** Payloads of the events so far, by name. */
  readonly payloads: { readonly name: string; readonly event: unknown }[]
  readonly errors: unknown[]
  /** Creates a user; gives its id. */
  user(userName: string, more?: object): Promise<string>
  /** Creates a group; gives its id. */
  group(displayName: string, memberIds?: readonly string[]): Promise<string>
  /** The ids of the members of a group. */
  members(groupId: string): Promise<unknown[]>
  /** Lists with a filter; gives the userNames, or the answer's status when it is refused. */
  names(filter: string): Promise<unknown>
}

export function createScim(options: Partial<ScimOptions> = {}): Harness {
  const runtime = createTestRuntime()
  const errors: unknown[] = []
  const service = createScimService({
    store: createMemoryScimStore(),
    baseUrl: BASE,
    auth: { kind: 'token', token: TOKEN },
    runtime,
    onError: (error) => errors.push(error),
    ...options,
  })
  const events: string[] = []
  const payloads: { name: string; event: unknown }[] = []
  service.events.on('*', (event: ScimEvents[keyof ScimEvents], name?: string) => {
    events.push(name ?? '')
    payloads.push({ name: name ?? '', event })
  })
  const client = createScimClient(service.handle, { token: TOKEN })
  const created = async (answer: Promise<ScimAnswer>): Promise<string> => {
    const { status, body } = await answer
    if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`)
    return body.id
  }
  return {
    ...client,
    service,
    runtime,
    events,
    payloads,
    errors,
    user: (userName, more = {}) => created(client.post('/Users', { userName, ...more })),
    group: (displayName, memberIds = []) =>
      created(
        client.post('/Groups', { displayName, members: memberIds.map((value) => ({ value })) }),
      ),
    async members(groupId) {
      const { body } = await client.get(`/Groups/${groupId}`)
      return list(body['members']).map((member) => Reflect.get(member, 'value'))
    },
    async names(filter) {
      const { status, body } = await client.get(`/Users?filter=${encodeURIComponent(filter)}`)
      if (status !== 200) return [status, body['scimType']]
      return list(body['Resources']).map((user) => Reflect.get(user, 'userName'))
    },
  }
}

/** A value of a body as a list of objects. */
export function list(value: unknown): object[] {
  return Array.isArray(value) ? value : []
}

/** The Error body of RFC 7644 section 3.12. */
export function problem(status: number, scimType?: string): object {
  return {
    schemas: [ERROR],
    status: String(status),
    ...(scimType !== undefined && { scimType }),
  }
}
