const ANSWER_MS = 2000
/** Lifetime of a finding: anyone may ask for it. */
const KEPT_MS = 1000

/** Tells whether this process should get requests (OP-13). */
export interface Readiness {
  /** The first part that is not ready; undefined when all are. */
  failing(): Promise<string | undefined>
  /** From now on `stopping` fails. */
  stop(): void
  readonly isStopping: boolean
}

/** Parts by name, in the order they are asked; one that rejects or takes 2 s fails. */
export function createReadiness(
  parts: Readonly<Record<string, () => Promise<unknown>>>,
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
      if (found === undefined || performance.now() > found.until)
        found = { until: performance.now() + KEPT_MS, failing: ask() }
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

/** `GET /health/ready`: 200, or 503 with the name of the failing part and nothing else. */
export async function readinessAnswer(readiness: Readiness): Promise<Response> {
  const failed = await readiness.failing()
  const headers = { 'cache-control': 'no-store' }
  return failed === undefined
    ? Response.json({ status: 'ready' }, { headers })
    : Response.json({ status: 'not ready', failed }, { status: 503, headers })
}
