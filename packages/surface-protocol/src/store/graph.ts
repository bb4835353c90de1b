import type { Definition } from './definition.ts'

/** The components of a surface with their references in both directions. */
export interface Graph {
  readonly definitions: ReadonlyMap<string, Definition>
  /** Sum of the sizes of all components (SP-89). */
  readonly size: number
  /** Number of components that carry a weight. */
  readonly weighted: number
  /** Puts components in; the function returned takes them out again. */
  put(definitions: Iterable<Definition>): () => void
  /** Whether any component refers to this id. */
  isReferenced(id: string): boolean
  /** The components that refer to an id. */
  owners(id: string): readonly string[]
  /** Whether a template repeats the component, directly or around it (SP-37). */
  isInTemplate(id: string): boolean
}

/** An empty graph. */
export function createGraph(): Graph {
  const definitions = new Map<string, Definition>()
  // Most components have one owner; a list is made for the others only.
  const owners = new Map<string, string | string[]>()
  let size = 0
  let weighted = 0

  const ownersOf = (id: string): readonly string[] => {
    const found = owners.get(id)
    if (found === undefined) return []
    return typeof found === 'string' ? [found] : found
  }

  const set = (id: string, definition: Definition | undefined): void => {
    const old = definitions.get(id)
    if (old !== undefined) {
      size -= old.size
      if (old.weight !== undefined) weighted -= 1
      for (const target of old.edges) removeOwner(owners, target, id)
    }
    if (definition === undefined) {
      definitions.delete(id)
      return
    }
    definitions.set(id, definition)
    size += definition.size
    if (definition.weight !== undefined) weighted += 1
    for (const target of definition.edges) addOwner(owners, target, id)
  }

  return {
    definitions,
    get size() {
      return size
    },
    get weighted() {
      return weighted
    },
    put(batch) {
      const replaced: (readonly [string, Definition | undefined])[] = []
      for (const definition of batch) {
        replaced.push([definition.id, definitions.get(definition.id)])
        set(definition.id, definition)
      }
      return () => {
        for (const [id, definition] of replaced) set(id, definition)
      }
    },
    isReferenced: (id) => owners.has(id),
    owners: ownersOf,
    isInTemplate(id) {
      const seen = new Set([id])
      for (const current of seen) {
        for (const owner of ownersOf(current)) {
          if (definitions.get(owner)?.templates.includes(current) === true) return true
          seen.add(owner)
        }
      }
      return false
    },
  }
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
