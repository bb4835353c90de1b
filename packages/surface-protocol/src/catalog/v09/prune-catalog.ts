import { SurfaceError } from '../../diagnostics/errors.ts'
import { catalogCore, type Catalog } from '../catalog.ts'

/**
 * A catalog with the same id and only these components and functions (SN-48). Unknown names are ignored;
 * kinds that are not listed are kept completely.
 * @throws SurfaceError `invalid_catalog` if nothing is left; TypeError for a catalog of version 0.8
 */
export function pruneCatalog(
  catalog: Catalog,
  keep: { readonly components?: readonly string[]; readonly functions?: readonly string[] },
): Catalog {
  const parts = catalogCore(catalog).v09
  if (parts === undefined) throw new TypeError('A catalog of version 0.9.1 or 1.0 is expected')
  const { table } = parts
  const components = pick(table.components, keep.components)
  const functions = pick(table.functions, keep.functions)
  if (Object.keys(components).length === 0) {
    throw new SurfaceError({ code: 'invalid_catalog', detail: 'No component is left.' })
  }
  const { instructions, ...rest } = table
  const gone = [table.components, table.functions].flatMap(Object.keys)
  const kept = new Set([components, functions].flatMap(Object.keys))
  const names = gone.filter((name) => !kept.has(name))
  const isTrue = instructions !== undefined && !mentions(instructions, names)
  return parts.remake({ ...rest, components, functions, ...(isTrue ? { instructions } : {}) })
}

/** Returns whether a text mentions one of the names, and thus describes a removed part. */
function mentions(text: string, names: readonly string[]): boolean {
  const words = new Set(text.match(/\w+/g))
  return names.some((name) => words.has(name))
}

function pick<T>(
  all: Readonly<Record<string, T>>,
  names: readonly string[] | undefined,
): Readonly<Record<string, T>> {
  if (names === undefined) return all
  const kept = new Set(names)
  return Object.fromEntries(Object.entries(all).filter(([name]) => kept.has(name)))
}
