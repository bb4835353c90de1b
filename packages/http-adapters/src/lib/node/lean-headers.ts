import { impersonateBuiltin } from '@x/wire'

const TOKEN = /^[\w!#$%&'*+\-.^`|~]+$/

/** The values of a header in raw pairs, joined like `Headers` does; null if absent. */
export function rawHeader(raw: readonly string[], name: string): string | null {
  let found: string | null = null
  for (let at = 0; at < raw.length; at += 2) {
    const sent = raw[at] ?? ''
    if (sent.length !== name.length || (sent !== name && sent.toLowerCase() !== name)) continue
    const value = raw[at + 1] ?? ''
    found = found === null ? value : `${found}${name === 'cookie' ? '; ' : ', '}${value}`
  }
  return found
}

/**
 * Headers read directly from raw pairs; genuine Headers are built for everything but `get` and `has`.
 */
export class LeanHeaders {
  readonly #raw: readonly string[]
  /** The genuine headers, used once they exist. */
  genuine: Headers | undefined = undefined

  constructor(raw: readonly string[]) {
    this.#raw = raw
  }

  get(name: string): string | null {
    if (this.genuine !== undefined || !TOKEN.test(name)) return this.build().get(name)
    return rawHeader(this.#raw, name.toLowerCase())
  }

  has(name: string): boolean {
    return this.get(name) !== null
  }

  build(): Headers {
    if (this.genuine !== undefined) return this.genuine
    this.genuine = new Headers()
    for (let at = 0; at < this.#raw.length; at += 2) {
      const name = this.#raw[at] ?? ''
      if (!name.startsWith(':')) this.genuine.append(name, this.#raw[at + 1] ?? '')
    }
    return this.genuine
  }
}
impersonateBuiltin(LeanHeaders, Headers, (headers) => headers.build())
