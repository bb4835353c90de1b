import {
  createSystemRuntime,
  elapsedMs,
  leftIn,
  waitSeconds,
  withHeaders,
  type Runtime,
} from '@x/wire'
import type { AdapterContext, FetchHandler } from '../shapes.ts'
import { isRefusalForm, refusal, type RefusalForm } from './refusal.ts'
import {
  createMemoryRateLimitStore,
  type BucketLimit,
  type BucketState,
  type RateLimitStore,
} from './store.ts'

/** Options of a limit on requests. */
export interface RateLimitOptions<C> {
  /**
   * Whose request this is, `user:7` for example; null or undefined: it is not limited. Take what was
   * verified, or the address: a caller who makes up keys makes up buckets.
   */
  readonly key: (
    request: Request,
    context: C,
  ) => string | null | undefined | Promise<string | null | undefined>
  /** The bucket of a key. */
  readonly limit: BucketLimit | ((key: string) => BucketLimit)
  /** The buckets. Default: `createMemoryRateLimitStore()`. */
  readonly store?: RateLimitStore
  /** Name of the policy in the header fields, and before each key in the store. Default `default`. */
  readonly name?: string
  /** The form of an answer 429. Default `problem`. */
  readonly form?: RefusalForm | ((request: Request) => RefusalForm)
  /** Time that the store has, in milliseconds. Default 1,000. */
  readonly storeTimeoutMs?: number
  /** Clock and timers. Default: those of the system. */
  readonly runtime?: Pick<Runtime, 'now' | 'sleep'>
  /** Called with errors of the store, while the buckets of this process are used. Default: none. */
  readonly onStoreError?: (error: unknown) => void
  /** Header fields of an answer 429, which the handler has no part in: those of CORS for example. */
  readonly headers?: (request: Request) => Readonly<Record<string, string>>
}

/** A store that failed is asked again after this time, so that not each request waits for it. */
const ASK_AGAIN_MS = 5000
/** Longer keys are kept by their digest. */
const LONGEST_KEY = 200

/**
 * Lets a handler answer only so many requests of each key (OP-17); others get 429 with `retry-after`.
 * Answers carry the fields `RateLimit-Policy` and `RateLimit` of
 * draft-ietf-httpapi-ratelimit-headers-11: the bucket's size and the seconds in which it fills; what is
 * left, and the seconds until it is full. Limits may be wrapped around each other under different names.
 *
 * @throws TypeError naming an option that cannot be used
 */
export function withRateLimit<C = AdapterContext>(
  handler: FetchHandler<C>,
  options: RateLimitOptions<C>,
): FetchHandler<C> {
  checkOptions(options)
  const { key: keyOf, limit: given, name = 'default', form = 'problem' } = options
  const take = withFallback(options)
  return async (request, context) => {
    const key = await keyOf(request, context)
    if (key === null || key === undefined) return await handler(request, context)
    const limit = typeof given === 'function' ? given(key) : given
    checkLimit(limit)
    const state = await take(`${name}:${key.length > LONGEST_KEY ? await digest(key) : key}`, limit)
    const fields = fieldsOf(name, limit, state)
    if (state.allowed)
      return withHeaders(await handler(request, context), fields, { replace: false })
    const refusedIn = typeof form === 'function' ? form(request) : form
    const refused = refusal(request, refusedIn, waitSeconds(limit, state))
    const own = Object.entries(options.headers?.(request) ?? {})
    return withHeaders(refused, [...fields, ...own], { replace: false })
  }
}

/** Takes from the store, and from buckets of this process while the store does not answer. */
function withFallback<C>({
  store,
  storeTimeoutMs = 1000,
  onStoreError,
  runtime = createSystemRuntime(),
}: RateLimitOptions<C>): (key: string, limit: BucketLimit) => Promise<BucketState> {
  const own = createMemoryRateLimitStore({ runtime })
  const now = (): number => runtime.now().getTime()
  let failedAt = Number.NEGATIVE_INFINITY
  return async (key, limit) => {
    if (store === undefined || elapsedMs(failedAt, now()) < ASK_AGAIN_MS)
      return await own.take(key, limit)
    try {
      const taken = store.take(key, limit)
      return taken instanceof Promise ? await within(taken, storeTimeoutMs, runtime) : taken
    } catch (error) {
      failedAt = now()
      try {
        onStoreError?.(error)
      } catch {
        // A limit is no reason to fail a request.
      }
      return await own.take(key, limit)
    }
  }
}

async function within<T>(
  work: Promise<T>,
  ms: number,
  { sleep }: Pick<Runtime, 'sleep'>,
): Promise<T> {
  const done = new AbortController()
  const late = async (): Promise<never> => {
    await sleep(ms, done.signal)
    // Another turn: where this process was held up, the answer may have come already.
    await sleep(0, done.signal)
    throw new Error(`The store of rate limits has not answered in ${ms} ms`)
  }
  try {
    return await Promise.race([work, late()])
  } finally {
    done.abort()
  }
}

function fieldsOf(
  name: string,
  limit: BucketLimit,
  state: BucketState,
): (readonly [string, string])[] {
  const window = Math.ceil(limit.burst / limit.perSecond)
  const reset = Math.ceil(state.fullInMs / 1000)
  return [
    ['ratelimit-policy', `"${name}";q=${limit.burst};w=${window}`],
    ['ratelimit', `"${name}";r=${leftIn(limit, state)};t=${reset}`],
  ]
}

async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

const isPositive = (value: unknown): boolean =>
  typeof value === 'number' && Number.isFinite(value) && value > 0

function checkOptions<C>(options: RateLimitOptions<C>): void {
  const { key, limit, store, name = 'default', form = 'problem', storeTimeoutMs = 1000 } = options
  if (typeof key !== 'function') throw new TypeError('key must be a function')
  if (typeof limit !== 'function') checkLimit(limit)
  if (store !== undefined && typeof store.take !== 'function')
    throw new TypeError('store must have the method take')
  if (!/^[\w.-]{1,40}$/.test(name)) throw new TypeError('name must be a word of 1 to 40 characters')
  if (typeof form !== 'function' && !isRefusalForm(form))
    throw new TypeError('form must be flow, scim, openai or problem')
  if (!isPositive(storeTimeoutMs)) throw new TypeError('storeTimeoutMs must be over 0')
}

function checkLimit({ perSecond, burst }: BucketLimit): void {
  if (!isPositive(perSecond)) throw new TypeError('limit.perSecond must be a number over 0')
  if (!Number.isInteger(burst) || burst < 1)
    throw new TypeError('limit.burst must be a positive integer')
}
