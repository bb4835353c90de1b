import type { DataChange } from '../data/data-model.ts'

/** Which changes below a location count: none, added or removed keys, or any. */
export type Reach = 'value' | 'keys' | 'deep'

/** A dependent of a data location. */
export interface Watch<Owner> {
  readonly owner: Owner
  /** Index of a bound value, or `-1 - index` of a template. */
  readonly part: number
  readonly reach: Reach
}

/** An index position at which a watch was registered; needed for its removal. */
export interface Registration<Owner> {
  readonly node: Node<Owner>
  readonly watch: Watch<Owner>
}

/** The dependents of a change: templates individually, bound values by owner. */
export interface Affected<Owner> {
  readonly templates: Set<Watch<Owner>>
  readonly owners: Set<Owner>
}

interface Node<Owner> {
  readonly parent: Node<Owner> | null
  readonly key: string
  children: Map<string, Node<Owner>> | null
  watches: Set<Watch<Owner>> | null
}

/** Finds the dependents of a data model change without visiting anything else. */
export class LocationIndex<Owner> {
  readonly #root: Node<Owner> = { parent: null, key: '', children: null, watches: null }

  add(location: readonly string[], watch: Watch<Owner>): Registration<Owner> {
    let node = this.#root
    for (const key of location) {
      node.children ??= new Map()
      let next = node.children.get(key)
      if (next === undefined) {
        next = { parent: node, key, children: null, watches: null }
        node.children.set(key, next)
      }
      node = next
    }
    node.watches ??= new Set()
    node.watches.add(watch)
    return { node, watch }
  }

  remove({ node, watch }: Registration<Owner>): void {
    node.watches?.delete(watch)
    for (let current: Node<Owner> | null = node; current !== null; current = current.parent) {
      const busy = (current.watches?.size ?? 0) + (current.children?.size ?? 0)
      if (busy > 0) break
      current.parent?.children?.delete(current.key)
    }
  }

  /** Collects watches at, above and below the changed locations. */
  collectAffected(changes: readonly DataChange[], found: Affected<Owner>): void {
    let parent: readonly string[] | null = null
    let container: Node<Owner> | undefined
    for (const change of changes) {
      // Keys changed by one message share their parent, so the path to it is walked once.
      if (change.parent !== parent) {
        ;({ parent } = change)
        container = this.#descend(parent, found)
      }
      if (container === undefined) continue
      const { key } = change
      if (key === null) collectBelow(container, found)
      else {
        if (container.watches !== null) noteWatches(container.watches, changesKeys(change), found)
        const node = container.children?.get(key)
        if (node !== undefined) collectBelow(node, found)
      }
    }
  }

  /** The node of a location, collecting watches above it; undefined if there are none at it or below. */
  #descend(location: readonly string[], found: Affected<Owner>): Node<Owner> | undefined {
    let node = this.#root
    for (const key of location) {
      if (node.watches !== null) noteWatches(node.watches, false, found)
      const next = node.children?.get(key)
      if (next === undefined) return undefined
      node = next
    }
    return node
  }
}

/** Returns whether a key was added or removed. */
function changesKeys({ before, removed }: DataChange): boolean {
  return before === undefined || removed === true
}

/** Collects watches affected by a change below them; `added`: one of their keys is new. */
function noteWatches<Owner>(
  watches: ReadonlySet<Watch<Owner>>,
  added: boolean,
  found: Affected<Owner>,
): void {
  for (const watch of watches) {
    if (watch.reach === 'deep' || (watch.reach === 'keys' && added)) note(watch, found)
  }
}

function note<Owner>(watch: Watch<Owner>, { templates, owners }: Affected<Owner>): void {
  if (watch.part < 0) templates.add(watch)
  else owners.add(watch.owner)
}

function collectBelow<Owner>(start: Node<Owner>, found: Affected<Owner>): void {
  const stack = [start]
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node.watches !== null) for (const watch of node.watches) note(watch, found)
    if (node.children !== null) for (const child of node.children.values()) stack.push(child)
  }
}
