import type { DataChange } from '../data/data-model.ts'
import {
  inTreeOrder,
  appearanceChanged,
  preorder,
  appearanceOf,
  type Instance,
} from './instance.ts'
import { TreeGrowth, type Touched, type TreeSource } from './tree-growth.ts'

/** The tree of a rendered surface, updated incrementally. */
export class Tree {
  readonly #source: TreeSource
  #growth: TreeGrowth

  /** Builds the tree from its root. @throws TreeOverflow */
  constructor(source: TreeSource) {
    this.#source = source
    this.#growth = new TreeGrowth(source)
  }

  get root(): Instance {
    return this.#growth.root
  }

  find(id: string): Instance | undefined {
    return this.#growth.byId.get(id)
  }

  /** All instances, in tree order. */
  instances(): Instance[] {
    return preorder(this.#growth.root)
  }

  /** Instances with warnings from resolving them. */
  warned(): Iterable<Instance> {
    return this.#growth.warned
  }

  /**
   * Applies the changes of a message.
   * @returns new and visibly changed instances, in tree order
   * @throws TreeOverflow; the tree must not be used afterwards
   */
  update(componentIds: readonly string[], data: readonly DataChange[]): readonly Instance[] {
    const before = this.#growth
    if (before.update(componentIds, data) === 'updated') {
      return differing(before.touched, before.byId)
    }
    this.#growth = new TreeGrowth(this.#source)
    return preorder(this.#growth.root).filter((instance) => {
      const { id } = instance
      const seen = before.touched.has(id) ? before.touched.get(id) : before.byId.get(id)
      if (seen === undefined || seen === null) return true
      return appearanceChanged('grown' in seen ? seen : appearanceOf(seen), instance)
    })
  }
}

function differing(touched: Touched, byId: ReadonlyMap<string, Instance>): readonly Instance[] {
  const found: Instance[] = []
  for (const [id, before] of touched) {
    const now = byId.get(id)
    if (now !== undefined && (before === null || appearanceChanged(before, now))) found.push(now)
  }
  return inTreeOrder(found)
}
