import type {
  SharedComponentQuery,
  SharedComponentRecord,
  SharedComponentView,
  TagRecord,
} from '../../store/shared-components.ts'
import type { Page } from '../../store/paging.ts'

/** A user of the component store, with the saved key in clear. */
export interface StoreCaller {
  readonly userId: string
  readonly username: string
  readonly key: string | null
}

/** A component to share. */
export interface ComponentPayload {
  readonly name: string
  readonly description: string | null
  readonly data: Readonly<Record<string, unknown>>
  /** Ids of tags, or names; null leaves the tags on update. */
  readonly tags: readonly string[] | null
  readonly isComponent: boolean | null
  /** Undefined on update: unchanged. */
  readonly parent: string | null | undefined
  /** Undefined: true on sharing, unchanged on update. */
  readonly isPrivate: boolean | undefined
  readonly lastTestedVersion: string | null
}

/** A listing, without who asks. */
export type ComponentQuery = Omit<SharedComponentQuery, 'viewerId'>

/** A component that was downloaded. */
export type DownloadedComponent = Pick<
  SharedComponentRecord,
  'id' | 'name' | 'description' | 'data' | 'isComponent' | 'metadata'
>

/**
 * The component store behind the interface (store.md, Hosts). It does visibility, counting and
 * filtering; it refuses with an error that carries `status` (400, 401, 403, 406, 413 are passed on,
 * others become 502) and `detail`.
 */
export interface ComponentStore {
  checkKey(key: string, userId: string): Promise<boolean>
  list(query: ComponentQuery, caller: StoreCaller): Promise<Page<SharedComponentView>>
  /** Gives the id. */
  create(payload: ComponentPayload, caller: StoreCaller): Promise<string>
  update(id: string, payload: ComponentPayload, caller: StoreCaller): Promise<string>
  download(id: string, caller: StoreCaller): Promise<DownloadedComponent>
  tags(): Promise<readonly TagRecord[]>
  /** The components the caller likes, newest like first. */
  likes(caller: StoreCaller): Promise<readonly { componentId: string; likes: number }[]>
  toggleLike(id: string, caller: StoreCaller): Promise<{ likes: number; liked: boolean }>
}
