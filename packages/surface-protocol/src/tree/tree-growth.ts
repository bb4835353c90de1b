import type { SurfaceLimits } from '../diagnostics/limits.ts'
import { formatPointer } from '../json.ts'
import type { DataChange } from '../data/data-model.ts'
import type { DataContainer, DataMap, DataValue } from '../data/data-value.ts'
import type { Graph } from '../graph/graph.ts'
import {
  assignIds,
  appearanceOf,
  type Instance,
  type InstanceWarning,
  type Appearance,
} from './instance.ts'
import type { Affected } from './location-index.ts'
import type { BindingPlan, GroupPlan } from '../graph/definition.ts'
import { planOf, samePlaces } from '../graph/plan.ts'
import {
  GROUP_STEP,
  isAddition,
  isInitial,
  NO_CHILDREN,
  number,
  poolOf,
  sameLocation,
  type Pool,
} from './children.ts'
import { resolveBinding, type SurfaceOwner } from './resolve.ts'
import { entryScope, locate, rootScope } from './scope.ts'
import type { Evaluator } from '../functions/evaluate.ts'
import type { PathMode, Scope } from './scope.ts'
import { Watches } from './watches.ts'

/** The inputs of a tree. */
export interface TreeSource {
  readonly graph: Graph
  readonly data: { readonly root: DataMap }
  readonly root: string
  readonly mode: PathMode
  readonly limits: Readonly<SurfaceLimits>
  readonly evaluator: Evaluator | null
  /** The surface being displayed. */
  readonly owner: SurfaceOwner
}

/** The tree would exceed a limit. */
export class TreeOverflow extends Error {
  readonly limit: 'treeNodes' | 'treeDepth'

  constructor(limit: 'treeNodes' | 'treeDepth') {
    super(`The tree exceeds ${limit}`)
    this.limit = limit
  }
}

/** The appearance of instances before a change, by id; null for new ones. */
export type Touched = Map<string, Appearance | null>

type TemplatePlan = Extract<GroupPlan, { kind: 'template' }>

/** The entries a template repeats for. */
interface Entries {
  readonly location: readonly string[]
  readonly value: DataValue | undefined
}

/** Maintains the instances of a tree until ids of repeated components must be reassigned. */
export class TreeGrowth {
  readonly root: Instance
  readonly byId = new Map<string, Instance>()
  touched: Touched = new Map()
  /** Instances with warnings. */
  readonly warned = new Set<Instance>()
  readonly #source: TreeSource
  /** Instances inside templates, by component. */
  readonly #byComponent = new Map<string, Set<Instance>>()
  /**
   * Instances outside templates with a literal and a path: the literal applies while a template contains
   * the component.
   */
  readonly #initial = new Set<Instance>()
  readonly #watches: Watches
  /** Empty between changes, because most changes affect nothing visible. */
  #affected: Affected<Instance> = { templates: new Set(), owners: new Set() }
  /** Cached positions of keys since the last change. */
  #positions = new Map<DataMap, ReadonlyMap<string, number>>()
  #size = 0
  /** True if a component occurs more than once under one id. */
  #repeated = false
  #restructured = false

