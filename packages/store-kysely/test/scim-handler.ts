import { createScimHandler, type ScimHandler, type ScimStore } from '@x/scim-core'

export const TOKEN = 'test-token-0123456789'
export const BASE = 'http://127.0.0.1/scim/v2'
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

/** A handler over a store. */
export function handlerOver(store: ScimStore): ScimHandler {
  return createScimHandler({ store, baseUrl: BASE, auth: { kind: 'token', token: TOKEN } })
}

/** A request to it. */
export function request(method: string, path: string, body?: object): Request {
  return new Request(`${BASE}${path}`, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/scim+json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
}

/** A PATCH that adds one member. */
export function addMember(groupId: string, value: string): Request {
  const operation = { op: 'add', path: 'members', value: [{ value }] }
  return request('PATCH', `/Groups/${groupId}?attributes=id`, {
    schemas: [PATCH],
    Operations: [operation],
  })
}

/** A PATCH that removes one member. */
export function removeMember(groupId: string, value: string): Request {
  const operation = { op: 'remove', path: `members[value eq "${value}"]` }
  return request('PATCH', `/Groups/${groupId}?attributes=id`, {
    schemas: [PATCH],
    Operations: [operation],
  })
}

/** The id in the answer to a POST. */
export async function idOf(answer: Response): Promise<string> {
  const { id } = (await answer.json()) as { readonly id: string }
  return id
}
