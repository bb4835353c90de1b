import type {
  LikeStore,
  SharedComponentOrder,
  SharedComponentQuery,
  SharedComponentStore,
  SharedComponentView,
  TagStore,
} from '../store/shared-components.ts'
import { compareText, compareValues, copy, copyOrNull, pair, patched, sliceRows } from '@x/wire'
import type { MemoryTables, TaggedComponent } from './tables.ts'

/** Creates the in-memory store of shared components. */
export function createComponents(tables: MemoryTables): SharedComponentStore {
  const { components } = tables
  return {
    async get(id) {
      const row = components.get(id)
      return row === undefined ? null : copy(untagged(row))
    },
    async list(query) {
      const views = components
        .filter(inScope(query))
        .toReversed()
        .map((row) => viewOf(tables, row, query.viewerId))
        .filter(matching(query))
      return sliceRows(sorted(views, query.sort), query)
    },
    insert: async (record, tagIds) =>
      components.insert({ ...copy(record), tagIds: [...new Set(tagIds)] }),
    async update(ownerId, id, patch) {
      const row = components.get(id)
      if (row?.ownerId !== ownerId) return false
      components.replace(patched(row, patch))
      return true
    },
    async addDownload(id) {
      const row = components.get(id)
      if (row !== undefined) components.replace({ ...row, downloads: row.downloads + 1 })
    },
  }
}

/** Creates the in-memory store of tags. */
export function createTags({ tags, components }: MemoryTables): TagStore {
  return {
    get: async (id) => copyOrNull(tags.get(id)),
    findByName: async (name) => copyOrNull(tags.find('tag.name', name)),
    async listPublic() {
      const hidden = new Set(components.filter((row) => row.isPrivate).flatMap((r) => r.tagIds))
      for (const row of components.filter((shared) => !shared.isPrivate)) {
        for (const id of row.tagIds) hidden.delete(id)
      }
      return tags
        .filter((row) => !hidden.has(row.id))
        .toSorted((a, b) => compareText(fold(a.name), fold(b.name)) || compareText(a.id, b.id))
        .map(copy)
    },
    insert: async (record) => tags.insert(copy(record)),
  }
}

/** Creates the in-memory store of likes. */
export function createLikes({ likes, components }: MemoryTables): LikeStore {
  const countOf = (id: string): number => likes.filter((row) => row.componentId === id).length
  return {
    async add(userId, componentId, at) {
      if (likes.get(pair(userId, componentId)) !== undefined) return false
      likes.insert({ userId, componentId, at })
      return true
    },
    remove: async (userId, componentId) => likes.delete(pair(userId, componentId)),
    count: async (componentId) => countOf(componentId),
    async list(userId) {
      return likes
        .filter((row) => row.userId === userId && visible(components.get(row.componentId), userId))
        .toReversed()
        .map(({ componentId }) => ({ componentId, likes: countOf(componentId) }))
    },
  }
}

function visible(row: TaggedComponent | undefined, userId: string): boolean {
  return row !== undefined && (!row.isPrivate || row.ownerId === userId)
}

function inScope({ scope, viewerId, id }: SharedComponentQuery): (row: TaggedComponent) => boolean {
  return (row) =>
    (id === undefined || row.id === id) &&
    (scope === 'public'
      ? !row.isPrivate
      : scope === 'own'
        ? row.ownerId === viewerId
        : visible(row, viewerId))
}

function viewOf(tables: MemoryTables, row: TaggedComponent, viewerId: string): SharedComponentView {
  const { data: _data, ...rest } = untagged(row)
  const likes = tables.likes.filter((like) => like.componentId === row.id)
  return {
    ...rest,
    ownerName: tables.users.get(row.ownerId)?.username ?? '',
    tags: row.tagIds
      .flatMap((id) => tables.tags.get(id) ?? [])
      .toSorted((a, b) => compareText(a.name, b.name)),
    likes: likes.length,
    likedByViewer: likes.some((like) => like.userId === viewerId),
  }
}

function matching(query: SharedComponentQuery): (view: SharedComponentView) => boolean {
  const { search, tags = [], isPrivate, isComponent, liked = false } = query
  return (view) =>
    (search === undefined || texts(view).some((text) => fold(text).includes(fold(search)))) &&
    tags.every((name) => view.tags.some((tag) => tag.name === name)) &&
    (isPrivate === undefined || view.isPrivate === isPrivate) &&
    (isComponent === undefined || view.isComponent === isComponent) &&
    (!liked || view.likedByViewer)
}

function texts(view: SharedComponentView): string[] {
  return [view.name, view.description ?? '', view.ownerName, ...view.tags.map((tag) => tag.name)]
}

function sorted(
  views: readonly SharedComponentView[],
  sort: SharedComponentQuery['sort'],
): SharedComponentView[] {
  return views.toSorted((a, b) => {
    for (const { by, descending } of sort) {
      const order = compareValues(sortKey(a, by), sortKey(b, by))
      if (order !== 0) return descending ? -order : order
    }
    return 0
  })
}

function sortKey(view: SharedComponentView, by: SharedComponentOrder): unknown {
  const value = view[by]
  return typeof value === 'string' ? fold(value) : value
}

function fold(text: string): string {
  return text.toLowerCase()
}

function untagged({ tagIds: _tagIds, ...row }: TaggedComponent): Omit<TaggedComponent, 'tagIds'> {
  return row
}
