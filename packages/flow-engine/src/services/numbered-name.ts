/**
 * The name itself when it is free, else `name (k)`, k one more than the highest number among the
 * taken names of exactly that form, or 1 (flows.md, projects.md).
 */
export function numberedName(name: string, taken: ReadonlySet<string>): string {
  return numbered(name, taken, { before: `${name} (`, after: ')' })
}

/** The same with `name-k`, for endpoint names. */
export function numberedEndpointName(name: string, taken: ReadonlySet<string>): string {
  return numbered(name, taken, { before: `${name}-`, after: '' })
}

/** The first free of `name`, `name (1)`, `name (2)`, ... */
export function firstFreeName(name: string, taken: ReadonlySet<string>): string {
  let candidate = name
  for (let k = 1; taken.has(candidate); k += 1) candidate = `${name} (${k})`
  return candidate
}

function numbered(
  name: string,
  taken: ReadonlySet<string>,
  { before, after }: { before: string; after: string },
): string {
  if (!taken.has(name)) return name
  let highest = 0
  for (const other of taken) {
    if (!other.startsWith(before) || !other.endsWith(after)) continue
    const digits = other.slice(before.length, other.length - after.length)
    if (/^\d{1,15}$/.test(digits)) highest = Math.max(highest, Number(digits))
  }
  return `${before}${highest + 1}${after}`
}
