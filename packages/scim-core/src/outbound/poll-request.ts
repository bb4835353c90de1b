/** A receiver's poll request (RFC 8936 section 2.2). */
export interface PollRequest {
  readonly maxEvents: number
  readonly returnImmediately: boolean
  readonly ack: readonly string[]
  /** `jti` and the error. */
  readonly setErrs: readonly (readonly [jti: string, error: string])[]
}

const MAX_EVENTS = 100
const MAX_SETTLED = 10_000

/** Parses the body of a poll. Returns an error message if it is invalid. */
export function readPollRequest(text: string | null): PollRequest | string {
  const body = parse(text)
  if (body === null) return 'The body must be a JSON object.'
  const { maxEvents = MAX_EVENTS, returnImmediately = false, ack = [], setErrs = {} } = body
  if (!Number.isInteger(maxEvents) || Number(maxEvents) < 0) {
    return 'maxEvents must be an integer.'
  }
  if (typeof returnImmediately !== 'boolean') return 'returnImmediately must be a boolean.'
  if (!Array.isArray(ack) || !ack.every((one) => typeof one === 'string')) {
    return 'ack must be a list of strings.'
  }
  const errors = readErrors(setErrs)
  if (errors === null) return 'setErrs must hold an object with err for each jti.'
  if (ack.length + errors.length > MAX_SETTLED) return `At most ${MAX_SETTLED} tokens at a time.`
  return {
    maxEvents: Math.min(Number(maxEvents), MAX_EVENTS),
    returnImmediately,
    ack,
    setErrs: errors,
  }
}

function readErrors(value: unknown): (readonly [string, string])[] | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const entries: (readonly [string, string])[] = []
  for (const [jti, error] of Object.entries(value) as [string, unknown][]) {
    if (typeof error !== 'object' || error === null) return null
    const err: unknown = Reflect.get(error, 'err')
    const description: unknown = Reflect.get(error, 'description')
    if (typeof err !== 'string') return null
    const text = typeof description === 'string' ? `${err}: ${description}` : err
    entries.push([jti, text.slice(0, 200)])
  }
  return entries
}

function parse(text: string | null): Record<string, unknown> | null {
  try {
    const body: unknown = JSON.parse(text ?? '')
    const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
    return isObject ? (body as Record<string, unknown>) : null
  } catch {
    return null
  }
}
