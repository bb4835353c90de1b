import { isObject } from '@x/wire'
import type { GroupBrief, GroupRecord } from '../store/groups.ts'
import type { MemberRow } from '../store/members.ts'
import type { UserSummary, UserRecord } from '../store/users.ts'
import { ENTERPRISE_URN } from '../schema/enterprise.ts'
import {
  schemaOf,
  type ResourceSchema,
  type ResourceSchemas,
  type ResourceTypeName,
} from '../schema/registry.ts'
import type { ResourceRecord } from '../store/resources.ts'
import { recordData } from '../base/document.ts'
import { instantText } from './instant-text.ts'

/** Converts records to the JSON of resources, with the URLs of one tenant. */
export interface Presenter {
  readonly baseUrl: string
  location(type: ResourceTypeName, id: string): string
  user(record: UserRecord, references?: UserReferences): string
  /** `members` undefined: the attribute is omitted. */
  group(record: GroupRecord, members?: readonly string[]): string
  /** A resource of a host's own type. */
  resource(type: ResourceTypeName, record: ResourceRecord): string
  /** One element of `members`. */
  member(row: MemberRow): string
  /** One element of `groups`. */
  groupReference(group: GroupBrief): string
}

type AnyRecord = UserRecord | GroupRecord | ResourceRecord

export interface UserReferences {
  /** Made by `groupReference`. */
  readonly groups?: readonly string[]
  readonly manager?: UserSummary | undefined
}

export interface PresenterOptions {
  readonly schemas: ResourceSchemas
  readonly baseUrl: string
  /** Includes `meta.version`. */
  readonly etag: boolean
  /** Representation of an empty group: `members: []`, or no `members` (D25). */
  readonly emptyMembers: 'array' | 'omit'
}

/** Assembled from stored JSON, which is not parsed again. */
export function createResourceSerializer({
  schemas,
  baseUrl,
  etag,
  emptyMembers,
}: PresenterOptions): Presenter {
  const quoted = (path: string): string => JSON.stringify(`${baseUrl}${path}/`).slice(0, -1)
  const places: Record<string, string> = { User: quoted('/Users'), Group: quoted('/Groups') }
  for (const { resourceType, endpoint } of Object.values(schemas)) {
    places[resourceType] = quoted(endpoint)
  }
  const place = (type: ResourceTypeName, id: string): string => `${places[type]}${inAddress(id)}"`

  const head = (type: ResourceTypeName, record: AnyRecord, data: string): string => {
    const start = `${headOf(schemaOf(schemas, type), data)}${quote(record.id)}`
    return record.externalId === null ? start : `${start},"externalId":${quote(record.externalId)}`
  }
  const meta = (type: ResourceTypeName, record: AnyRecord): string => {
    const { id, created, lastModified, version } = record
    const first = instantText(created)
    const untouched = created.getTime() === lastModified.getTime()
    const last = untouched ? first : instantText(lastModified)
    const tag = etag ? `,"version":${JSON.stringify(versionTag(version))}` : ''
    return `"meta":{"resourceType":"${type}","created":"${first}","lastModified":"${last}","location":${place(type, id)}${tag}}}`
  }
  const member = ({ id, type, display }: MemberRow): string =>
    `{"value":${quote(id)},"$ref":${place(type, id)},"type":"${type}"${
      display === null ? '' : `,"display":${quote(display)}`
    }}`
  return {
    baseUrl,
    location: (type, id) => `${baseUrl}${schemaOf(schemas, type).endpoint}/${inAddress(id)}`,
    user(record, { groups = [], manager } = {}) {
      const data = manager === undefined ? record.data : withManager(record, manager, place)
      const active =
        record.active === null ? '' : record.active ? '"active":true,' : '"active":false,'
      const list = groups.length === 0 ? '' : `"groups":[${groups.join(',')}],`
      return `${head('User', record, data)},"userName":${quote(record.userName)},${inner(data)}${active}${list}${meta('User', record)}`
    },
    group(record, members) {
      const shown =
        members === undefined || (members.length === 0 && emptyMembers === 'omit')
          ? ''
          : `"members":[${members.join(',')}],`
      return `${head('Group', record, record.data)},"displayName":${quote(record.displayName)},${inner(record.data)}${shown}${meta('Group', record)}`
    },
    resource: (type, record) =>
      `${head(type, record, record.data)},${inner(record.data)}${meta(type, record)}`,
    member,
    groupReference: ({ id, displayName }) =>
      `{"value":${quote(id)},"$ref":${place('Group', id)},"display":${quote(displayName)},"type":"direct"}`,
  }
}

/** Printable ASCII without quote and backslash, which needs no escaping in JSON. */
const PLAIN = /^[ !#-[\]-~]*$/
/** Characters that are not escaped in a URL. */
const UNRESERVED = /^[\w.~-]+$/

function quote(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text)
}

function inAddress(id: string): string {
  return UNRESERVED.test(id) ? id : encodeURIComponent(id)
}

/** The weak entity tag of a version. */
export function versionTag(version: number): string {
  return `W/"${version}"`
}

/** Id of the manager in the enterprise extension, if there is one. */
export function managerId(record: UserRecord): string | undefined {
  if (!record.data.includes(ENTERPRISE_URN)) return undefined
  const extension = recordData(record)[ENTERPRISE_URN]
  const manager = isObject(extension) ? extension['manager'] : undefined
  const id = isObject(manager) ? manager['value'] : undefined
  return typeof id === 'string' ? id : undefined
}

function withManager(
  record: UserRecord,
  { id, display }: UserSummary,
  place: (type: 'User', id: string) => string,
): string {
  const data = recordData(record)
  const extension = data[ENTERPRISE_URN]
  if (!isObject(extension)) return record.data
  const $ref: unknown = JSON.parse(place('User', id))
  const manager = { value: id, $ref, ...(display !== null && { displayName: display }) }
  return JSON.stringify({ ...data, [ENTERPRISE_URN]: { ...extension, manager } })
}

/** The members of a serialised object, followed by a comma. */
function inner(data: string): string {
  return data === '{}' ? '' : `${data.slice(1, -1)},`
}

const heads = new WeakMap<ResourceSchema, Heads>()

/** The start of a resource, without extensions, and how data of an extension is recognised. */
interface Heads {
  readonly plain: string
  readonly marks: readonly { readonly urn: string; readonly mark: string }[]
}

/**
 * The start of a resource up to its id, with the base URN and those of the extensions with data. Quotes
 * inside JSON strings are escaped, so the search pattern can only match a member.
 */
function headOf(schema: ResourceSchema, data: string): string {
  let known = heads.get(schema)
  if (known === undefined) {
    const marks = schema.extensions.map(({ urn }) => ({ urn, mark: `${JSON.stringify(urn)}:{` }))
    known = { plain: `{"schemas":["${schema.urn}"],"id":`, marks }
    heads.set(schema, known)
  }
  let more = ''
  for (const { urn, mark } of known.marks) if (data.includes(mark)) more += `,"${urn}"`
  return more === '' ? known.plain : `{"schemas":["${schema.urn}"${more}],"id":`
}
