/**
 * Makes a class a substitute for a built-in one: its objects are `instanceof` the built-in class, and
 * missing members are forwarded to the genuine object created by `build`.
 */
export function impersonateBuiltin<Lean extends object>(
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
