import { deferredResponse, responseParts } from './deferred-response.ts'

type HeaderLine = readonly [name: string, value: string]

/** Adds header lines to a response; a deferred one stays deferred. Names are in lower case. */
export function withHeaders(
  response: Response,
  lines: readonly HeaderLine[],
  { replace }: { readonly replace: boolean },
): Response {
  if (lines.length === 0) return response
  const parts = responseParts(response)
  if (parts !== undefined) {
    const { status, headers, body } = parts
    const isReplaced = ([name]: HeaderLine): boolean => {
      return lines.some(([added]) => added.length === name.length && added === name.toLowerCase())
    }
    const kept = replace ? headers.filter((line) => !isReplaced(line)) : headers
    return deferredResponse({ status, headers: [...kept, ...lines], body })
  }
  try {
    return write(response, lines, replace)
  } catch {
    // Headers of a fetched response are immutable.
    return write(new Response(response.body, response), lines, replace)
  }
}

function write(response: Response, lines: readonly HeaderLine[], replace: boolean): Response {
  for (const [name, value] of lines) {
    if (replace) response.headers.set(name, value)
    else response.headers.append(name, value)
  }
  return response
}
