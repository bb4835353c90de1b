import { reportedCall } from '../components/define/call-reporter.ts'

const PARTS = Symbol.for('@x/flow-engine.observedFetch')

interface Parts {
  readonly original: typeof fetch
  readonly context: object
}

/** Wraps the fetch of a component so that hooks observe its requests. */
export function observedFetch(original: typeof fetch, context: object): typeof fetch {
  const observed: typeof fetch = (input, init) => {
    const name = requestName(input, init)
    return reportedCall(context, { kind: 'request', name }, () => original(input, init))
  }
  return Object.defineProperty(observed, PARTS, { value: { original, context } satisfies Parts })
}

/** Returns the unobserved fetch, for clients that report their calls themselves. */
export function unobservedFetch(given: typeof fetch | undefined): typeof fetch | undefined {
  const parts = given === undefined ? undefined : partsOf(given)
  return parts?.original ?? given
}

/** Observes the requests of a fetch if those of `other` are observed. */
export function observedLike(given: typeof fetch | undefined, other: typeof fetch): typeof fetch {
  const parts = given === undefined ? undefined : partsOf(given)
  return parts === undefined ? other : observedFetch(other, parts.context)
}

function partsOf(given: typeof fetch): Parts | undefined {
  return Reflect.get(given, PARTS) as Parts | undefined
}

/** Method and host only: the rest of a URL may contain secrets. */
function requestName(input: string | URL | Request, init: RequestInit | undefined): string {
  const isRequest = input instanceof Request
  const method = init?.method ?? (isRequest ? input.method : 'GET')
  const address = isRequest ? input.url : String(input)
  return `${method.toUpperCase()} ${URL.canParse(address) ? new URL(address).host : ''}`.trim()
}
