import type { ResolvedFilter } from '../filter/resolved.ts'
import type { AttributePath } from '../schema/attribute-path.ts'
import { ENTERPRISE_URN } from '../schema/enterprise.ts'
import type { GroupBrief, GroupRecord } from '../store/groups.ts'
import type { MemberRow } from '../store/members.ts'
import type { ResourceRecord } from '../store/resources.ts'
import type { UserSummary, UserRecord } from '../store/users.ts'
import { recordData, type ScimDocument } from '../base/document.ts'

/** Data of other tables used by filters or sorting of a resource. */
export interface RecordReferences {
  readonly groups?: readonly GroupBrief[]
  readonly members?: Iterable<MemberRow>
  /** The user referred to by `manager.value`, if it exists. */
  readonly manager?: UserSummary
}

/** The parts of `RecordReferences` used by a filter (and sort). */
export interface ReferenceNeeds {
  readonly groups: boolean
  readonly members: boolean
  readonly manager: boolean
}

/**
 * Converts a record to the form read by `compileFilter` and `sortKey`. Times are Date objects; URLs are
 * omitted, because their paths have a prefix, and names of groups have no white space at the ends.
 */
export function recordResource(
  record: UserRecord | GroupRecord | ResourceRecord,
  references: RecordReferences = {},
): ScimDocument {
  const { id, externalId, created, lastModified, version } = record
  const resource: Record<string, unknown> = {
    ...recordData(record),
    id,
    externalId,
    meta: { created, lastModified, version: `W/"${version}"` },
  }
  if ('userName' in record) {
    resource['userName'] = record.userName
    resource['active'] = record.active
  } else if ('displayNameKey' in record) resource['displayName'] = record.displayName.trim()
  const { groups = [], members, manager } = references
  if (groups.length > 0) resource['groups'] = groups.map(groupReference)
  if (members !== undefined) resource['members'] = Array.from(members, memberReference)
  return manager === undefined ? resource : withManager(resource, manager)
}

/** The data of other tables needed to evaluate a filter and a sort path. */
export function referenceNeeds(filter?: ResolvedFilter, sort?: AttributePath): ReferenceNeeds {
  const paths = [...(filter === undefined ? [] : pathsOf(filter)), ...(sort ? [sort] : [])]
  const names = (name: string): boolean =>
    paths.some((path) => path.urn === null && path.name === name)
  return {
    groups: names('groups'),
    members: names('members'),
    manager: paths.some(({ urn, name }) => urn === ENTERPRISE_URN && name === 'manager'),
  }
}

/** The paths that a filter names. */
export function pathsOf(filter: ResolvedFilter): AttributePath[] {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.terms.flatMap(pathsOf)
    case 'not':
      return pathsOf(filter.term)
    case 'present':
    case 'compare':
      return [filter.path]
    case 'element':
      return [filter.path]
  }
}

function groupReference({ id, displayName }: GroupBrief): ScimDocument {
  return { value: id, $ref: id, display: displayName, type: 'direct' }
}

function memberReference({ id, type, display }: MemberRow): ScimDocument {
  return { value: id, $ref: id, type, ...(display === null ? {} : { display }) }
}

function withManager(resource: Record<string, unknown>, manager: UserSummary): ScimDocument {
  const extension = resource[ENTERPRISE_URN]
  if (typeof extension !== 'object' || extension === null) return resource
  const own: unknown = Reflect.get(extension, 'manager')
  if (typeof own !== 'object' || own === null) return resource
  const display = manager.display === null ? {} : { displayName: manager.display }
  resource[ENTERPRISE_URN] = { ...extension, manager: { ...own, $ref: manager.id, ...display } }
  return resource
}
