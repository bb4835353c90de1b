/** The request that starts a run: hooks are told of it, and a job keeps it (DR-70). */
export interface RunOrigin {
  readonly requestId?: string
  /** Trace context in the form of HTTP headers. */
  readonly carrier?: Readonly<Record<string, string>>
}

/** Bytes that runs take of a carrier, as JSON, and of an id. */
const MAX_BYTES = 1024

/** The origin of runs; leaves out what runs refuse for its size, since it changes no answer. */
export function runOrigin(
  requestId: string,
  carrier: Readonly<Record<string, string | undefined>>,
): RunOrigin {
  const given = Object.entries(carrier).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )
  const kept = given.length > 0 && isSmall(Object.fromEntries(given))
  return {
    ...(isSmall(requestId) && { requestId }),
    ...(kept && { carrier: Object.fromEntries(given) }),
  }
}

const isSmall = (value: unknown): boolean =>
  new TextEncoder().encode(JSON.stringify(value)).length <= MAX_BYTES
