import { z } from 'zod'
import type {
  ComponentPayload,
  DownloadedComponent,
} from '../services/component-store/component-store.ts'
import { refuse } from '../refusal.ts'
import type { SharedComponentOrder, SharedComponentView } from '../store/shared-components.ts'
import { bool, descriptionText, dict, maybe, nameText, uuid } from './scalars.ts'

/** The create payload of a shared component. */
export const ComponentShare = z
  .object({
    name: nameText(),
    description: descriptionText().nullable(),
    data: dict(),
    tags: z.array(nameText()).max(1000).nullable(),
    parent: maybe(uuid()),
    is_component: bool().nullable(),
    last_tested_version: maybe(nameText()),
    private: maybe(bool()),
  })
  .meta({ id: 'ComponentShare' })

const id = z.string().meta({ format: 'uuid' })
const Tag = z.strictObject({ id, name: z.string() }).meta({ id: 'Tag' })

/** Tags of the component store. */
export const TagList = z.array(Tag)

/** The id of a shared component. */
export const ComponentId = z.strictObject({ id }).meta({ id: 'ComponentId' })

/** A downloaded component. */
export const ComponentDownload = z
  .strictObject({
    id,
    name: z.string(),
    description: z.string().nullable(),
    data: z.looseObject({}),
    is_component: z.boolean().nullable(),
    metadata: z.looseObject({}),
  })
  .meta({ id: 'ComponentDownload' })

/** A component in a list; fields that were not requested are null or empty. */
export const ComponentEntry = z
  .strictObject({
    id: id.nullable(),
    name: z.string().nullable(),
    description: z.string().nullable(),
    liked_by_count: z.int().nullable(),
    liked_by_user: z.boolean().nullable(),
    is_component: z.boolean().nullable(),
    metadata: z.looseObject({}),
    user_created: z.strictObject({ username: z.string().optional() }),
    tags: TagList.nullable(),
    downloads_count: z.int().nullable(),
    last_tested_version: z.string().nullable(),
    private: z.boolean().nullable(),
  })
  .meta({ id: 'ComponentEntry' })

/** A list of components. */
export const ComponentList = z
  .strictObject({ count: z.int(), authorized: z.boolean(), results: z.array(ComponentEntry) })
  .meta({ id: 'ComponentList' })

const FIELDS: ReadonlyMap<string, string> = new Map([
  ['id', 'id'],
  ['name', 'name'],
  ['description', 'description'],
  ['is_component', 'is_component'],
  ['metadata', 'metadata'],
  ['last_tested_version', 'last_tested_version'],
  ['private', 'private'],
  ['tags', 'tags'],
  ['tags.tags_id.name', 'tags'],
  ['tags.tags_id.id', 'tags'],
  ['liked_by_count', 'liked_by_count'],
  ['count(liked_by)', 'liked_by_count'],
  ['downloads_count', 'downloads_count'],
  ['count(downloads)', 'downloads_count'],
  ['user_created', 'user_created'],
  ['user_created.username', 'user_created'],
])

const ORDERS: ReadonlyMap<string, SharedComponentOrder> = new Map([
  ['name', 'name'],
  ['description', 'description'],
  ['is_component', 'isComponent'],
  ['private', 'isPrivate'],
  ['last_tested_version', 'lastTestedVersion'],
  ['date_created', 'createdAt'],
  ['date_updated', 'updatedAt'],
  ['count(liked_by)', 'likes'],
  ['liked_by_count', 'likes'],
  ['count(downloads)', 'downloads'],
  ['downloads_count', 'downloads'],
  ['user_created.username', 'ownerName'],
])

/** Resolves field names to the result keys to return. */
export function readFields(names: readonly string[]): ReadonlySet<string> {
  const keys = names.map((name) => {
    const key = FIELDS.get(name)
    if (key === undefined) throw refuse(400, `Invalid field: ${name}`)
    return key
  })
  return new Set(keys.length === 0 ? FIELDS.values() : keys)
}

/** Resolves sort names to columns; a leading `-` reverses the order. */
export function readSort(
  names: readonly string[],
): { by: SharedComponentOrder; descending: boolean }[] {
  return names.map((name) => {
    const descending = name.startsWith('-')
    const plain = descending ? name.slice(1) : name
    const by = ORDERS.get(plain)
    if (by === undefined) throw refuse(400, `Invalid sort field: ${plain}`)
    return { by, descending }
  })
}

/** Converts a listed component to its wire form. */
export function componentToWire(
  view: SharedComponentView,
  fields: ReadonlySet<string>,
  authorized: boolean,
): z.input<typeof ComponentEntry> {
  const asked = <T>(key: string, value: T): T | null => (fields.has(key) ? value : null)
  return {
    id: asked('id', view.id),
    name: asked('name', view.name),
    description: asked('description', view.description),
    liked_by_count: asked('liked_by_count', view.likes),
    liked_by_user: authorized ? asked('id', view.likedByViewer) : null,
    is_component: asked('is_component', view.isComponent),
    metadata: fields.has('metadata') ? { ...view.metadata } : {},
    user_created: fields.has('user_created') ? { username: view.ownerName } : {},
    tags: asked(
      'tags',
      view.tags.map((tag) => ({ id: tag.id, name: tag.name })),
    ),
    downloads_count: asked('downloads_count', view.downloads),
    last_tested_version: asked('last_tested_version', view.lastTestedVersion),
    private: asked('private', view.isPrivate),
  }
}

/** Serialises a downloaded component; its data is inserted as stored. */
export function downloadToText(component: DownloadedComponent): string {
  const { id: componentId, name, description, data, isComponent, metadata } = component
  const head = JSON.stringify({ id: componentId, name, description }).slice(0, -1)
  const tail = JSON.stringify({ is_component: isComponent, metadata }).slice(1)
  return `${head},"data":${data},${tail}`
}

/** Converts a payload to the service's form; absent fields are undefined. */
export function payloadFromWire(wire: z.output<typeof ComponentShare>): ComponentPayload {
  return {
    name: wire.name,
    description: wire.description,
    data: wire.data,
    tags: wire.tags,
    isComponent: wire.is_component,
    parent: wire.parent,
    isPrivate: wire.private === null ? true : wire.private,
    lastTestedVersion: wire.last_tested_version ?? null,
  }
}
