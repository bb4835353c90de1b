import type { LoadRequest } from '../lib/load.ts'
import { LARGE, TOKEN, USERS, userBody, userId, userName } from './data-set.ts'

/** One line of the table. */
export interface Operation {
  readonly name: string
  readonly requests: number
  readonly status?: number
  /** The most our CPU may be of the bound's: 1 / accept of the design. */
  readonly limit: number
  /** The same for the shipped server (OP-22). */
  readonly shippedLimit: number
  /** Target factor of CPU below the peer. */
  readonly peer?: number
  /** On one server, the previous round had the same numbers. */
  readonly request: (index: number, round: number) => LoadRequest
}

const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/scim+json' }
const PATCH_URN = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

/** Spreads the requests over all users. */
const spread = (index: number): number => (index * 7919) % LARGE.members

let created = USERS

export const OPERATIONS: readonly Operation[] = [
  {
    name: 'GET /Users/:id',
    requests: 6000,
    limit: 1 / 0.4,
    shippedLimit: 1 / 0.4,
    peer: 5,
    request: (index) => ({ path: `/api/v1/scim/v2/Users/${userId(spread(index))}`, headers }),
  },
  {
    name: 'filter userName eq',
    requests: 6000,
    limit: 1 / 0.4,
    shippedLimit: 1 / 0.4,
    request: (index) => {
      const filter = encodeURIComponent(`userName eq "${userName(spread(index))}"`)
      return { path: `/api/v1/scim/v2/Users?filter=${filter}`, headers }
    },
  },
  {
    name: 'POST /Users',
    requests: 2000,
    status: 201,
    limit: 1 / 0.45,
    shippedLimit: 1 / 0.3,
    request: () => ({
      method: 'POST',
      path: '/api/v1/scim/v2/Users',
      headers,
      body: JSON.stringify(userBody((created += 1))),
    }),
  },
  {
    name: 'PATCH active',
    requests: 2000,
    limit: 1 / 0.45,
    shippedLimit: 1 / 0.3,
    peer: 8,
    request: (index, round) => ({
      method: 'PATCH',
      path: `/api/v1/scim/v2/Users/${userId(index)}`,
      headers,
      body: JSON.stringify({
        schemas: [PATCH_URN],
        Operations: [{ op: 'replace', value: { active: round % 2 === 1 } }],
      }),
    }),
  },
  {
    name: 'list of 100',
    requests: 900,
    limit: 1 / 0.2,
    shippedLimit: 1 / 0.25,
    peer: 20,
    request: () => ({ path: '/api/v1/scim/v2/Users?count=100', headers }),
  },
]

/** Adds (even numbers) and removes (odd numbers) one member of a group; for one connection. */
export function memberChange(groupId: string): (index: number) => LoadRequest {
  return (index) => {
    const value = userId(LARGE.members + Math.floor(index / 2))
    const operation =
      index % 2 === 0
        ? { op: 'add', path: 'members', value: [{ value }] }
        : { op: 'remove', path: `members[value eq "${value}"]` }
    return {
      method: 'PATCH',
      path: `/api/v1/scim/v2/Groups/${groupId}?excludedAttributes=members`,
      headers,
      body: JSON.stringify({ schemas: [PATCH_URN], Operations: [operation] }),
    }
  }
}
