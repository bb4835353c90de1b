/** Sets an own property, even one named `__proto__`. */
export function setField<T>(target: Record<string, T>, name: string, value: T): void {
  if (name === '__proto__') {
    Object.defineProperty(target, name, {
      value,
      configurable: true,
      enumerable: true,
      writable: true,
    })
  } else target[name] = value
}
