/** Maximum characters of a name before it is truncated for the list. */
const MAX_BASE_LENGTH = 46
/** Maximum characters of a listed name. */
const MAX_NAME_LENGTH = 30

/** The parts of a flow its tool name is derived from. */
export interface NamedFlow {
  readonly id: string
  readonly name: string
  readonly actionName: string | null
}

/**
 * Converts text to a tool name: at most 46 letters, digits and underscores, so that every name matches
 * `[A-Za-z0-9_-]{1,64}`, which the model APIs behind MCP clients require. May be empty.
 */
export function sanitizeToolName(text: string): string {
  const plain = text
    // A name needs no more, and normalising a long text takes time.
    .slice(0, 1000)
    .normalize('NFD')
    .replaceAll(/[^A-Za-z0-9_ -]/g, '')
    .replaceAll(/[ -]/g, '_')
    .replaceAll(/_+/g, '_')
    .replaceAll(/^_|_$/g, '')
  const prefixed = /^\d/.test(plain) ? `_${plain}` : plain
  return prefixed.toLowerCase().slice(0, MAX_BASE_LENGTH).replace(/_$/, '')
}

/** The tool name of a flow, before duplicates are numbered. */
export function baseToolName({ id, name, actionName }: NamedFlow): string {
  const chosen = sanitizeToolName(actionName ?? '') || sanitizeToolName(name)
  return chosen || `flow_${id.replaceAll('-', '').slice(0, 8)}`
}

/**
 * Flows keyed by the names they are listed and called by, in the given order: the first 30
 * characters; duplicates and names in `taken` get the suffix `_1`, `_2` and so on.
 */
export function nameTools<F>(
  flows: readonly F[],
  baseOf: (flow: F) => string,
  taken: ReadonlySet<string> = new Set(),
): Map<string, F> {
  const named = new Map<string, F>()
  const next = new Map<string, number>()
  for (const flow of flows) {
    const base = baseOf(flow)
    let name = base.slice(0, MAX_NAME_LENGTH)
    const first = name
    for (let i = next.get(first) ?? 1; named.has(name) || taken.has(name); i += 1) {
      const suffix = `_${i}`
      name = base.slice(0, MAX_NAME_LENGTH - suffix.length) + suffix
      next.set(first, i + 1)
    }
    named.set(name, flow)
  }
  return named
}
