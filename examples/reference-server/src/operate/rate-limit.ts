import type { QuotaStore } from '@x/flow-service'
import type { AdapterContext, FetchHandler } from '@x/http-adapters'
import {
  clientNetworkOf,
  createMemoryRateLimitStore,
  createRedisRateLimitStore,
  withRateLimit,
  type BucketLimit,
  type RateLimitStore,
  type RefusalForm,
} from '@x/http-adapters/rate-limit'
import { createRateLimitStore, migrateRateLimits } from '@x/store-kysely/rate-limit'
import type { Kysely } from 'kysely'
import { SettingsError, type Settings } from '../settings/read-settings.ts'
import { createKnownCallers, type KnownCallers } from './known-callers.ts'
import { identified } from './request-log.ts'

/** The rate limit and its inputs. */
export interface RequestLimit<C> {
  /** @param cors headers that allow pages of other origins to read the response */
  wrap(
    handler: FetchHandler<C>,
    cors: (request: Request) => Readonly<Record<string, string>>,
  ): FetchHandler<C>
  /** Called with requests that services have answered. */
  readonly learn: KnownCallers['learn']
  close(): void
}

/** The context of a request, with the id that its response shows. */
interface NamedContext extends AdapterContext {
  readonly requestId: string
}

/** Dependencies of the rate limit. */
interface Surroundings<Tables> {
  readonly db: Kysely<Tables>
  /** True if other processes share the database. */
  readonly isShared: boolean
  readonly onError: (error: unknown) => void
}

const NO_LIMIT = {
  wrap: <T>(handler: T): T => handler,
  learn: () => undefined,
  close: () => undefined,
}

/**
 * Limits requests by user, by SCIM tenant, and by address for unknown callers (`SERVICE_RATE_LIMIT`,
 * OP-17).
 * The buckets are in Redis with `SERVICE_RATE_LIMIT_REDIS_URL`, else in the service's PostgreSQL database,
 * else in memory.
 * @throws SettingsError if Redis cannot be used
 */
export async function openRequestLimit<C extends NamedContext, Tables>(
  settings: Settings,
  { db, isShared, onError }: Surroundings<Tables>,
): Promise<RequestLimit<C>> {
  const { SERVICE_RATE_LIMIT: perMinute = 0 } = settings
  if (perMinute === 0) return NO_LIMIT
  const {
    SERVICE_RATE_LIMIT_ADDRESS: ofAddress = perMinute,
    SERVICE_RATE_LIMIT_BURST: burst,
    SERVICE_RATE_LIMIT_REDIS_URL: redisUrl,
  } = settings
  const callers = createKnownCallers()
  const redis = redisUrl === undefined ? undefined : await openRedis(redisUrl)
  const store = redis?.store ?? (isShared ? await sharedStore(db) : createMemoryRateLimitStore())
  return {
    learn: callers.learn,
    close: () => redis?.close(),
    wrap: (handler, cors) => {
      const limited = withRateLimit<C>(handler, {
        store,
        key(request, context) {
          if (isPreflight(request)) return null
          if (/^\/health(_check)?$/.test(new URL(request.url).pathname)) return null
          const owner = callers.ownerOf(request, context)
          return owner ?? `address:${clientNetworkOf(context.clientAddress ?? '')}`
        },
        limit: (key) => bucket(key.startsWith('address:') ? ofAddress : perMinute, burst),
        form: formOf,
        headers: (request) => readable(cors(request)),
        onStoreError: onError,
      })
      return async (request, context) => {
        const response = await limited(request, context)
        const isRefusal = response.status === 429 && !response.headers.has('x-request-id')
        return isRefusal ? identified(response, context.requestId) : response
      }
    },
  }
}

/** Has no credentials and is answered without reading anything. */
function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers.has('access-control-request-method')
}

/** Lets pages that may read the response see the retry headers. */
function readable(cors: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  if (cors['access-control-allow-origin'] === undefined) return cors
  return { ...cors, 'access-control-expose-headers': 'retry-after, ratelimit, ratelimit-policy' }
}

function bucket(perMinute: number, burst = perMinute): BucketLimit {
  return { perSecond: perMinute / 60, burst }
}

/** Counts daily runs persistently (OP-18). */
export async function quotasOf<Tables>(
  { SERVICE_MAX_RUNS_PER_DAY_PER_USER: runs = 0 }: Settings,
  db: Kysely<Tables>,
): Promise<{ readonly quotas?: QuotaStore }> {
  return runs === 0 ? {} : { quotas: await sharedStore(db) }
}

async function sharedStore<Tables>(db: Kysely<Tables>): Promise<RateLimitStore> {
  await migrateRateLimits(db)
  return createRateLimitStore(db)
}

function formOf({ url }: Request): RefusalForm {
  const { pathname } = new URL(url)
  if (pathname.startsWith('/api/v1/scim/v2')) return 'scim'
  return pathname.startsWith('/api/openai/v1/') ? 'openai' : 'flow'
}

async function openRedis(url: string): Promise<{ store: RateLimitStore; close: () => void }> {
  const name = 'SERVICE_RATE_LIMIT_REDIS_URL'
  if (!/^rediss?:\/\//.test(url) || !URL.canParse(url))
    throw new SettingsError(`${name} must begin with redis:// or rediss://`)
  const { Redis } = await import('ioredis').catch((cause: unknown) => {
    throw new SettingsError(`${name} needs the package ioredis: npm install ioredis`, { cause })
  })
  const redis = new Redis(url, { maxRetriesPerRequest: 1 })
  // Failures are reported by the failing command; without a listener each connection attempt is logged.
  redis.on('error', () => undefined)
  return { store: createRedisRateLimitStore(redis), close: () => redis.disconnect() }
}
