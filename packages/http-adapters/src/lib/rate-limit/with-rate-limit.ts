import {
  anything,
  callback,
  createSystemRuntime,
  elapsedMs,
  implementing,
  kindOf,
  leftIn,
  optionCheck,
  required,
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

/** Options of a rate limit. */
export interface RateLimitOptions<C> {
  /**
   * The key of a request, such as `user:7`; null or undefined: not limited. Use verified identities or the
   * address, as callers can invent any other key.
   */
  readonly key: (
    request: Request,
    context: C,
  ) => string | null | undefined | Promise<string | null | undefined>
  /** The bucket size of a key. */
  readonly limit: BucketLimit | ((key: string) => BucketLimit)
  /** The bucket store. Default: `createMemoryRateLimitStore()`. */
  readonly store?: RateLimitStore
  /** Name of the policy in the response headers, and key prefix in the store. Default `default`. */
  readonly name?: string
  /** Format of 429 responses. Default `problem`. */
  readonly form?: RefusalForm | ((request: Request) => RefusalForm)
  /** Timeout of the store, in milliseconds. Default 1,000. */
  readonly storeTimeoutMs?: number
  /** Clock and timers. Default: the system's. */
  readonly runtime?: Pick<Runtime, 'now' | 'sleep'>
  /** Called with store errors; meanwhile in-memory buckets are used. Default: none. */
  readonly onStoreError?: (error: unknown) => void
  /** Additional headers of 429 responses, which bypass the handler; for example CORS. */
  readonly headers?: (request: Request) => Readonly<Record<string, string>>
}

const isPositive = (value: unknown): boolean =>
  typeof value === 'number' && Number.isFinite(value) && value > 0

const readOptions = optionCheck<RateLimitOptions<never>>('adapter-errors.md', {
  key: required(callback),
  limit: required(
    kindOf(
      '{ perSecond, burst } or a function',
      (value) => typeof value === 'function' || (typeof value === 'object' && value !== null),
    ),
  ),
  store: implementing('RateLimitStore', 'take'),
  name: kindOf(
    '1 to 40 letters, digits, dots, hyphens or underscores',
    (value) => typeof value === 'string' && /^[\w.-]{1,40}$/.test(value),
  ),
  form: kindOf(
    "'flow', 'openai', 'problem', 'scim' or a function",
    (value) => typeof value === 'function' || isRefusalForm(value),
  ),
  storeTimeoutMs: kindOf('a number above 0', isPositive),
  runtime: anything,
  onStoreError: callback,
  headers: callback,
})

/** After a failure the store is not used for this long, so that requests do not wait for it. */
const ASK_AGAIN_MS = 5000
/** Longer keys are stored as their digest. */
const MAX_KEY_LENGTH = 200

/**
 * Limits a handler to a number of requests per key; further ones get 429 with `retry-after`.
 * Responses carry the headers `RateLimit-Policy` and `RateLimit` of draft-ietf-httpapi-ratelimit-headers-11:
 * bucket size and refill time in seconds; remaining requests and seconds until it is full. Limits with
 * different names can be nested.
 * @throws TypeError naming an invalid option
 */
export function withRateLimit<C = AdapterContext>(
  handler: FetchHandler<C>,
  options: RateLimitOptions<C>,
): FetchHandler<C> {
  readOptions('withRateLimit', options)
  if (typeof options.limit !== 'function') checkLimit(options.limit)
  const { key: keyOf, limit: given, name = 'default', form = 'problem' } = options
  const take = withFallback(options)
  return async (request, context) => {
    const key = await keyOf(request, context)
    if (key === null || key === undefined) return await handler(request, context)
    const limit = typeof given === 'function' ? given(key) : given
    checkLimit(limit)
    const state = await take(
      `${name}:${key.length > MAX_KEY_LENGTH ? await digest(key) : key}`,
      limit,
    )
    const fields = fieldsOf(name, limit, state)
    if (state.allowed)
      return withHeaders(await handler(request, context), fields, { replace: false })
    const refusedIn = typeof form === 'function' ? form(request) : form
    const refused = refusal(request, refusedIn, waitSeconds(limit, state))
    const own = Object.entries(options.headers?.(request) ?? {})
    return withHeaders(refused, [...fields, ...own], { replace: false })
  }
}

/** Uses the store, or in-memory buckets while the store does not respond. */
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
        // A failing limit must not fail the request.
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
    // One more turn, because the response may have arrived while this process was blocked.
    await sleep(0, done.signal)
    throw new Error(`The rate limit store did not respond within ${ms} ms`)
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

function checkLimit({ perSecond, burst }: BucketLimit): void {
  if (!isPositive(perSecond))
    throw new TypeError('withRateLimit: option "limit.perSecond" must be a number above 0')
  if (!Number.isInteger(burst) || burst < 1)
    throw new TypeError('withRateLimit: option "limit.burst" must be a positive integer')
}
