/** Differences between what is and what was recorded, one line each. */
export function differences(
  actual: unknown,
  expected: unknown,
  options: { readonly path?: string; readonly match?: Record<string, string> } = {},
): string[] {
  const { path = '', match = {} } = options
  const pattern = match[path]
  if (pattern !== undefined) {
    const fits = new RegExp(pattern, 'u').test(String(actual))
    return fits ? [] : [`${path}: ${show(actual)} does not match ${pattern}`]
  }
  if (typeof expected === 'number' && typeof actual === 'number') {
    return Math.abs(actual - expected) <= 1e-4 ? [] : [line(path, actual, expected)]
  }
  if (typeof expected === 'string' && typeof actual === 'string') {
    return sameText(actual, expected) ? [] : [line(path, actual, expected)]
  }
  if (Array.isArray(expected) && Array.isArray(actual)) {
    if (actual.length !== expected.length) return [line(path, actual, expected)]
    return expected.flatMap((item, index) =>
      differences(actual[index], item, { match, path: join(path, String(index)) }),
    )
  }
  if (isObject(expected) && isObject(actual)) {
    const keys = new Set([...Object.keys(expected), ...Object.keys(actual)])
    return [...keys].flatMap((key) =>
      Object.hasOwn(expected, key) === Object.hasOwn(actual, key)
        ? differences(actual[key], expected[key], { match, path: join(path, key) })
        : [line(join(path, key), actual[key], expected[key])],
    )
  }
  return Object.is(actual, expected) ? [] : [line(path, actual, expected)]
}

/** Texts of the libraries behind the recording need not be equal; what counts of them stands before. */
export function sameText(actual: string, expected: string): boolean {
  if (actual === expected) return true
  for (const marker of LIBRARY_TEXTS) {
    const found = marker.exec(expected)
    if (found === null) continue
    const before = expected.slice(0, found.index)
    return actual.startsWith(before) && actual.includes(found[1] ?? '')
  }
  return expected.endsWith('If using all scalar values, you must pass an index')
}

const LIBRARY_TEXTS = [/(\d{3}) Client Error: /, /HTTP Error (\d{3}): /, /invalid syntax/, /\(34, /]

function line(path: string, actual: unknown, expected: unknown): string {
  return `${path}: got ${show(actual)}, recorded ${show(expected)}`
}

function show(value: unknown): string {
  return String(JSON.stringify(value)).slice(0, 600)
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A request with everything left out that may differ freely. */
export function comparableRequest(request: Record<string, unknown>, strict: boolean): object {
  const url = new URL(String(request.url))
  const query = [...url.searchParams].toSorted((a, b) => (a.join('=') < b.join('=') ? -1 : 1))
  const { body } = request
  return {
    method: request.method,
    url: url.origin + url.pathname,
    query,
    headers: request.headers,
    ...(body === undefined ? {} : { body: strict ? body : comparableBody(body) }),
  }
}

const FREE = new Set(['encoding_format', 'stream_options'])

function comparableBody(body: unknown, key = ''): unknown {
  if (key === 'arguments' && typeof body === 'string') return parse(body)
  if (key === 'parameters' && isObject(body)) return inlined(body, body)
  if (Array.isArray(body)) return body.map((item) => comparableBody(item))
  if (!isObject(body)) return body
  const kept = Object.entries(body).filter(
    ([name, value]) =>
      value !== null &&
      !FREE.has(name) &&
      !(name === 'tools' && Array.isArray(value) && value.length === 0) &&
      !(name === 'stream' && value === false) &&
      !(name === 'description' && typeof value === 'string'),
  )
  return Object.fromEntries(kept.map(([name, value]) => [name, comparableBody(value, name)]))
}

/** A schema with its definitions in place, without titles and descriptions. */
function inlined(schema: unknown, root: Record<string, unknown>): unknown {
  if (Array.isArray(schema)) return schema.map((item) => inlined(item, root))
  if (!isObject(schema)) return schema
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)
    return inlined((root.$defs as Record<string, unknown>)[name], root)
  }
  const kept = Object.entries(schema).filter(
    ([key, value]) =>
      key !== '$defs' &&
      !((key === 'title' || key === 'description') && typeof value === 'string') &&
      !(key === 'required' && Array.isArray(value) && value.length === 0) &&
      !(key === 'additionalProperties' && value === false),
  )
  return Object.fromEntries(kept.map(([key, value]) => [key, inlined(value, root)]))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
