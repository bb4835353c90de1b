const TOKEN = /^[\w!#$%&'*+\-.^`|~]+$/

/** The values of a header in raw pairs, joined as `Headers` joins them; null when it is absent. */
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

/** Headers read straight from raw pairs; genuine ones are built for all but `get` and `has` (AD-13). */
export class LeanHeaders {
  readonly #raw: readonly string[]
  #genuine: Headers | undefined

  constructor(raw: readonly string[]) {
    this.#raw = raw
  }

  get(name: string): string | null {
    if (this.#genuine !== undefined || !TOKEN.test(name)) return this.genuine().get(name)
    return rawHeader(this.#raw, name.toLowerCase())
  }

  has(name: string): boolean {
    return this.get(name) !== null
  }

  /** Reads from these headers from now on. */
  adopt(genuine: Headers): void {
    this.#genuine = genuine
  }

  genuine(): Headers {
    if (this.#genuine !== undefined) return this.#genuine
    this.#genuine = new Headers()
    for (let at = 0; at < this.#raw.length; at += 2) {
      const name = this.#raw[at] ?? ''
      if (!name.startsWith(':')) this.#genuine.append(name, this.#raw[at + 1] ?? '')
    }
    return this.#genuine
  }
}

/** Gives a lean class the prototype of the genuine one, and what it lacks from the genuine object. */
export function completeFrom<Lean extends object>(
  lean: { readonly prototype: Lean },
  genuine: { readonly prototype: object },
  build: (object: Lean) => object,
): void {
  Object.setPrototypeOf(lean.prototype, genuine.prototype)
  for (const name of Reflect.ownKeys(genuine.prototype)) {
    if (Object.hasOwn(lean.prototype, name)) continue
    Object.defineProperty(lean.prototype, name, {
      configurable: true,
      get(this: Lean) {
        const object = build(this)
        const value: unknown = Reflect.get(object, name)
        return typeof value === 'function' ? (value.bind(object) as unknown) : value
      },
    })
  }
}
completeFrom(LeanHeaders, Headers, (headers) => headers.genuine())
