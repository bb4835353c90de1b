/** The request that started a run; passed to hooks and stored with a job. */
export interface RunOrigin {
  readonly requestId?: string
  /** Trace context as HTTP headers. */
  readonly carrier?: Readonly<Record<string, string>>
  /** The hash of the API key of its caller. */
  readonly keyHash?: string
}

/** Separates the key from what a run is given. */
export function withoutKey<Request extends object>(
  request: Request & Pick<RunOrigin, 'keyHash'>,
): { readonly request: Request; readonly keyHash: string | undefined } {
  const { keyHash, ...rest } = request
  return { request: rest as unknown as Request, keyHash }
}

/** Maximum bytes of a carrier (as JSON) and of an id. */
const MAX_BYTES = 1024

/** The origin for runs. Values too large for a run are omitted, because they do not affect the response. */
export function runOrigin(
  requestId: string,
  carrier: Readonly<Record<string, string | undefined>>,
  keyHash?: string | null,
): RunOrigin {
  const given = Object.entries(carrier).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )
  const kept = given.length > 0 && isSmall(Object.fromEntries(given))
  return {
    ...(isSmall(requestId) && { requestId }),
    ...(keyHash != null && { keyHash }),
    ...(kept && { carrier: Object.fromEntries(given) }),
  }
}

const isSmall = (value: unknown): boolean =>
  new TextEncoder().encode(JSON.stringify(value)).length <= MAX_BYTES
