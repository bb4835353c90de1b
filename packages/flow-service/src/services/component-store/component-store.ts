import type {
  SharedComponentQuery,
  SharedComponentRecord,
  SharedComponentView,
  TagRecord,
} from '../../store/shared-components.ts'
import type { Page } from '@x/flow-engine/store'

/** A user of the component store, with the saved key in clear text. */
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
  /** Ids or names of tags; null leaves the tags unchanged on update. */
  readonly tags: readonly string[] | null
  readonly isComponent: boolean | null
  /** On update, undefined means unchanged. */
  readonly parent: string | null | undefined
  /** Undefined: true when sharing, unchanged on update. */
  readonly isPrivate: boolean | undefined
  readonly lastTestedVersion: string | null
}

/** A listing query without its viewer. */
export type ComponentQuery = Omit<SharedComponentQuery, 'viewerId'>

/** A downloaded component. */
export type DownloadedComponent = Pick<
  SharedComponentRecord,
  'id' | 'name' | 'description' | 'data' | 'isComponent' | 'metadata'
>

/**
 * The backend of the component store API. It handles visibility, counting and filtering. It
 * rejects with an error with `status` (400, 401, 403, 406, 413 are passed on, others become 502) and
 * `detail`.
 */
export interface ComponentStore {
  checkKey(key: string, userId: string): Promise<boolean>
  list(query: ComponentQuery, caller: StoreCaller): Promise<Page<SharedComponentView>>
  /**
   * The items of `list` in parts, each read on demand. Without this method, `list` is used; with
   * it, `list` is called with the limit 0 for the total.
   */
  parts?(query: ComponentQuery, caller: StoreCaller): AsyncIterable<readonly SharedComponentView[]>
  /** Returns the id. */
  create(payload: ComponentPayload, caller: StoreCaller): Promise<string>
  update(id: string, payload: ComponentPayload, caller: StoreCaller): Promise<string>
  download(id: string, caller: StoreCaller): Promise<DownloadedComponent>
  tags(): Promise<readonly TagRecord[]>
  /** Components liked by the caller, newest like first. */
  likes(caller: StoreCaller): Promise<readonly { componentId: string; likes: number }[]>
  toggleLike(id: string, caller: StoreCaller): Promise<{ likes: number; liked: boolean }>
}