  /** @throws TreeOverflow */
  constructor(source: TreeSource) {
    this.#source = source
    this.#watches = new Watches(source.mode)
    this.root = this.#create(source.root, null, rootScope)
    if (this.#repeated) assignIds(this.root, this.byId)
    this.touched = new Map()
  }

  /** Applies a change and records potentially affected instances in `touched`. @throws TreeOverflow */
  update(componentIds: readonly string[], changes: readonly DataChange[]): 'updated' | 'outgrown' {
    // A cleared map keeps its old table reachable, so a new one is created.
    if (this.touched.size > 0) this.touched = new Map()
    if (this.#positions.size > 0) this.#positions = new Map()
    if (this.#repeated && componentIds.length > 0) return 'outgrown'
    for (const componentId of componentIds) this.#redefineAll(componentId)
    if (componentIds.length > 0) for (const instance of this.#initial) this.#revalue(instance)
    this.#react(changes)
    if (!this.#repeated) return 'updated'
    return this.#restructured || componentIds.length > 0 || this.#grew() ? 'outgrown' : 'updated'
  }

  #grew(): boolean {
    for (const before of this.touched.values()) if (before === null || before.grown) return true
    return false
  }

  #touch(instance: Instance): void {
    if (!this.touched.has(instance.id)) this.touched.set(instance.id, appearanceOf(instance))
  }

  #create(componentId: string, parent: Instance | null, scope: Scope): Instance {
    const { limits } = this.#source
    const depth = parent === null ? 1 : parent.depth + 1
    this.#size += 1
    if (this.#size > limits.treeNodes) throw new TreeOverflow('treeNodes')
    if (depth > limits.treeDepth) throw new TreeOverflow('treeDepth')
    const instance: Instance = {
      id: componentId + scope.suffix,
      componentId,
      definition: null,
      parent,
      scope,
      depth,
      order: 0,
      values: [],
      groups: [],
      registrations: [],
      warnings: [],
      alive: true,
    }
    this.#enlist(instance)
    this.#fill(instance, NO_CHILDREN)
    return instance
  }

  #enlist(instance: Instance): void {
    const { id, componentId, scope } = instance
    if (this.byId.has(id)) this.#repeated = true
    else {
      this.byId.set(id, instance)
      if (!this.touched.has(id)) this.touched.set(id, null)
    }
    if (scope.suffix === '') return
    const others = this.#byComponent.get(componentId)
    if (others === undefined) this.#byComponent.set(componentId, new Set([instance]))
    else others.add(instance)
  }

  /** Resolves an instance's values and children; children in `pool` are reused. */
  #fill(instance: Instance, pool: Pool): void {
    const { graph } = this.#source
    instance.definition = graph.definitions.get(instance.componentId) ?? null
    if (instance.warnings.length > 0) this.#warn(instance, [])
    if (instance.definition === null) {
      instance.values = []
      instance.groups = []
      return
    }
    const plan = planOf(instance.definition)
    const { bindings, groups } = plan
    this.#watches.add(instance, plan)
    this.#resolve(instance, bindings)
    if (groups.length > 0 || instance.groups.length > 0) {
      instance.groups = groups.map((group) => this.#expand(instance, group, pool))
      number(instance)
    }
  }

  #resolve(instance: Instance, bindings: readonly BindingPlan[]): void {
    const { scope, componentId } = instance
    if (scope.suffix === '' && bindings.some(isInitial)) this.#initial.add(instance)
    else if (this.#initial.size > 0) this.#initial.delete(instance)
    if (bindings.length === 0) {
      if (instance.values.length > 0) instance.values = []
      return
    }
    const { data, mode, graph, evaluator, owner } = this.#source
    const { root } = data
    const positions = this.#positions
    const warnings: InstanceWarning[] = []
    const context = { root, scope, mode, graph, componentId, positions, warnings, evaluator, owner }
    instance.values = bindings.map((binding) => resolveBinding(binding, context))
    if (warnings.length > 0 || instance.warnings.length > 0) this.#warn(instance, warnings)
  }

  #warn(instance: Instance, warnings: InstanceWarning[]): void {
    instance.warnings = warnings
    if (warnings.length > 0) this.warned.add(instance)
    else this.warned.delete(instance)
  }

  #expand(instance: Instance, group: GroupPlan, pool: Pool): Instance[] {
    if (group.kind !== 'template') {
      return group.ids.map((id) => this.#child(instance, id, { scope: instance.scope, pool }))
    }
    return this.#repeat(instance, group, { pool, ...this.#entriesOf(instance, group) })
  }

  #repeat(instance: Instance, group: TemplatePlan, entries: Entries & { pool: Pool }): Instance[] {
    const { location, value, pool } = entries
    if (!this.#iterates(value)) return []
    const children: Instance[] = []
    for (const key of value.keys()) {
      const scope = entryScope(instance.scope, location, String(key))
      children.push(this.#child(instance, group.componentId, { scope, pool }))
    }
    return children
  }

  #child(parent: Instance, componentId: string, place: { scope: Scope; pool: Pool }): Instance {
    const { scope, pool } = place
    if (pool.size === 0) return this.#create(componentId, parent, scope)
    const id = componentId + scope.suffix
    const kept = pool.get(id)
    if (kept === undefined || kept.scope.pointer !== scope.pointer) {
      return this.#create(componentId, parent, scope)
    }
    pool.delete(id)
    return kept
  }

  /** Version 0.8 iterates maps too. */
  #iterates(value: DataValue | undefined): value is DataContainer {
    return Array.isArray(value) || (value instanceof Map && this.#source.evaluator === null)
  }

  #entriesOf(instance: Instance, { binding }: TemplatePlan): Entries {
    const { data, mode } = this.#source
    const { location, value, compatible } = locate(data.root, binding, {
      scope: instance.scope,
      mode,
    })
    const added: InstanceWarning[] = []
    const pathText = binding.segments.join('/')
    if (compatible) added.push({ code: 'compatible_path', pathText })
    const isMap = value instanceof Map
    const isEmpty = value === undefined || value === null || (isMap && value.size === 0)
    if (!isEmpty && !this.#iterates(value)) {
      const place = isMap ? formatPointer(location) : pathText
      added.push({ code: 'not_iterable', pathText: place, isObject: isMap })
    }
    if (added.length > 0) this.#warn(instance, [...instance.warnings, ...added])
    return { location, value }
  }

