/** What hangs on a location of the data model. */
export interface Watch<Owner> {
  readonly owner: Owner
  /** Position of a bound value, or `-1 - position` of a template. */
  readonly part: number
  /**
   * How far below the location a change still counts: not at all, only when a key is added or
   * removed there, or wherever it is.
   */
  readonly reach: 'value' | 'keys' | 'deep'
}

/** A place in the index at which something was put; needed to take it out again. */
export interface Registration<Owner> {
  readonly node: Node<Owner>
  readonly watch: Watch<Owner>
}

interface Node<Owner> {
  readonly parent: Node<Owner> | null
  readonly key: string
  children: Map<string, Node<Owner>> | null
  watches: Set<Watch<Owner>> | null
}

/** Finds what a change of the data model concerns, without looking at anything else (SP-44). */
export interface LocationIndex<Owner> {
  add(location: readonly string[], watch: Watch<Owner>): Registration<Owner>
  remove(registration: Registration<Owner>): void
  /** Calls `visit` for what hangs at, above or below a location. */
  concerned(
    location: readonly string[],
    change: { readonly added: boolean },
    visit: (watch: Watch<Owner>) => void,
  ): void
}

/** An empty index. */
export function createLocationIndex<Owner>(): LocationIndex<Owner> {
  const root: Node<Owner> = { parent: null, key: '', children: null, watches: null }

  return {
    add(location, watch) {
      let node = root
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
    },
    remove({ node, watch }) {
      node.watches?.delete(watch)
      for (let current: Node<Owner> | null = node; current !== null; current = current.parent) {
        const busy = (current.watches?.size ?? 0) + (current.children?.size ?? 0)
        if (busy > 0) break
        current.parent?.children?.delete(current.key)
      }
    },
    concerned(location, { added }, visit) {
      let node: Node<Owner> | undefined = root
      for (let depth = 0; depth < location.length; depth += 1) {
        visitAbove(node, { direct: depth === location.length - 1, added }, visit)
        node = node.children?.get(location[depth] ?? '')
        if (node === undefined) return
      }
      visitBelow(node, visit)
    },
  }
}

function visitAbove<Owner>(
  { watches }: Node<Owner>,
  { direct, added }: { readonly direct: boolean; readonly added: boolean },
  visit: (watch: Watch<Owner>) => void,
): void {
  if (watches === null) return
  for (const watch of watches) {
    if (watch.reach === 'deep' || (watch.reach === 'keys' && direct && added)) visit(watch)
  }
}

function visitBelow<Owner>(start: Node<Owner>, visit: (watch: Watch<Owner>) => void): void {
  const stack = [start]
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node.watches !== null) for (const watch of node.watches) visit(watch)
    if (node.children !== null) for (const child of node.children.values()) stack.push(child)
  }
}
