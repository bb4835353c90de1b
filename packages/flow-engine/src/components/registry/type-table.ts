import table from './type-table.json' with { type: 'json' }

/** The names of a type in flow files of versions 1.0 to 1.13. */
interface TableRow {
  /** `bundle:Class` from ids of the form `ext:<bundle>:<Class>@<slot>`. */
  readonly ext?: readonly string[]
  /** Class names and former type names, as in `data.type`. */
  readonly names?: readonly string[]
  /** Import paths, as in `metadata.module`. */
  readonly modules?: readonly string[]
  /** Fields that a node must have for a name to refer to the type, by name. */
  readonly needs?: Readonly<Record<string, string>>
  /** Why the type is not built in, for error messages. */
  readonly why?: string
}

export interface TypeTable {
  readonly ext: ReadonlyMap<string, string>
  readonly names: ReadonlyMap<string, string>
  readonly modules: ReadonlyMap<string, string>
  /** The field that a node must have, by name. */
  readonly needs: ReadonlyMap<string, string>
  readonly reasons: ReadonlyMap<string, string>
}

/** `type-table.json`, indexed by each kind of name; ambiguous names are omitted. */
export const typeTable: TypeTable = readTable(table)

function readTable({
  ambiguous,
  types,
}: {
  readonly ambiguous: readonly string[]
  readonly types: Readonly<Record<string, TableRow>>
}): TypeTable {
  const ext = new Map<string, string>()
  const names = new Map<string, string>()
  const modules = new Map<string, string>()
  const needs = new Map<string, string>()
  const reasons = new Map<string, string>()
  for (const [type, row] of Object.entries(types)) {
    for (const name of row.ext ?? []) ext.set(name, type)
    for (const name of row.names ?? []) names.set(name, type)
    for (const name of row.modules ?? []) modules.set(name, type)
    for (const [name, needed] of Object.entries(row.needs ?? {})) needs.set(name, needed)
    if (row.why !== undefined) reasons.set(type, row.why)
  }
  for (const name of ambiguous) names.delete(name)
  return { ext, names, modules, needs, reasons }
}
