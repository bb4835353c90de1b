import { isAddressOf, vendors, type Vendor } from './vendors.ts'

type Environment = Readonly<Record<string, string>>

interface Key {
  readonly name: string
  readonly value: string
  readonly vendor: Vendor
}

/**
 * Thrown instead of sending a key from the server's environment to an address other than its vendor's.
 */
export class KeyRefusedError extends Error {
  readonly code = 'key_refused'

  constructor(name: string) {
    super(`The key ${name} of the server is not sent to an address of the flow`)
    this.name = 'KeyRefusedError'
  }
}

/** What decides whether a key may be sent somewhere. */
export interface KeyRules {
  readonly environment: Environment
  /** True for a text that the flow, the request or the user's variables hold: it is theirs. Default: none. */
  readonly isOwn?: ((text: string) => boolean) | undefined
}

/** Wraps a fetch so that keys from the environment are sent only to their vendors. */
export function withKeyRules(
  send: typeof fetch,
  { environment, isOwn = () => false }: KeyRules,
): typeof fetch {
  const keys = vendorKeys(environment)
  if (keys.length === 0) return send
  return async (input, init) => {
    const request = input instanceof Request ? input : undefined
    const url = input instanceof Request ? input.url : new URL(input).href
    const isHome = ({ vendor }: Key): boolean => isAddressOf(vendor, url, environment)
    // Two vendors may have equal keys: one gateway's, for example.
    const allowed = new Set(keys.filter(isHome).map(({ value }) => value))
    const foreign = keys.filter(({ value }) => !allowed.has(value))
    if (foreign.length > 0) {
      const sent = [url, ...headerTexts(init?.headers), ...headerTexts(request?.headers)]
      const body = bodyText(init?.body)
      const found = foreign.find(
        ({ value }) =>
          (body.includes(value) || sent.some((text) => text.includes(value))) && !isOwn(value),
      )
      if (found !== undefined) throw new KeyRefusedError(found.name)
    }
    return await send(input, init)
  }
}

/**
 * Makes the same check before a model is created, because its client may exchange the key for a token
 * elsewhere.
 * @throws KeyRefusedError
 */
export function checkKey(
  key: string | undefined,
  address: string | undefined,
  { environment, isOwn = () => false }: KeyRules,
): void {
  if (key === undefined || key === '' || address === undefined) return
  const known = vendorKeys(environment).filter(({ value }) => value === key)
  if (known.length === 0 || known.some(({ vendor }) => isAddressOf(vendor, address, environment)))
    return
  if (isOwn(key)) return
  throw new KeyRefusedError(known[0]?.name ?? '')
}

function vendorKeys(environment: Environment): Key[] {
  return vendors.flatMap((vendor) =>
    vendor.keys.flatMap((name) => {
      const value = Object.hasOwn(environment, name) ? (environment[name] ?? '') : ''
      return value === '' ? [] : [{ name, value, vendor }]
    }),
  )
}

function headerTexts(headers: ConstructorParameters<typeof Headers>[0]): string[] {
  return headers === undefined ? [] : [...new Headers(headers).values()]
}

function bodyText(body: unknown): string {
  if (typeof body === 'string') return body
  return body instanceof URLSearchParams ? [...body.values()].join('\n') : ''
}