  #react(changes: readonly DataChange[]): void {
    if (changes.length === 0) return
    const { templates, owners } = this.#affected
    this.#watches.collectAffected(changes, this.#affected)
    if (templates.size === 0 && owners.size === 0) return
    this.#affected = { templates: new Set(), owners: new Set() }
    if (templates.size > 0) {
      const added = changes.length === 1 ? (changes[0]?.key ?? undefined) : undefined
      const outerFirst = [...templates].toSorted((a, b) => a.owner.depth - b.owner.depth)
      for (const { owner, part } of outerFirst)
        if (owner.alive) this.#renew(owner, -1 - part, added)
    }
    for (const owner of owners) this.#revalue(owner)
  }

  #revalue(owner: Instance): void {
    if (!owner.alive || owner.definition === null) return
    this.#touch(owner)
    const kept = owner.warnings.filter(({ code }) => code === 'not_iterable')
    this.#resolve(owner, planOf(owner.definition).bindings)
    if (kept.length > 0) this.#warn(owner, [...owner.warnings, ...kept])
  }

  /** Updates the entries of a template; adding one entry is proportional to that entry. */
  #renew(instance: Instance, position: number, added: string | undefined): void {
    const group =
      instance.definition === null ? undefined : planOf(instance.definition).groups[position]
    const old = instance.groups[position]
    if (group?.kind !== 'template' || old === undefined) return
    if (this.#repeated) {
      this.#restructured = true
      return
    }
    this.#touch(instance)
    const kept = instance.warnings.filter(({ code }) => code === 'binding_type')
    if (kept.length < instance.warnings.length) this.#warn(instance, kept)
    const { location, value } = this.#entriesOf(instance, group)
    if (
      added !== undefined &&
      this.#iterates(value) &&
      isAddition(value, old, added) &&
      sameLocation(old, location)
    ) {
      const scope = entryScope(instance.scope, location, added)
      const child = this.#create(group.componentId, instance, scope)
      child.order = position * GROUP_STEP + old.length
      old.push(child)
      const before = this.touched.get(instance.id)
      if (before !== undefined && before !== null) before.grown = true
      return
    }
    const pool = poolOf(old)
    const children = this.#repeat(instance, group, { location, value, pool })
    instance.groups = instance.groups.map((same, other) => (other === position ? children : same))
    number(instance)
    for (const child of pool.values()) this.#dispose(child)
  }

  #redefineAll(componentId: string): void {
    const single = this.byId.get(componentId)
    if (single !== undefined) this.#redefine(single)
    const others = this.#byComponent.get(componentId)
    if (others === undefined) return
    for (const instance of Array.from(others)) if (instance.alive) this.#redefine(instance)
  }

  #redefine(instance: Instance): void {
    this.#touch(instance)
    const { definition } = instance
    const next = this.#source.graph.definitions.get(instance.componentId)
    if (definition !== null && next !== undefined && samePlaces(planOf(definition), planOf(next))) {
      instance.definition = next
      this.#resolve(instance, planOf(next).bindings)
      return
    }
    this.#watches.remove(instance)
    const pool = instance.groups.length === 0 ? NO_CHILDREN : poolOf(instance.groups.flat())
    this.#fill(instance, pool)
    for (const child of pool.values()) this.#dispose(child)
  }

  #dispose(instance: Instance): void {
    this.#touch(instance)
    instance.alive = false
    this.#size -= 1
    if (this.byId.get(instance.id) === instance) this.byId.delete(instance.id)
    const others = this.#byComponent.get(instance.componentId)
    others?.delete(instance)
    if (others?.size === 0) this.#byComponent.delete(instance.componentId)
    this.warned.delete(instance)
    this.#initial.delete(instance)
    this.#watches.remove(instance)
    for (const children of instance.groups) for (const child of children) this.#dispose(child)
  }
}
