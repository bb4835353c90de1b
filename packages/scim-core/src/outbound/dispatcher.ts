import type { Runtime } from '@x/wire'
import type {
  ClaimedDelivery,
  DeliveryResult,
  EndpointKind,
  EndpointRecord,
  OutboxStore,
} from '../store/outbox.ts'

/** The receiver's response to one delivery. */
export interface Attempt {
  /** `gone`: the endpoint wants no further events. */
  readonly outcome: 'delivered' | 'retry' | 'failed' | 'gone'
  readonly status: number | null
  readonly error: string | null
  /** Seconds the receiver asks to wait. */
  readonly retryAfter?: number
}

export interface DispatcherOptions {
  readonly store: OutboxStore
  readonly kinds: readonly EndpointKind[]
  readonly runtime: Runtime
  readonly concurrency: number
  readonly timeoutMs: number
  /** Seconds before each further attempt. */
  readonly retryDelays: readonly number[]
  readonly send: (
    endpoint: EndpointRecord,
    delivery: ClaimedDelivery,
    signal: AbortSignal,
  ) => Promise<Attempt>
  readonly onError: (error: unknown) => void
}

/** Number of deliveries that succeeded, will be retried, or were given up in a round. */
export interface DeliveryCounts {
  readonly delivered: number
  readonly retrying: number
  readonly failed: number
}

/** Delivers the events of an outbox; any number of processes may run one. */
export interface Dispatcher {
  /** Runs one round; resolves when nothing is due any more. */
  deliverDue(): Promise<DeliveryCounts>
  /** Runs until the signal is aborted; deliveries in progress are finished. */
  run(options: { readonly signal: AbortSignal; readonly pollMs?: number }): Promise<void>
}

