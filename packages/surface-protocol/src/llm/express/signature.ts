import { catalogCore, type Catalog } from '../../catalog/catalog.ts'
import type { ObjectTable } from '../../catalog/v09/table.ts'

/** The properties in the order of positional arguments: that of the document, with `checks` before `weight`. */
export function signatureOf({ fields }: ObjectTable): string[] {
  const names = Object.keys(fields)
  if (fields.checks !== 'checks') return names
  const others = names.filter((name) => name !== 'checks')
  const at = others.at(-1) === 'weight' ? others.length - 1 : others.length
  return [...others.slice(0, at), 'checks', ...others.slice(at)]
}

/** Reads an own member of a table. */
export function memberOf<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}

/** The properties of a type of a catalog. */
export function tableOf(catalog: Catalog, type: string): ObjectTable | undefined {
  return memberOf(catalogCore(catalog).v09?.table.components ?? {}, type)
}
