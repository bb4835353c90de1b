import { sortKey } from '../filter/compile.ts'
import type { SortKey } from '../filter/resolved.ts'
import type { AttributePath } from '../schema/attribute-path.ts'
import { managerId } from '../resource/present.ts'
import {
  recordResource,
  referenceNeeds,
  type RecordReferences,
} from '../resource/record-resource.ts'
import type { MemberRow } from '../store/members.ts'
import type { ScimStore } from '../store/scim-store.ts'
import type { AnyRecord } from './service.ts'

/** The sort keys of records, including data of other tables. */
export async function sortKeys(
  store: ScimStore,
  tenant: string,
  { records, path }: { readonly records: readonly AnyRecord[]; readonly path: AttributePath },
): Promise<readonly SortKey[]> {
  const referencesOf = await readReferences(store, tenant, { records, path })
  const keys: SortKey[] = []
  for (const record of records) {
    keys.push(sortKey(recordResource(record, await referencesOf(record)), path))
  }
  return keys
}

async function readReferences(
  { members, users }: ScimStore,
  tenant: string,
  { records, path }: { readonly records: readonly AnyRecord[]; readonly path: AttributePath },
): Promise<(record: AnyRecord) => Promise<RecordReferences>> {
  const needs = referenceNeeds(undefined, path)
  const ids = records.map(({ id }) => id)
  const groups = needs.groups ? await members.groupsOf(tenant, ids) : undefined
  const managing = needs.manager ? records.map(managerOf).filter((id) => id !== undefined) : []
  const managers = managing.length > 0 ? await users.briefs(tenant, managing) : undefined
  return async (record) => {
    const own = groups?.get(record.id)
    const manager = managers?.get(managerOf(record) ?? '')
    return {
      ...(own !== undefined && { groups: own }),
      ...(manager !== undefined && { manager }),
      ...(needs.members && { members: await firstMember(members, tenant, record.id) }),
    }
  }
}

/** A list is sorted by its first element, since members have no primary one. */
async function firstMember(
  members: ScimStore['members'],
  tenant: string,
  groupId: string,
): Promise<MemberRow[]> {
  const rows: MemberRow[] = []
  for await (const row of members.list(tenant, groupId, { limit: 1 })) rows.push(row)
  return rows
}

function managerOf(record: AnyRecord): string | undefined {
  return 'userName' in record ? managerId(record) : undefined
}
