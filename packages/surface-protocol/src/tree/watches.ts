import type { DataChange } from '../data/data-model.ts'
import type { DataPath } from '../data/data-path.ts'
import type { BindingPlan, GroupPlan, Plan } from '../graph/definition.ts'
import type { Instance } from './instance.ts'
import { LocationIndex, type Affected, type Reach, type Watch } from './location-index.ts'
import { hasDots, watchedLocations, type PathMode } from './scope.ts'

/** The data locations the instances of a tree depend on. */
export class Watches {
  readonly #index = new LocationIndex<Instance>()
  readonly #mode: PathMode

  constructor(mode: PathMode) {
    this.#mode = mode
  }

  /** Watches the locations read by an instance's bound values and templates. */
  add(instance: Instance, { bindings, groups }: Plan): void {
    for (let part = 0; part < bindings.length; part += 1)
      this.#addBinding(instance, bindings[part], part)
    for (let part = 0; part < groups.length; part += 1) this.#addGroup(instance, groups[part], part)
  }

  /** Removes the watches of an instance. */
  remove(instance: Instance): void {
    for (const registration of instance.registrations) this.#index.remove(registration)
    instance.registrations = []
  }

  /** Collects the dependents of the changed locations. */
  collectAffected(changes: readonly DataChange[], found: Affected<Instance>): void {
    this.#index.collectAffected(changes, found)
  }

  #addBinding(instance: Instance, binding: BindingPlan | undefined, part: number): void {
    if (binding === undefined) return
    if (binding.dynamic !== undefined) {
      for (const path of binding.dynamic.paths) {
        this.#watch(instance, path, { owner: instance, part, reach: 'deep' })
      }
      if (binding.dynamic.usesIndex) this.#addPosition(instance, part)
    }
    if (binding.path === null) return
    const { kind, path } = binding
    const deep = kind === 'any' || kind === 'stringArray' || this.#dependsOnFallback(path)
    this.#watch(instance, path, { owner: instance, part, reach: deep ? 'deep' : 'value' })
  }

  #addPosition(instance: Instance, part: number): void {
    const { segments, suffix } = instance.scope
    if (suffix === '') return
    const watch = { owner: instance, part, reach: 'keys' } as const
    instance.registrations.push(this.#index.add(segments.slice(0, -1), watch))
  }

  #addGroup(instance: Instance, group: GroupPlan | undefined, position: number): void {
    if (group?.kind !== 'template') return
    const reach: Reach = this.#dependsOnFallback(group.binding) ? 'deep' : 'keys'
    this.#watch(instance, group.binding, { owner: instance, part: -1 - position, reach })
  }

  /** Returns whether a path's target depends on more than the locations along it. */
  #dependsOnFallback(path: DataPath): boolean {
    return this.#mode === 'compatible' && hasDots(path)
  }

  #watch(instance: Instance, path: DataPath, watch: Watch<Instance>): void {
    for (const location of watchedLocations(path, instance.scope, this.#mode)) {
      instance.registrations.push(this.#index.add(location, watch))
    }
  }
}
