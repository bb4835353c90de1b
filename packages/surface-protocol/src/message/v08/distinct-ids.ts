import { catalogCore } from '../../catalog/catalog.ts'
import { visitReferences } from '../../catalog/references.ts'
import { standardCatalogV08 } from '../../catalog/standard.ts'
import { cloneJson, isPlainObject } from '../../json.ts'
import type { ComponentInstance } from './messages.ts'

const standard = catalogCore(standardCatalogV08)

/** Returns the id that replaces one. */
export type Rename = (id: string) => string

/**
 * Keeps the ids of a surface apart from its texts. Public clients of version 0.8 take any string of a component that
 * equals an id for a reference, so such a component gets another id, `go~1` for `go`, for good.
 */
export class DistinctIds {
  readonly #known = new Map<string, ComponentInstance>()
  /** How many components hold a text. */
  readonly #texts = new Map<string, number>()
  readonly #shown = new Map<string, string>()
  readonly #source = new Map<string, string>()

  /** The components as given, by their own ids. */
  get known(): ReadonlyMap<string, ComponentInstance> {
    return this.#known
  }

  /** The id at the client. */
  readonly shown: Rename = (id) => this.#shown.get(id) ?? id

  /** The id that stands behind one at the client. */
  readonly sourceOf: Rename = (id) => this.#source.get(id) ?? id

  /**
   * Notes new and replaced components.
   * @returns the components that have to be sent: these, the renamed ones, and what refers to them
   */
  update(components: readonly ComponentInstance[]): Set<string> {
    const changed = new Set<string>()
    const suspects = new Set<string>()
    for (const component of components) {
      const { id } = component
      const old = this.#known.get(id)
      if (old !== undefined) for (const text of textsOf(old)) this.#count(text, -1)
      this.#known.set(id, component)
      for (const text of textsOf(component)) {
        this.#count(text, 1)
        const source = this.#source.get(text) ?? text
        if (this.#known.has(source) && this.shown(source) === text) suspects.add(source)
      }
      if (this.#texts.has(this.shown(id))) suspects.add(id)
      changed.add(id)
    }
    for (const id of suspects) if (this.#texts.has(this.shown(id))) this.#rename(id)
    if (suspects.size > 0) {
      for (const id of suspects) changed.add(id)
      for (const [owner, component] of this.#known) {
        if (referencesOf(component).some((id) => suspects.has(id))) changed.add(owner)
      }
    }
    return changed
  }

  /** A component as the client gets it. Default: as it was noted last. */
  toClient(id: string, component = this.#known.get(id)): ComponentInstance | null {
    if (component === undefined) return null
    if (this.#shown.size === 0) return component
    return { ...renameReferences(component, this.shown), id: this.shown(id) }
  }

  /** These components and everything they refer to. */
  closure(ids: ReadonlySet<string>): Set<string> {
    const found = new Set(ids)
    for (const id of found) {
      const component = this.#known.get(id)
      if (component === undefined) found.delete(id)
      else
        for (const target of referencesOf(component)) if (this.#known.has(target)) found.add(target)
    }
    return found
  }

  #rename(id: string): void {
    let number = 1
    let name = `${id}~1`
    while (this.#texts.has(name) || this.#known.has(name) || this.#source.has(name)) {
      number += 1
      name = `${id}~${number}`
    }
    this.#source.delete(this.shown(id))
    this.#shown.set(id, name)
    this.#source.set(name, id)
  }

  #count(text: string, by: 1 | -1): void {
    const count = (this.#texts.get(text) ?? 0) + by
    if (count > 0) this.#texts.set(text, count)
    else this.#texts.delete(text)
  }
}

/** The ids that a component refers to. */
export function referencesOf({ component }: ComponentInstance): string[] {
  const found: string[] = []
  for (const [type, properties] of Object.entries(component)) {
    visitReferences(standard.shape(type), properties, (id) => found.push(id))
  }
  return found
}

/** The component with other ids where it refers to others. */
export function renameReferences(instance: ComponentInstance, rename: Rename): ComponentInstance {
  if (!referencesOf(instance).some((id) => rename(id) !== id)) return instance
  const copy = cloneJson(instance)
  for (const [type, properties] of Object.entries(copy.component)) {
    const found: { readonly id: string; readonly place: readonly (string | number)[] }[] = []
    visitReferences(standard.shape(type), properties, (id, _, place) => {
      found.push({ id, place: [...place] })
    })
    for (const { id, place } of found) {
      let container: unknown = properties
      for (const key of place.slice(0, -1)) {
        if (isPlainObject(container) || Array.isArray(container)) {
          container = (container as Record<string | number, unknown>)[key]
        }
      }
      const key = place.at(-1) ?? ''
      ;(container as Record<string | number, unknown>)[key] = rename(id)
    }
  }
  return copy
}

/** The strings of a component that are no references. */
function textsOf(instance: ComponentInstance): Set<string> {
  const counts = new Map<string, number>()
  const walk = (value: unknown): void => {
    if (typeof value === 'string') counts.set(value, (counts.get(value) ?? 0) + 1)
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(walk)
  }
  Object.values(instance.component).forEach(walk)
  for (const id of referencesOf(instance)) counts.set(id, (counts.get(id) ?? 0) - 1)
  return new Set([...counts].filter(([, count]) => count > 0).map(([text]) => text))
}
