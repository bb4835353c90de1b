import type { Page, Slice } from './paging.ts'

/** A component or flow shared in the component store. */
export interface SharedComponentRecord {
  readonly id: string
  readonly ownerId: string
  /** Unique for its owner, compared exactly. */
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

/** A row of a listing, without `data`. */
export interface SharedComponentView extends Omit<SharedComponentRecord, 'data'> {
  readonly ownerName: string
  /** By name (code points). */
  readonly tags: readonly TagRecord[]
  readonly likes: number
  /** True if the viewer of the query likes it. */
  readonly likedByViewer: boolean
}

/** Sort keys of a listing. Strings fold by `toLowerCase`; false before true; null first. */
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

/** Which shared components, all conditions joined by AND. */
export interface SharedComponentQuery extends Slice {
  readonly viewerId: string
  /** `public`: not private, of any user; `own`: the viewer's; `visible`: public or the viewer's. */
  readonly scope: 'public' | 'own' | 'visible'
  readonly id?: string
  /** Part of name, description, a tag's name or the owner's name; all folded by `toLowerCase`. */
  readonly search?: string
  /** Exact names, each of which must be there. */
  readonly tags?: readonly string[]
  readonly isPrivate?: boolean
  readonly isComponent?: boolean
  /** Only those the viewer likes. */
  readonly liked?: boolean
  /** First the first; ties: latest insertion first. */
  readonly sort: readonly { readonly by: SharedComponentOrder; readonly descending: boolean }[]
}

/** Shared components. */
export interface SharedComponentStore {
  get(id: string): Promise<SharedComponentRecord | null>
  list(query: SharedComponentQuery): Promise<Page<SharedComponentView>>
  /** @throws UniqueConflictError `component.id`, `component.name` */
  insert(record: SharedComponentRecord, tagIds: readonly string[]): Promise<void>
  /**
   * False when the owner has none of this id.
   * @throws UniqueConflictError `component.name`
   */
  update(ownerId: string, id: string, patch: SharedComponentPatch): Promise<boolean>
  /** Adds one in one step, so that concurrent downloads are all counted. */
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
  /** Tags that are on a public component or on none, by name folded by `toLowerCase`, then id. */
  listPublic(): Promise<TagRecord[]>
  /** @throws UniqueConflictError `tag.id`, `tag.name` */
  insert(record: TagRecord): Promise<void>
}

/** Likes: at most one of a user for a component. */
export interface LikeStore {
  /** False when it was there already. */
  add(userId: string, componentId: string, at: Date): Promise<boolean>
  /** False when there was none. */
  remove(userId: string, componentId: string): Promise<boolean>
  count(componentId: string): Promise<number>
  /** Components the user likes and may see (public or own), newest like first. */
  list(userId: string): Promise<{ readonly componentId: string; readonly likes: number }[]>
}
