import type { Cycle } from './cycle.ts'
import { changes } from './rfc-changes.ts'
import { discovery } from './rfc-discovery.ts'
import { groups } from './rfc-groups.ts'
import { lists } from './rfc-lists.ts'
import { users } from './rfc-users.ts'

/** What RFC 7643, 7644 and 9865 require. */
export const rfcCycle: Cycle = {
  name: 'rfc',
  source: 'RFC 7643, RFC 7644, RFC 9865',
  steps: [...discovery, ...users, ...lists, ...changes, ...groups],
}
