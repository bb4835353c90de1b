const ANSWER_MS = 2000
/** Milliseconds for which a result is cached, because the endpoint is public. */
const CACHE_MS = 1000

/** Determines whether this process should receive requests (OP-13). */
export interface Readiness {
  /** The first component that is not ready; undefined if all are. */
  failing(): Promise<string | undefined>
  /** From now on `stopping` is reported. */
  stop(): void
  readonly isStopping: boolean
}

/**
 * Checks components by name, in order; one that rejects or takes 2 s is not ready.
 * @param clock in milliseconds
 */
export function createReadiness(
  parts: Readonly<Record<string, () => Promise<unknown>>>,
  clock: () => number = () => performance.now(),
): Readiness {
  let isStopping = false
  let found: { readonly until: number; readonly failing: Promise<string | undefined> } | undefined
  const ask = async (): Promise<string | undefined> => {
    for (const [name, part] of Object.entries(parts)) {
      if (!(await answersInTime(part))) return name
    }
    return undefined
  }
  return {
    get isStopping() {
      return isStopping
    },
    stop() {
      isStopping = true
    },
    async failing() {
      if (isStopping) return 'stopping'
      if (found === undefined || clock() > found.until)
        found = { until: clock() + CACHE_MS, failing: ask() }
      return (await found.failing) ?? (isStopping ? 'stopping' : undefined)
    },
  }
}

async function answersInTime(part: () => Promise<unknown>): Promise<boolean> {
  const given = new AbortController()
  const late = new Promise<boolean>((resolve) => {
    const timer = setTimeout(() => resolve(false), ANSWER_MS)
    given.signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
  })
  const answer = part().then(
    () => true,
    () => false,
  )
  const answers = await Promise.race([answer, late])
  given.abort()
  return answers
}

/** `GET /health/ready`: 200, or 503 with only the name of the failing component. */
export async function readinessAnswer(readiness: Readiness): Promise<Response> {
  const failed = await readiness.failing()
  const headers = { 'cache-control': 'no-store' }
  return failed === undefined
    ? Response.json({ status: 'ready' }, { headers })
    : Response.json({ status: 'not ready', failed }, { status: 503, headers })
}
