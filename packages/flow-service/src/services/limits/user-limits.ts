import { elapsedMs, eventLoopTurn, type Runtime } from '@x/wire'
import type { FlowSettings } from '../../settings.ts'
import type { CountedKind } from '../../store/counts.ts'
import { setLru } from '@x/wire'
import { createKeyedQueue } from '@x/wire'
import type { FlowStore } from '../../store/flow-store.ts'
import { refuse, type Refusal } from '../../refusal.ts'
import { isGone } from '../records/is-gone.ts'

/** Limits of a user, by kind. */
export interface UserLimits {
  /**
   * Runs work that adds `added` rows of a kind to a user. Serialised per user and kind, so that concurrent
   * requests cannot exceed the limit together. Existing rows are kept. If the user was removed meanwhile, so
   * is what the work has added.
   * @throws Refusal 400 naming the limit, 401 if the user was removed
   */
  within<T>(
    userId: string,
    { kind, added }: { readonly kind: CountedKind; readonly added: number },
    work: () => Promise<T>,
  ): Promise<T>
  /**
   * Checks before expensive work; `within` checks again.
   * @throws Refusal 400 naming the limit
   */
  check(
    userId: string,
    added: { readonly kind: CountedKind; readonly added: number },
  ): Promise<void>
  /**
   * Runs work that stores bytes of a user's files, serialised per user. Call `check` with the number of
   * added bytes before storing them.
   * @throws Refusal 413 from `check`, naming the quota
   */
  storing<T>(
    userId: string,
    work: (check: (added: number) => Promise<void>) => Promise<T>,
  ): Promise<T>
  /**
   * Admits a message of a user. Messages are counted in the store once and then in memory, so each other
   * process may admit as many again.
   * @throws Refusal 400 naming the limit
   */
  message(userId: string): Promise<void>
}

/** The setting of each kind, and the name of its rows. */
const LIMITS = {
  apiKeys: ['maxApiKeysPerUser', 'API keys'],
  variables: ['maxVariablesPerUser', 'variables'],
  projects: ['maxProjectsPerUser', 'projects'],
  flows: ['maxFlowsPerUser', 'flows'],
  userFiles: ['maxFilesPerUser', 'files'],
  messages: ['maxMessagesPerUser', 'messages'],
  components: ['maxSharedComponentsPerUser', 'shared components'],
  mcpServers: ['maxMcpServersPerUser', 'tool servers'],
} as const satisfies Record<CountedKind, readonly [keyof FlowSettings, string]>

/** Maximum number of users whose messages are counted in memory. */
const COUNTED_USERS = 1000
/** A user at the limit is recounted after this time, as messages may have been removed. */
const COUNT_AGAIN_MS = 5000

const MB = 1_000_000

/** Messages of one user since they were counted in the store. */
interface MessageCount {
  /** Time of the count, in ms. */
  readonly at: number
  added: number
  /** How many may still be added. */
  room: number
  ready: Promise<void>
}

export interface UserLimitsOptions {
  readonly store: Pick<FlowStore, 'counts' | 'users'>
  readonly settings: FlowSettings
  readonly runtime: Pick<Runtime, 'now'>
  /** Removes what requests of a removed user have added since. */
  readonly removeLeft: (userId: string) => Promise<void>
  /** Receives failures after a committed change. */
  readonly report: (error: unknown) => void
}

export function createUserLimits({
  store,
  settings,
  runtime,
  removeLeft,
  report,
}: UserLimitsOptions): UserLimits {
  const queue = createKeyedQueue()
  const counted = new Map<string, MessageCount>()

  /** Created before the store responds, so that concurrent messages share it. */
  const countOf = (userId: string, limit: number): MessageCount => {
    const at = runtime.now().getTime()
    const known = counted.get(userId)
    if (
      known !== undefined &&
      (known.added < known.room || elapsedMs(known.at, at) < COUNT_AGAIN_MS)
    )
      return known
    const count: MessageCount = { at, added: 0, room: Infinity, ready: Promise.resolve() }
    const look = async (): Promise<void> => {
      count.room = limit - (await store.counts.of(userId, 'messages', limit))
    }
    count.ready = look()
    count.ready.catch(() => counted.delete(userId))
    return setLru(counted, userId, count, COUNTED_USERS)
  }
  const limitOf = (kind: CountedKind): number => settings[LIMITS[kind][0]]
  const check: UserLimits['check'] = async (userId, { kind, added }) => {
    const limit = limitOf(kind)
    if (limit === 0 || added === 0) return
    const count = await store.counts.of(userId, kind, limit)
    if (count + added > limit) throw tooMany(kind, settings)
  }

  /** Does the work; the user may be deleted while it runs. */
  const keep = async <T>(userId: string, work: () => Promise<T>): Promise<T> => {
    const made = await work()
    if (!(await isGone({ report }, () => store.users.get(userId)))) return made
    await removeLeft(userId)
    throw refuse(401, 'User not found or is inactive.', {
      headers: { 'www-authenticate': 'Bearer' },
    })
  }

  const checkBytes = async (userId: string, added: number): Promise<void> => {
    const { maxStoredMbPerUser: most } = settings
    if (added <= 0) return
    const bytes = (await store.counts.fileBytes?.(userId)) ?? 0
    if (bytes + added <= most * MB) return
    const quota = `${most.toLocaleString('en')} MB of files (SERVICE_MAX_STORED_MB_PER_USER)`
    throw refuse(413, `A user may store ${quota}. Remove some first.`)
  }

  return {
    check,
    async storing(userId, work) {
      if (settings.maxStoredMbPerUser === 0) return await work(async () => undefined)
      return await queue(`bytes/${userId}`, () => work((added) => checkBytes(userId, added)))
    },
    async within(userId, adding, work) {
      if (limitOf(adding.kind) === 0 || adding.added === 0) return await keep(userId, work)
      return await queue(`${adding.kind}/${userId}`, async () => {
        // A store may respond synchronously; other requests get a turn between those of one user.
        await eventLoopTurn()
        await check(userId, adding)
        return await keep(userId, work)
      })
    },
    async message(userId) {
      const limit = settings.maxMessagesPerUser
      if (limit === 0) return
      const count = countOf(userId, limit)
      await count.ready
      if (count.added >= count.room) throw tooMany('messages', settings)
      count.added += 1
    },
  }
}

function tooMany(kind: CountedKind, settings: FlowSettings): Refusal {
  const [name, rows] = LIMITS[kind]
  const variable = `SERVICE_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`
  const most = settings[name].toLocaleString('en')
  return refuse(400, `A user may have ${most} ${rows} (${variable}). Remove some first.`)
}
