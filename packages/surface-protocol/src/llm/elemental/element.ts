import { catalogCore, type Catalog } from '../../catalog/catalog.ts'
import type { ObjectTable, SlotTable } from '../../catalog/v09/table.ts'
import type { Argument, Expression, Statement } from '../express/program.ts'

/** The name of a type's tag, or of a property's attribute: `text-field`. */
export function kebab(name: string): string {
  return name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '-').toLowerCase()
}

/** The name of a property as models write it, without what HTML ignores. */
function plain(name: string): string {
  return name.replaceAll('-', '').toLowerCase()
}

/** The types of catalogs by the names of their tags. */
export function typesByTag(catalogs: readonly Catalog[]): Map<string, [string, ObjectTable]> {
  const found = new Map<string, [string, ObjectTable]>()
  for (const catalog of catalogs) {
    const rows = Object.entries(catalogCore(catalog).v09?.table.components ?? {})
    for (const [type, table] of rows) {
      const tag = `ui-${kebab(type)}`
      if (!found.has(tag)) found.set(tag, [type, table])
    }
  }
  return found
}

/** The property that an attribute means; null for one that the type does not have. */
export function propertyOf(attribute: string, { fields }: ObjectTable): string | null {
  if (Object.hasOwn(fields, attribute)) return attribute
  const names = Object.keys(fields)
  const wanted = plain(attribute)
  const found = names.find((name) => plain(name) === wanted)
  if (found !== undefined) return found
  if (!wanted.startsWith('on')) return null
  if (wanted === 'onclick') return names.find((name) => fields[name] === 'action') ?? null
  return names.find((name) => plain(name) === wanted.slice(2)) ?? null
}

/** The property that holds children without a slot; null if a slot has to say. */
export function childProperty({ fields }: ObjectTable): string | null {
  const names = Object.keys(fields)
  const list = names.find((name) => fields[name] === 'children')
  if (list !== undefined) return list
  const single = names.filter((name) => fields[name] === 'id')
  return single.length === 1 ? (single[0] ?? null) : null
}

/** True for a property that holds any number of components. */
export function takesMany(slot: SlotTable | undefined): boolean {
  return slot === 'children' || (typeof slot === 'object' && 'list' in slot && slot.list === 'id')
}

/** A component of a document, while its tag is open. */
export class Element {
  readonly tag: string
  readonly type: string
  readonly table: ObjectTable
  readonly id: string
  readonly at: number
  /** The path of its template. */
  path: Expression | null = null
  /** Nothing is said of it: a fault was reported. */
  isFaulty = false
  readonly #args = new Map<string, Argument>()
  readonly #children = new Map<string, string[]>()

  constructor(given: Pick<Element, 'tag' | 'type' | 'table' | 'id' | 'at'>) {
    this.tag = given.tag
    this.type = given.type
    this.table = given.table
    this.id = given.id
    this.at = given.at
  }

  set(name: string, value: Expression): void {
    this.#args.set(name, { name, value, at: value.at })
  }

  has(name: string): boolean {
    return this.#args.has(name) || this.#children.has(name)
  }

  /** Adds a child; returns how many its property has. */
  add(name: string, id: string): number {
    const list = this.#children.get(name) ?? []
    this.#children.set(name, list)
    return list.push(id)
  }

  /** True when nothing that the type requires is missing. */
  get isComplete(): boolean {
    const { required = [] } = this.table
    return (
      !this.isFaulty &&
      this.path === null &&
      required.every((name) => this.has(name) || this.#isList(name))
    )
  }

  /** The statement that says the same. */
  statement(): Statement {
    const { type: name, at, id } = this
    const args = [...this.#args.values()]
    for (const [property, ids] of this.#children) {
      const items = ids.map((value): Expression => ({ kind: 'value', value, at }))
      const [first] = items
      const isMany = takesMany(this.table.fields[property])
      const value: Expression | undefined = isMany ? { kind: 'list', items, at } : first
      if (value !== undefined) args.push({ name: property, value, at })
    }
    for (const property of this.table.required ?? []) {
      if (!this.has(property) && this.#isList(property)) {
        args.push({ name: property, value: { kind: 'list', items: [], at }, at })
      }
    }
    args.push({ name: 'id', value: { kind: 'value', value: id, at }, at })
    // A name that begins with a dollar sign would be one of data.
    const owner = id.startsWith('$') ? ` ${id}` : id
    return {
      kind: 'assign',
      name: owner,
      value: { kind: 'call', name, args, isCheck: false, at },
      at,
    }
  }

  #isList(name: string): boolean {
    return this.table.fields[name] === 'children'
  }
}
