import type { ResourceTypeName } from '../schema/registry.ts'
import { snapshotOf } from './assigned.ts'
import type { Call, Rules } from './call.ts'
import type { AnyRecord } from './service.ts'

/** Reads a stored resource; null if it does not exist. */
export function readRecord(
  rules: Rules,
  call: Call,
  {
    type,
    id,
    withGroups = false,
  }: { readonly type: ResourceTypeName; readonly id: string; readonly withGroups?: boolean },
): Promise<AnyRecord | null> {
  const { store } = rules.config
  if (type === 'User') return store.users.get(call.tenant, id, { withGroups })
  if (type === 'Group') return store.groups.get(call.tenant, id)
  return snapshotOf(rules, call, type).then((snapshot) => snapshot.get(call.tenant, id))
}
