import { noIds, type Definition } from './definition.ts'

/**
 * The components of a surface with their references in both directions. What was put in can be taken
 * out again until it is committed.
 */
export class Graph {
  readonly #definitions = new Map<string, Definition>()
  // Most components have one owner; a list is made for the others only.
  readonly #owners = new Map<string, string | string[]>()
  #replaced: { readonly id: string; readonly old: Definition | undefined }[] = []
  #size = 0
  #weighted = 0

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

  put(definition: Definition): void {
    const { id } = definition
    this.#replaced.push({ id, old: this.#set(id, definition) })
  }

  commit(): void {
    if (this.#replaced.length > 0) this.#replaced = []
  }

  rollback(): void {
    for (const { id, old } of this.#replaced) this.#set(id, old)
    this.#replaced = []
  }

  /** Whether any component refers to this id. */
  isReferenced(id: string): boolean {
    return this.#owners.has(id)
  }

  /** The components that refer to an id. */
  owners(id: string): readonly string[] {
    const found = this.#owners.get(id)
    if (found === undefined) return noIds
    return typeof found === 'string' ? [found] : found
  }

  /** Whether a template repeats the component, directly or around it (SP-37). */
  isInTemplate(id: string): boolean {
    const seen = new Set([id])
    for (const current of seen) {
      for (const owner of this.owners(current)) {
        if (this.#definitions.get(owner)?.templates.includes(current) === true) return true
        seen.add(owner)
      }
    }
    return false
  }

  /** Puts in or takes out a component and gives the one that was there. */
  #set(id: string, definition: Definition | undefined): Definition | undefined {
    const old = this.#definitions.get(id)
    if (old !== undefined) {
      this.#size -= old.size
      if (old.weight !== undefined) this.#weighted -= 1
    }
    this.#relink(id, old?.edges ?? noIds, definition?.edges ?? noIds)
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
    for (const target of before) removeOwner(this.#owners, target, id)
    for (const target of after) addOwner(this.#owners, target, id)
  }
}

/** Whether two components refer to the same ids in the same order. */
export function sameEdges(a: readonly string[], b: readonly string[]): boolean {
  return a === b || (a.length === b.length && a.every((id, index) => id === b[index]))
}

function addOwner(owners: Map<string, string | string[]>, target: string, id: string): void {
  const found = owners.get(target)
  if (found === undefined) owners.set(target, id)
  else if (typeof found === 'string') owners.set(target, [found, id])
  else found.push(id)
}

function removeOwner(owners: Map<string, string | string[]>, target: string, id: string): void {
  const found = owners.get(target)
  if (!Array.isArray(found)) {
    owners.delete(target)
    return
  }
  found.splice(found.indexOf(id), 1)
  const [last] = found
  if (found.length === 1 && last !== undefined) owners.set(target, last)
}
