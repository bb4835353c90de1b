import type { SharedComponentView, TagRecord } from '../../store/shared-components.ts'
import { refuse, type Refusal } from '../../refusal.ts'
import type { PageParts } from '../../store/page-parts.ts'
import type { Caller } from '../base/caller.ts'
import type {
  ComponentPayload,
  ComponentQuery,
  ComponentStore,
  DownloadedComponent,
  StoreCaller,
} from './component-store.ts'
import type { ServiceDependencies } from '../base/dependencies.ts'

/**
 * The component store behind the API: checks that it is enabled and a key is saved, then forwards to the
 * store.
 */
export interface ComponentStoreService {
  readonly enabled: boolean
  check(caller: Caller): Promise<{ hasKey: boolean; isValid: boolean }>
  /**
   * Checks that the store is enabled and an accepted key is saved.
   * @throws Refusal 400, 401, 404
   */
  open(caller: Caller): Promise<StoreCaller>
  /** @throws Refusal 404 */
  checkEnabled(): void
  list(
    caller: Caller,
    query: ComponentQuery,
  ): Promise<PageParts<SharedComponentView> & { authorized: boolean }>
  share(caller: Caller, payload: ComponentPayload): Promise<string>
  update(caller: Caller, id: string, payload: ComponentPayload): Promise<string>
  download(caller: Caller, id: string): Promise<DownloadedComponent>
  tags(): Promise<readonly TagRecord[]>
  likes(caller: Caller): Promise<readonly { componentId: string; likes: number }[]>
  toggleLike(caller: Caller, id: string): Promise<{ likes: number; liked: boolean }>
}

const PASSED_ON = [400, 401, 403, 406, 413]

export function createComponentStoreService(
  { secrets }: ServiceDependencies,
  store: ComponentStore | undefined,
): ComponentStoreService {
  const available = (): ComponentStore => {
    if (store === undefined) throw refuse(404, 'Store is disabled')
    return store
  }
  const keyOf = async (caller: Caller): Promise<string | null> => {
    const sealed = caller.record.storeApiKey
    return sealed === null ? null : await secrets.open(sealed, caller.id)
  }
  const callerOf = async (caller: Caller): Promise<StoreCaller> => ({
    userId: caller.id,
    username: caller.username,
    key: await keyOf(caller),
  })
  const accepts = async (caller: StoreCaller): Promise<boolean> =>
    store !== undefined &&
    (caller.key ?? '') !== '' &&
    (await passing(() => store.checkKey(caller.key ?? '', caller.userId)))

  const open = async (caller: Caller): Promise<StoreCaller> => {
    available()
    const known = await callerOf(caller)
    if (known.key === null && caller.record.storeApiKey !== null) {
      throw refuse(400, 'Failed to decrypt API key. Please set a new one.')
    }
    if ((known.key ?? '') === '') throw refuse(400, 'You must have a store API key set.')
    if (!(await accepts(known))) {
      throw refuse(
        401,
        'You are not authorized to access this resource. Please check your API key.',
      )
    }
    return known
  }

  return {
    enabled: store !== undefined,
    checkEnabled: () => void available(),
    open,
    async check(caller) {
      const known = await callerOf(caller)
      const hasKey = (known.key ?? '') !== ''
      return { hasKey, isValid: hasKey && (await checkedOr400(() => accepts(known))) }
    },
    async list(caller, query) {
      const known = await callerOf(caller)
      const hasKey = (known.key ?? '') !== ''
      if (query.liked === true && !hasKey) {
        throw refuse(400, 'You must provide an API key to filter by likes')
      }
      if (query.scope === 'own' && !hasKey) {
        throw refuse(400, 'You must provide an API key to filter your components')
      }
      const authorized = await accepts(known)
      const backend = available()
      const parts = backend.parts?.(query, known)
      const page = await passing(() =>
        backend.list(parts === undefined ? query : { ...query, limit: 0 }, known),
      )
      const items = parts === undefined ? [page.items] : passingParts(parts)
      return { items, total: page.total, authorized }
    },
    share: async (caller, payload) =>
      passing(async () => available().create(payload, await callerOf(caller))),
    update: async (caller, id, payload) =>
      passing(async () => available().update(id, payload, await callerOf(caller))),
    download: async (caller, id) =>
      passing(async () => available().download(id, await callerOf(caller))),
    tags: () => passing(() => available().tags()),
    likes: async (caller) => passing(async () => available().likes(await callerOf(caller))),
    toggleLike: async (caller, id) =>
      passing(async () => available().toggleLike(id, await callerOf(caller))),
  }
}

async function checkedOr400(work: () => Promise<boolean>): Promise<boolean> {
  try {
    return await work()
  } catch (error) {
    throw refuse(400, 'The store API key cannot be checked', { cause: error })
  }
}

/** Refusals of a host's store keep the status codes clients know. */
async function passing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw passedOn(error) ?? error
  }
}

async function* passingParts<T>(parts: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* parts
  } catch (error) {
    throw passedOn(error) ?? error
  }
}

function passedOn(error: unknown): Refusal | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const { status, detail } = error as { status?: unknown; detail?: unknown }
  if (typeof status !== 'number' || typeof detail !== 'string') return undefined
  if (status === 404) return refuse(404, detail, { cause: error })
  return refuse(PASSED_ON.includes(status) ? status : 502, detail, { cause: error })
}
