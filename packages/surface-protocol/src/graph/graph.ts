import { noIds, type Definition } from './definition.ts'

/**
 * The components of a surface with their references in both directions. Changes can be undone until they
 * are committed.
 */
export class Graph {
  readonly #definitions = new Map<string, Definition>()
  // Most components have one owner; for the others, references are counted per owner.
  readonly #owners = new Map<string, string | Map<string, number>>()
  #replaced: Replaced[] = []
  /** What committed messages replaced, while they can still be taken back. */
  #held: Replaced[] | null = null
  readonly #templating = new Set<string>()
  #size = 0
  #weighted = 0
  #references = 0
  /** Caches whether components are inside a template; reset by changes of edges. */
  #templated: Map<string, boolean> | null = null

  get definitions(): ReadonlyMap<string, Definition> {
    return this.#definitions
  }

  /** Ids of the components with templates. */
  get templating(): ReadonlySet<string> {
    return this.#templating
  }

  /** Sum of the sizes of all components. */
  get size(): number {
    return this.#size
  }

  /** Number of components with a weight. */
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
    // Most messages contain one component: a literal uses less memory than a growing array.
    if (this.#replaced.length === 0) this.#replaced = [replaced]
    else this.#replaced.push(replaced)
  }

  commit(): void {
    if (this.#replaced.length === 0) return
    if (this.#held !== null) for (const one of this.#replaced) this.#held.push(one)
    this.#replaced = []
  }

  /** From now on, what is committed can be taken back. */
  hold(): void {
    this.#held = []
  }

  /** Takes back everything since `hold`. */
  restore(): void {
    this.rollback()
    for (const { id, old } of (this.#held ?? []).toReversed()) this.#set(id, old)
    this.#held = null
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

  /** Returns whether a template repeats the component or one of its ancestors. */
  isInTemplate(id: string): boolean {
    if (!this.#owners.has(id)) return false
    this.#templated ??= new Map()
    return findTemplated(id, this, this.#templated)
  }

  /** Inserts or removes a component and returns the previous one. */
  #set(id: string, definition: Definition | undefined): Definition | undefined {
    const old = this.#definitions.get(id)
    if (old !== undefined) {
      this.#size -= old.size
      if (old.weight !== undefined) this.#weighted -= 1
    }
    this.#relink(id, old?.edges ?? noIds, definition?.edges ?? noIds)
    // A template may now repeat this component, or no longer do so.
    if (!sameEdges(old?.templates ?? noIds, definition?.templates ?? noIds)) this.#templated = null
    if (definition === undefined) {
      this.#definitions.delete(id)
      this.#templating.delete(id)
      return old
    }
    if (definition.templates.length > 0) this.#templating.add(id)
    else this.#templating.delete(id)
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

/** A component that was replaced, or undefined if there was none. */
interface Replaced {
  readonly id: string
  readonly old: Definition | undefined
}

/** Returns whether two components refer to the same ids in the same order. */
export function sameEdges(a: readonly string[], b: readonly string[]): boolean {
  return a === b || (a.length === b.length && a.every((id, index) => id === b[index]))
}

/** Searches upwards from `id` for a template; results on the way are cached in `known`. */
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
