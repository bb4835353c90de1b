const MAX_DEPTH = 16

/**
 * The cause of a failure as shown to hosts: unchanged if it contains no secret, else an Error with
 * masked message and stack. Applied recursively to its own causes.
 */
export function maskedCause(cause: unknown, mask: (text: string) => string): unknown {
  return showsSecret(cause, mask) ? masked(cause, mask) : cause
}

function showsSecret(cause: unknown, mask: (text: string) => string): boolean {
  let error = cause
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    const text = textOf(error)
    if (mask(text) !== text) return true
    if (!(error instanceof Error) || error.cause === undefined) return false
    error = error.cause
  }
  return true
}

function textOf(value: unknown): string {
  return value instanceof Error ? `${value.message}\n${value.stack ?? ''}` : String(value)
}

function masked(cause: unknown, mask: (text: string) => string, depth = 0): unknown {
  if (!(cause instanceof Error)) return mask(String(cause))
  const inner = depth < MAX_DEPTH && cause.cause !== undefined
  const error = new Error(
    mask(cause.message),
    inner ? { cause: masked(cause.cause, mask, depth + 1) } : undefined,
  )
  error.name = cause.name
  error.stack = mask(cause.stack ?? '')
  return error
}
