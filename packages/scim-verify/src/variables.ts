import { isObject } from '@x/wire'

/** Values of `{{name}}`. */
export type Variables = ReadonlyMap<string, unknown>

/** A step needs a value that an earlier one did not give. */
export class MissingValueError extends Error {}

const NAME = /\{\{(\w+)\}\}/g

/** A value with `{{name}}` replaced at every depth. @throws MissingValueError */
export function filled<Value>(value: Value, variables: Variables): Value {
  return fill(value, variables) as Value
}

/** The same for a path, whose values are encoded. @throws MissingValueError */
export function filledPath(path: string, variables: Variables): string {
  return path.replaceAll(NAME, (_, name: string) =>
    encodeURIComponent(String(valueOf(name, variables))),
  )
}

function fill(value: unknown, variables: Variables): unknown {
  if (typeof value === 'string') {
    const [, whole] = /^\{\{(\w+)\}\}$/.exec(value) ?? []
    if (whole !== undefined) return valueOf(whole, variables)
    return value.replaceAll(NAME, (_, name: string) => String(valueOf(name, variables)))
  }
  if (Array.isArray(value)) return value.map((one) => fill(one, variables))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [fill(name, variables), fill(one, variables)]),
  )
}

function valueOf(name: string, variables: Variables): unknown {
  const value = variables.get(name)
  if (value === undefined) throw new MissingValueError(`needs ${name} of an earlier check`)
  return value
}

/** The value at a JSON pointer (RFC 6901); undefined if there is none. */
export function valueAt(value: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>(
      (at, part) =>
        typeof at === 'object' && at !== null && Object.hasOwn(at, part)
          ? (at as Readonly<Record<string, unknown>>)[part]
          : undefined,
      value,
    )
}
