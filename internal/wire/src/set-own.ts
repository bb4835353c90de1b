/** Sets an own property, even one named `__proto__`. */
export function setOwn(object: object, name: string, value: unknown): void {
  if (name === '__proto__') {
    Object.defineProperty(object, name, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    })
  } else (object as Record<string, unknown>)[name] = value
}