/** Deliveries a worker claims at once; settling them together takes one transaction. */
const BATCH = 8
/** A request slower than this releases the rest of its batch to other workers. */
const SLOW_MS = 250
const COLLECTED = 500
const MAX_WAITING = 100_000
const LEASE_MARGIN_MS = 15_000
const DAY_SECONDS = 86_400
const ERROR_LENGTH = 200
/** Abort reason for waits that are no longer needed; without one, each abort would create an exception. */
const OVER = 'over'

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { store, kinds, runtime, concurrency, timeoutMs, onError } = options
  const { deliveries, endpoints } = store
  const counts = { delivered: 0, retrying: 0, failed: 0 }
  /** Number of claimed deliveries: a round that claims none ends, even if the store reports due ones. */
  let claimed = 0
  /** Workers at each endpoint; an endpoint that failed last gets only one until it responds again. */
  const working = new Map<string, Set<Promise<void>>>()
  const failing = new Set<string>()
  let free = concurrency

  const attempt = async (endpoint: EndpointRecord, delivery: ClaimedDelivery): Promise<Attempt> => {
    const timeout = new AbortController()
    const finished = new AbortController()
    const expired = runtime.sleep(timeoutMs, finished.signal).then(
      () => {
        timeout.abort()
        return timedOut(timeoutMs)
      },
      () => timedOut(timeoutMs),
    )
    try {
      return await Promise.race([options.send(endpoint, delivery, timeout.signal), expired])
    } catch (error) {
      return timeout.signal.aborted ? timedOut(timeoutMs) : networkError(error)
    } finally {
      finished.abort(OVER)
    }
  }

  const resultOf = (
    { event, attempts: before }: ClaimedDelivery,
    { outcome, status, error, retryAfter = 0 }: Attempt,
  ): DeliveryResult => {
    const attempts = before + 1
    const delay = outcome === 'retry' ? options.retryDelays[before] : undefined
    const state = outcome === 'delivered' ? 'delivered' : delay === undefined ? 'failed' : 'waiting'
    const [jitter = 0] = runtime.randomBytes(1)
    const seconds = Math.max((delay ?? 0) * (1 + jitter / 2_550), Math.min(retryAfter, DAY_SECONDS))
    const nextAt = state === 'waiting' ? new Date(runtime.now().getTime() + seconds * 1_000) : null
    const lastError = error === null ? null : error.slice(0, ERROR_LENGTH)
    return { eventId: event.id, state, attempts, nextAt, lastStatus: status, lastError }
  }

  /** Sends a batch in order; returns false if there was nothing to do. */
  const workOnce = async (endpoint: EndpointRecord): Promise<boolean> => {
    const now = runtime.now()
    const until = new Date(now.getTime() + timeoutMs + LEASE_MARGIN_MS)
    const batch = await deliveries.claim(endpoint.id, { now, until, limit: BATCH })
    claimed += batch.length
    const results: DeliveryResult[] = []
    const rest = [...batch]
    let isGone = false
    for (let one = rest.shift(); one !== undefined && !isGone; one = rest.shift()) {
      const current = one
      const sending = attempt(endpoint, current)
      if (rest.length > 0 && (await isSlow(sending, runtime))) {
        const ids = rest.splice(0).map(({ event }) => event.id)
        await deliveries.release(endpoint.id, ids, until)
      }
      const done = await sending
      if (done.outcome === 'delivered') failing.delete(endpoint.id)
      else failing.add(endpoint.id)
      isGone = done.outcome === 'gone'
      results.push(resultOf(current, done))
    }
    await deliveries.settle(endpoint.id, results, { now: runtime.now(), lease: until })
    for (const { state } of results) {
      counts[state === 'waiting' ? 'retrying' : state] += 1
    }
    if (isGone) {
      const patch = { enabled: false, disabledReason: '410 Gone' }
      await endpoints.update(endpoint.tenant, endpoint.id, patch)
    }
    return batch.length > 0
  }

  const work = async (endpoint: EndpointRecord, stop: AbortSignal | undefined): Promise<void> => {
    try {
      for (let isMore = true; isMore;) {
        isMore = (await workOnce(endpoint)) && stop?.aborted !== true
      }
    } catch (error) {
      onError(error)
    }
  }

  /** Starts as many workers as the endpoints with due deliveries may have. */
  const start = (due: readonly EndpointRecord[], stop?: AbortSignal): readonly Promise<void>[] => {
    const started: Promise<void>[] = []
    for (let isFair = true; isFair && free > 0;) {
      isFair = false
      for (const endpoint of due) {
        const workers = working.get(endpoint.id) ?? new Set<Promise<void>>()
        const share = failing.has(endpoint.id) ? 1 : Math.max(1, concurrency >> 1)
        if (free === 0 || workers.size >= share) continue
        isFair = true
        free -= 1
        working.set(endpoint.id, workers)
        const worker: Promise<void> = work(endpoint, stop).finally(() => {
          free += 1
          workers.delete(worker)
          if (workers.size === 0) working.delete(endpoint.id)
        })
        workers.add(worker)
        started.push(worker)
      }
    }
    return started
  }

  const look = async (): Promise<{ due: readonly EndpointRecord[]; news: number }> => {
    const now = runtime.now()
    const limits = { now, limit: COLLECTED, maxWaiting: MAX_WAITING }
    const news = await deliveries.collect(kinds, limits)
    return { news, due: await deliveries.due(kinds, now) }
  }

  return {
    async deliverDue() {
      const before = { ...counts }
      for (;;) {
        const { due, news } = await look()
        const known = claimed
        const started = start(due)
        const others = due.flatMap(({ id }) => [...(working.get(id) ?? [])])
        await Promise.all([...started, ...others])
        if (news === 0 && claimed === known && others.length === 0) break
      }
      return {
        delivered: counts.delivered - before.delivered,
        retrying: counts.retrying - before.retrying,
        failed: counts.failed - before.failed,
      }
    },

    async run({ signal, pollMs = 1_000 }) {
      while (!signal.aborted) {
        try {
          let more = true
          while (more && !signal.aborted) {
            const { due, news } = await look()
            void start(due, signal)
            more = news >= COLLECTED
          }
        } catch (error) {
          onError(error)
        }
        await runtime.sleep(pollMs, signal).catch(() => undefined)
      }
      await Promise.all([...working.values()].flatMap((workers) => [...workers]))
    },
  }
}

async function isSlow(sending: Promise<unknown>, runtime: Runtime): Promise<boolean> {
  const finished = new AbortController()
  const slow = runtime.sleep(SLOW_MS, finished.signal).then(
    () => true,
    () => false,
  )
  try {
    return await Promise.race([sending.then(() => false), slow])
  } finally {
    finished.abort(OVER)
  }
}

function timedOut(timeoutMs: number): Attempt {
  const error = `The receiver did not answer within ${timeoutMs / 1_000} s`
  return { outcome: 'retry', status: null, error }
}

/** Describes a connection error without address or body. */
function networkError(error: unknown): Attempt {
  const cause: unknown = error instanceof Error ? (error.cause ?? error) : error
  const code: unknown = typeof cause === 'object' && cause !== null && Reflect.get(cause, 'code')
  const message = cause instanceof Error && cause.message !== '' ? cause.message : 'network error'
  return { outcome: 'retry', status: null, error: typeof code === 'string' ? code : message }
}
