import type { Page, Slice } from '@x/flow-engine/store'

/** A component or flow shared in the component store. */
export interface SharedComponentRecord {
  readonly id: string
  readonly ownerId: string
  /** Unique per owner, compared exactly. */
  readonly name: string
  readonly description: string | null
  /** JSON text of an object. */
  readonly data: string
  readonly metadata: Readonly<Record<string, unknown>>
  readonly isComponent: boolean | null
  readonly parent: string | null
  readonly isPrivate: boolean
  readonly lastTestedVersion: string
  readonly downloads: number
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** Fields to change; absent means unchanged. `tagIds` replaces all tags. */
export type SharedComponentPatch = Partial<
  Omit<SharedComponentRecord, 'id' | 'ownerId' | 'createdAt' | 'downloads'>
> & { readonly tagIds?: readonly string[] }

/** A listed component, without `data`. */
export interface SharedComponentView extends Omit<SharedComponentRecord, 'data'> {
  readonly ownerName: string
  /** Ordered by name (code points). */
  readonly tags: readonly TagRecord[]
  readonly likes: number
  /** True if the query's viewer likes it. */
  readonly likedByViewer: boolean
}

/**
 * Sort keys of a list. Strings are compared after `toLowerCase`, descriptions by at least their first
 * 1,000 characters; false before true, null first.
 */
export type SharedComponentOrder =
  | 'name'
  | 'description'
  | 'isComponent'
  | 'isPrivate'
  | 'lastTestedVersion'
  | 'createdAt'
  | 'updatedAt'
  | 'likes'
  | 'downloads'
  | 'ownerName'

/** Selects shared components; all conditions apply. */
export interface SharedComponentQuery extends Slice {
  readonly viewerId: string
  /** `public`: not private, of any user; `own`: the viewer's; `visible`: public or the viewer's. */
  readonly scope: 'public' | 'own' | 'visible'
  readonly id?: string
  /** Part of name, description, a tag's name or the owner's name, compared after `toLowerCase`. */
  readonly search?: string
  /** Exact names, all of which must be present. */
  readonly tags?: readonly string[]
  readonly isPrivate?: boolean
  readonly isComponent?: boolean
  /** Only those liked by the viewer. */
  readonly liked?: boolean
  /** Most significant key first; ties by latest insertion. */
  readonly sort: readonly { readonly by: SharedComponentOrder; readonly descending: boolean }[]
}

/** Shared components. */
export interface SharedComponentStore {
  get(id: string): Promise<SharedComponentRecord | null>
  list(query: SharedComponentQuery): Promise<Page<SharedComponentView>>
  /**
   * The items of `list` in parts of a bounded size, each read on demand. Without this method,
   * `list` is used.
   */
  parts?(query: SharedComponentQuery): AsyncIterable<readonly SharedComponentView[]>
  /** @throws UniqueConflictError `component.id`, `component.name` */
  insert(record: SharedComponentRecord, tagIds: readonly string[]): Promise<void>
  /**
   * False if the owner has no such component.
   * @throws UniqueConflictError `component.name`
   */
  update(ownerId: string, id: string, patch: SharedComponentPatch): Promise<boolean>
  /** Increments atomically, so that concurrent downloads are all counted. */
  addDownload(id: string): Promise<void>
}

/** A tag of the component store. */
export interface TagRecord {
  readonly id: string
  /** Unique, compared exactly. */
  readonly name: string
}

/** Tags. */
export interface TagStore {
  get(id: string): Promise<TagRecord | null>
  findByName(name: string): Promise<TagRecord | null>
  /** Tags of public components and unused tags, by name after `toLowerCase`, then id. */
  listPublic(): Promise<TagRecord[]>
  /** @throws UniqueConflictError `tag.id`, `tag.name` */
  insert(record: TagRecord): Promise<void>
}

/** Likes: at most one per user and component. */
export interface LikeStore {
  /** False if it already existed. */
  add(userId: string, componentId: string, at: Date): Promise<boolean>
  /** False if it did not exist. */
  remove(userId: string, componentId: string): Promise<boolean>
  count(componentId: string): Promise<number>
  /** Components the user likes and may see (public or own), newest like first. */
  list(userId: string): Promise<{ readonly componentId: string; readonly likes: number }[]>
}
