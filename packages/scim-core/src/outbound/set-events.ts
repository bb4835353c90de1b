import type { ScimDocument } from '../base/document.ts'
import type { OutboxRow } from '../store/outbox.ts'

/** Content of a token: names of attributes, or their values. */
export type SetMode = 'notice' | 'full'

/** What tokens tell: changes of resources (RFC 9967), or who may not be signed in any more (CAEP). */
export type SetProfile = 'scim' | 'caep'

const PREFIX = 'urn:ietf:params:scim:event:prov:'
const PATCH_URN = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

/** The event URIs of tokens in a mode. */
export function eventUrisOf(mode: SetMode): readonly string[] {
  const changes = ['create', 'put', 'patch'].map((name) => `${PREFIX}${name}:${mode}`)
  return [...changes, ...['activate', 'deactivate', 'delete'].map((name) => PREFIX + name)]
}

type Payload = Record<string, unknown>

/**
 * The `events` claim of a token: all rows that one request caused on one resource, by URI.
 * Rows with the same URI are merged.
 */
export function setEvents(
  rows: readonly OutboxRow[],
  mode: SetMode,
): Readonly<Record<string, Payload>> {
  const events: Record<string, Payload> = {}
  for (const row of rows) {
    const uri = PREFIX + nameOf(row, mode)
    const payload = payloadOf(row, mode)
    const known = events[uri]
    events[uri] = known === undefined ? payload : merged(known, payload)
  }
  return events
}

function nameOf({ type, op }: OutboxRow, mode: SetMode): string {
  switch (type.slice(type.lastIndexOf('.') + 1)) {
    case 'created':
      return `create:${mode}`
    case 'updated':
      return `${op}:${mode}`
    case 'activated':
      return 'activate'
    case 'deactivated':
      return 'deactivate'
    case 'deleted':
      return 'delete'
    default:
      return `patch:${mode}`
  }
}

/** The JSON was written by this package, so it is an object. */
export function payloadOfRow({ data }: OutboxRow): ScimDocument {
  return JSON.parse(data) as ScimDocument
}

const COMPUTED: ReadonlySet<string> = new Set(['schemas', 'id', 'meta', 'groups'])

function payloadOf(row: OutboxRow, mode: SetMode): Payload {
  const data = payloadOfRow(row)
  const after = documentOf(data['after'])
  const version: unknown = Reflect.get(documentOf(after['meta']), 'version')
  const common = version === undefined ? {} : { version }
  switch (row.type.slice(row.type.lastIndexOf('.') + 1)) {
    case 'created': {
      const attributes = Object.keys(after).filter((name) => !COMPUTED.has(name))
      return { ...(mode === 'notice' ? { attributes } : { data: after }), ...common }
    }
    case 'updated': {
      const changed = listOf(data['changed'])
      if (mode === 'notice') return { attributes: changed, ...common }
      if (row.op === 'put') return { data: after, ...common }
      const before = documentOf(data['before'])
      const steps = changed
        .filter((path) => before[path] !== undefined || after[path] !== undefined)
        .flatMap((path) => finalValue(path, before[path], after[path]))
      return { data: patchOf(steps), ...common }
    }
    case 'changed':
      return mode === 'notice' ? { attributes: ['members'] } : { data: patchOf(memberSteps(data)) }
    default:
      return {}
  }
}

/** Receivers merge a complex value into the previous one, so unassigned sub-attributes are removed by name. */
function finalValue(path: string, before: unknown, value: unknown): object[] {
  if (value === undefined) return [{ op: 'remove', path }]
  const left = Array.isArray(value) ? {} : documentOf(before)
  const kept = documentOf(value)
  const separator = path.includes(':') ? ':' : '.'
  const removals = Object.keys(left)
    .filter((name) => kept[name] === undefined)
    .map((name) => ({ op: 'remove', path: path + separator + name }))
  return [...removals, { op: 'replace', path, value }]
}

function memberSteps(data: ScimDocument): object[] {
  const added = listOf(data['added'])
  const add = { op: 'add', path: 'members', value: added.map((value) => ({ value })) }
  const removals = listOf(data['removed']).map((id) => ({
    op: 'remove',
    path: `members[value eq ${JSON.stringify(id)}]`,
  }))
  return added.length === 0 ? removals : [add, ...removals]
}

function patchOf(operations: readonly object[]): object {
  return { schemas: [PATCH_URN], Operations: operations }
}

/** Merges attribute names, or concatenates operations. */
function merged(first: Payload, second: Payload): Payload {
  const names = [...listOf(first['attributes']), ...listOf(second['attributes'])]
  if (names.length > 0) return { ...first, ...second, attributes: [...new Set(names)] }
  const operations = [first, second].flatMap(({ data }) => {
    const list: unknown = documentOf(data)['Operations']
    return Array.isArray(list) ? (list as object[]) : []
  })
  return operations.length === 0
    ? { ...first, ...second }
    : { ...first, ...second, data: patchOf(operations) }
}

function documentOf(value: unknown): ScimDocument {
  return typeof value === 'object' && value !== null ? (value as ScimDocument) : {}
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}
