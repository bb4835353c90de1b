import { isPlainObject, setOwn, type JsonObject, type JsonValue } from '../../json.ts'

/** A path from the top. */
export function absolute(path: string): string {
  return path.startsWith('/') ? path : `/${path}`
}

/** The whole model that a value at a path makes. */
export function whole({ path, value }: { path: string; value: JsonValue }): JsonValue {
  return path === '/' ? value : withValue({}, { path }, value)
}

/** The model with a value at a path; an index goes into a list, and what is no container gives way. */
export function withValue(
  model: JsonValue,
  { path }: { path: string },
  value: JsonValue,
): JsonValue {
  if (path === '/') return value
  const segments = path.slice(1).split('/')
  const last = segments.pop() ?? ''
  const result: JsonValue = isPlainObject(model) || Array.isArray(model) ? model : {}
  let inner: JsonObject | JsonValue[] = result
  for (const segment of segments) {
    const next: JsonValue | undefined = memberAt(inner, segment)
    const held: JsonObject | JsonValue[] = isPlainObject(next) || Array.isArray(next) ? next : {}
    put(inner, segment, held)
    inner = held
  }
  put(inner, last, value)
  return result
}

function memberAt(container: JsonObject | JsonValue[], key: string): JsonValue | undefined {
  if (Array.isArray(container)) return container[Number(key)]
  return Object.hasOwn(container, key) ? container[key] : undefined
}

function put(container: JsonObject | JsonValue[], key: string, value: JsonValue): void {
  if (!Array.isArray(container)) setOwn(container, key, value)
  else if (/^\d{1,4}$/.test(key)) {
    while (container.length < Number(key)) container.push(null)
    container[Number(key)] = value
  }
}
