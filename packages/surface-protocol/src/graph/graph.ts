import { noIds, type Definition } from './definition.ts'

/**
 * The components of a surface with their references in both directions. What was put in can be taken
 * out again until it is committed.
 */
export class Graph {
  readonly #definitions = new Map<string, Definition>()
  // Most components have one owner; the others count how often each of theirs refers to them.
  readonly #owners = new Map<string, string | Map<string, number>>()
  #replaced: { readonly id: string; readonly old: Definition | undefined }[] = []
  #size = 0
  #weighted = 0
  #references = 0
  /** Caches whether components are inside a template, since the last change of an edge. */
  #templated: Map<string, boolean> | null = null

  get definitions(): ReadonlyMap<string, Definition> {
    return this.#definitions
  }

  /** Sum of the sizes of all components (SP-89). */
  get size(): number {
    return this.#size
  }

  /** Number of components that carry a weight. */
  get weighted(): number {
    return this.#weighted
  }

  /** Number of references of all components. */
  get references(): number {
    return this.#references
  }

  put(definition: Definition): void {
    const { id } = definition
    const replaced = { id, old: this.#set(id, definition) }
    // Most messages bring one component: a literal takes less memory than an array that grows.
    if (this.#replaced.length === 0) this.#replaced = [replaced]
    else this.#replaced.push(replaced)
  }

  commit(): void {
    if (this.#replaced.length > 0) this.#replaced = []
  }

  rollback(): void {
    for (const { id, old } of this.#replaced) this.#set(id, old)
    this.#replaced = []
  }

  /** Returns whether any component refers to this id. */
  isReferenced(id: string): boolean {
    return this.#owners.has(id)
  }

  /** The components that refer to an id. */
  owners(id: string): readonly string[] {
    const found = this.#owners.get(id)
    if (found === undefined) return noIds
    return typeof found === 'string' ? [found] : [...found.keys()]
  }

  /** Returns whether a template repeats the component, directly or around it (SP-37). */
  isInTemplate(id: string): boolean {
    if (!this.#owners.has(id)) return false
    this.#templated ??= new Map()
    return findTemplated(id, this, this.#templated)
  }

  /** Puts in or takes out a component and gives the one that was there. */
  #set(id: string, definition: Definition | undefined): Definition | undefined {
    const old = this.#definitions.get(id)
    if (old !== undefined) {
      this.#size -= old.size
      if (old.weight !== undefined) this.#weighted -= 1
    }
    this.#relink(id, old?.edges ?? noIds, definition?.edges ?? noIds)
    // The same component may be repeated by a template now, or no longer.
    if (!sameEdges(old?.templates ?? noIds, definition?.templates ?? noIds)) this.#templated = null
    if (definition === undefined) {
      this.#definitions.delete(id)
      return old
    }
    this.#definitions.set(id, definition)
    this.#size += definition.size
    if (definition.weight !== undefined) this.#weighted += 1
    return old
  }

  #relink(id: string, before: readonly string[], after: readonly string[]): void {
    if (sameEdges(before, after)) return
    this.#templated = null
    this.#references += after.length - before.length
    for (const target of before) removeOwner(this.#owners, target, id)
    for (const target of after) addOwner(this.#owners, target, id)
  }
}

/** Returns whether two components refer to the same ids in the same order. */
export function sameEdges(a: readonly string[], b: readonly string[]): boolean {
  return a === b || (a.length === b.length && a.every((id, index) => id === b[index]))
}

/** Looks upwards from `id` until a template is found; every answer on the way is kept in `known`. */
function findTemplated(id: string, graph: Graph, known: Map<string, boolean>): boolean {
  const stack = [{ id, owners: graph.owners(id), next: 0 }]
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const owner = top.owners[top.next]
    if (known.has(top.id)) stack.pop()
    else if (owner === undefined) known.set(top.id, false)
    else if (known.get(owner) === true || repeats(graph.definitions.get(owner), top.id)) {
      known.set(top.id, true)
    } else if (known.has(owner)) top.next += 1
    else stack.push({ id: owner, owners: graph.owners(owner), next: 0 })
  }
  return known.get(id) === true
}

function repeats(owner: Definition | undefined, id: string): boolean {
  return owner !== undefined && owner.templates.length > 0 && templatesOf(owner).has(id)
}

const templateSets = new WeakMap<Definition, ReadonlySet<string>>()

function templatesOf(owner: Definition): ReadonlySet<string> {
  const known = templateSets.get(owner) ?? new Set(owner.templates)
  templateSets.set(owner, known)
  return known
}

type Owners = Map<string, string | Map<string, number>>

function addOwner(owners: Owners, target: string, id: string): void {
  const found = owners.get(target)
  if (found === undefined) owners.set(target, id)
  else if (typeof found !== 'string') found.set(id, (found.get(id) ?? 0) + 1)
  else if (found === id) owners.set(target, new Map([[id, 2]]))
  else {
    owners.set(
      target,
      new Map([
        [found, 1],
        [id, 1],
      ]),
    )
  }
}

function removeOwner(owners: Owners, target: string, id: string): void {
  const found = owners.get(target)
  if (found === undefined || typeof found === 'string') {
    owners.delete(target)
    return
  }
  const count = found.get(id) ?? 0
  if (count > 1) found.set(id, count - 1)
  else found.delete(id)
  if (found.size === 0) owners.delete(target)
}
