import { SurfaceError } from '../../diagnostics/errors.ts'
import type { JsonObject } from '../../json.ts'
import { catalogCore, type Catalog } from '../catalog.ts'
import { formatCatalog } from '../format-catalog.ts'
import { readCatalog, trustedPatternsOf } from '../parse-catalog.ts'

/**
 * A catalog with the same id and only these components and functions. Unknown names are ignored;
 * kinds that are not listed are kept completely.
 * @throws SurfaceError `invalid_catalog` if nothing is left
 */
export function pruneCatalog(
  catalog: Catalog,
  keep: { readonly components?: readonly string[]; readonly functions?: readonly string[] },
): Catalog {
  const parts = catalogCore(catalog).v09
  if (parts === undefined) return pruneV08(catalog, keep.components)
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

function pruneV08(catalog: Catalog, names: readonly string[] | undefined): Catalog {
  const document = formatCatalog(catalog)
  const components = pick(document.components as JsonObject, names)
  if (Object.keys(components).length === 0) {
    throw new SurfaceError({ code: 'invalid_catalog', detail: 'No component is left.' })
  }
  return readCatalog({ ...document, components }, {}, trustedPatternsOf(catalog))
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
