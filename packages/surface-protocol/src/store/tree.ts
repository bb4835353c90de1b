import type { SurfaceLimits } from '../limits.ts'
import type { DataChange } from './data-model.ts'
import { isContainer, type DataMap, type DataValue } from './data-value.ts'
import type { Graph } from './graph.ts'
import {
  inTreeOrder,
  looksDifferent,
  sightOf,
  type Instance,
  type InstanceWarning,
  type Sight,
} from './instance.ts'
import { createLocationIndex, type Watch } from './location-index.ts'
import { planOf, type BindingPlan, type GroupPlan } from './plan.ts'
import { resolveBinding, type ResolveContext } from './resolve.ts'
import { entryScope, hasDots, locate, rootScope, watchedLocations } from './scope.ts'
import type { PathMode, Scope } from './scope.ts'

/** What a tree is grown from. */
export interface TreeSource {
  readonly graph: Graph
  readonly data: () => DataMap
  readonly root: string
  readonly mode: PathMode
  readonly limits: Readonly<SurfaceLimits>
}

/** What a message has changed. */
export interface TreeChange {
  readonly componentIds: readonly string[]
  readonly data: readonly DataChange[]
}

/** The tree of a rendered surface, kept up to date change by change (SP-39 to SP-45). */
export interface Tree {
  readonly root: Instance
  find(id: string): Instance | undefined
  /** All instances, in tree order. */
  instances(): Instance[]
  /** Instances that gave warnings when they were resolved. */
  warned(): Iterable<Instance>
  /**
   * Takes in what a message has changed.
   * @returns the instances that look different or are new, in tree order
   * @throws TreeOverflow; the tree is not to be used any more then
   */
  update(change: TreeChange): Instance[]
}

/** The tree would pass a limit (SP-45). */
export class TreeOverflow extends Error {
  readonly limit: 'treeNodes' | 'treeDepth'

  constructor(limit: 'treeNodes' | 'treeDepth') {
    super(`The tree exceeds ${limit}`)
    this.limit = limit
  }
}

/** Grows the tree from its root. @throws TreeOverflow */
export function growTree(source: TreeSource): Tree {
  let growth = grow(source)
  return {
    get root() {
      return growth.root
    },
    find: (id) => growth.byId.get(id),
    instances: () => preorder(growth.root),
    warned: () => growth.warned,
    update(change) {
      const touched = growth.update(change)
      if (touched !== 'regrow') return differing(touched, growth)
      const before = growth
      growth = grow(source)
      return preorder(growth.root).filter((instance) => {
        const sight = before.touched.has(instance.id)
          ? before.touched.get(instance.id)
          : before.byId.get(instance.id)
        return sight === undefined || sight === null || looksDifferent(toSight(sight), instance)
      })
    },
  }
}

function toSight(seen: Sight | Instance): Sight {
  return 'grown' in seen ? seen : sightOf(seen)
}

type Touched = Map<string, Sight | null>

function differing(touched: Touched, { byId }: Growth): Instance[] {
  const found: Instance[] = []
  for (const [id, sight] of touched) {
    const now = byId.get(id)
    if (now !== undefined && (sight === null || looksDifferent(sight, now))) found.push(now)
  }
  return inTreeOrder(found)
}

interface Growth {
  readonly root: Instance
  readonly byId: ReadonlyMap<string, Instance>
  readonly touched: Touched
  readonly warned: ReadonlySet<Instance>
  /** What the change has touched; `regrow` when ids of repeated instances have to be given anew. */
  update(change: TreeChange): Touched | 'regrow'
}

/** Groups are numbered in steps of this, so that children can be added to any of them. */
const GROUP_STEP = 2 ** 32

function grow({ graph, data, root: rootId, mode, limits }: TreeSource): Growth {
  const byId = new Map<string, Instance>()
  const byComponent = new Map<string, Set<Instance>>()
  const warned = new Set<Instance>()
  const index = createLocationIndex<Instance>()
  const touched: Touched = new Map()
  let size = 0
  let repeated = false
  let restructured = false

  const touch = (instance: Instance): void => {
    if (!touched.has(instance.id)) touched.set(instance.id, sightOf(instance))
  }

  const contextOf = (
    { scope, componentId }: Instance,
    warnings: InstanceWarning[],
  ): ResolveContext => ({
    root: data(),
    scope,
    mode,
    fallback: () => scope.suffix !== '' || graph.isInTemplate(componentId),
    warn: (code, pathText) => warnings.push({ code, pathText }),
  })

  const noteWarnings = (instance: Instance, warnings: InstanceWarning[]): void => {
    instance.warnings = warnings
    if (warnings.length > 0) warned.add(instance)
    else warned.delete(instance)
  }

  const create = (componentId: string, parent: Instance | null, scope: Scope): Instance => {
    const depth = (parent?.depth ?? 0) + 1
    size += 1
    if (size > limits.treeNodes) throw new TreeOverflow('treeNodes')
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
    if (byId.has(instance.id)) repeated = true
    else {
      byId.set(instance.id, instance)
      if (!touched.has(instance.id)) touched.set(instance.id, null)
    }
    if (scope.suffix !== '') {
      const others = byComponent.get(componentId)
      if (others === undefined) byComponent.set(componentId, new Set([instance]))
      else others.add(instance)
    }
    fill(instance, new Map())
    return instance
  }

  /** Gives an instance the values and children of its component; children in `pool` are kept. */
  const fill = (instance: Instance, pool: Map<string, Instance>): void => {
    instance.definition = graph.definitions.get(instance.componentId) ?? null
    noteWarnings(instance, [])
    if (instance.definition === null) {
      instance.values = []
      instance.groups = []
      return
    }
    const { bindings, groups } = planOf(instance.definition)
    watchParts(instance, bindings, groups)
    resolveAll(instance, bindings)
    if (groups.length > 0 || instance.groups.length > 0) {
      instance.groups = groups.map((group) => expand(instance, group, pool))
      number(instance)
    }
  }

  const resolveAll = (instance: Instance, bindings: readonly BindingPlan[]): void => {
    if (bindings.length === 0) {
      if (instance.values.length > 0) instance.values = []
      return
    }
    const warnings: InstanceWarning[] = []
    const context = contextOf(instance, warnings)
    instance.values = bindings.map((binding) => resolveBinding(binding, context))
    noteWarnings(instance, warnings)
  }

  const watchParts = (
    instance: Instance,
    bindings: readonly BindingPlan[],
    groups: readonly GroupPlan[],
  ): void => {
    bindings.forEach(({ path, kind }, position) => {
      if (path === null) return
      const deep =
        kind === 'any' || kind === 'stringArray' || (mode === 'compatible' && hasDots(path))
      const watch: Watch<Instance> = {
        owner: instance,
        part: position,
        reach: deep ? 'deep' : 'value',
      }
      for (const location of watchedLocations(path, instance.scope, mode)) {
        instance.registrations.push(index.add(location, watch))
      }
    })
    groups.forEach((group, position) => {
      if (group.kind !== 'template') return
      const deep = mode === 'compatible' && hasDots(group.binding)
      const watch: Watch<Instance> = {
        owner: instance,
        part: -1 - position,
        reach: deep ? 'deep' : 'keys',
      }
      for (const location of watchedLocations(group.binding, instance.scope, mode)) {
        instance.registrations.push(index.add(location, watch))
      }
    })
  }

  const childOf = (
    parent: Instance,
    componentId: string,
    { scope, pool }: { scope: Scope; pool: Map<string, Instance> },
  ): Instance => {
    const id = componentId + scope.suffix
    const kept = pool.get(id)
    if (kept === undefined || kept.scope.pointer !== scope.pointer) {
      return create(componentId, parent, scope)
    }
    pool.delete(id)
    return kept
  }

  const expand = (
    instance: Instance,
    group: GroupPlan,
    pool: Map<string, Instance>,
  ): Instance[] => {
    if (group.kind !== 'template') {
      return group.ids.map((id) => childOf(instance, id, { scope: instance.scope, pool }))
    }
    const { location, value } = entriesOf(instance, group)
    const children: Instance[] = []
    if (value instanceof Map) {
      for (const key of value.keys()) {
        const scope = entryScope(instance.scope, location, key)
        children.push(childOf(instance, group.componentId, { scope, pool }))
      }
    } else if (Array.isArray(value)) {
      for (let position = 0; position < value.length; position += 1) {
        const scope = entryScope(instance.scope, location, String(position))
        children.push(childOf(instance, group.componentId, { scope, pool }))
      }
    }
    return children
  }

  const entriesOf = (
    instance: Instance,
    { binding }: Extract<GroupPlan, { kind: 'template' }>,
  ): { location: readonly string[]; value: DataValue | undefined } => {
    const { location, value, compatible } = locate(data(), binding, { scope: instance.scope, mode })
    const pathText = binding.segments.join('/')
    if (compatible) instance.warnings.push({ code: 'compatible_path', pathText })
    if (value !== undefined && value !== null && !isContainer(value)) {
      instance.warnings.push({ code: 'not_iterable', pathText })
    }
    if (instance.warnings.length > 0) warned.add(instance)
    return { location, value }
  }

  /** Shows what a template's entries have become; an entry added at the end costs no more than itself. */
  const renew = (instance: Instance, position: number, key: string | undefined): void => {
    const { definition } = instance
    const group = definition === null ? undefined : planOf(definition).groups[position]
    const old = instance.groups[position]
    if (group?.kind !== 'template' || old === undefined) return
    if (repeated) {
      restructured = true
      return
    }
    touch(instance)
    instance.warnings = instance.warnings.filter(({ code }) => code === 'binding_type')
    const { location, value } = entriesOf(instance, group)
    if (key !== undefined && isAddition(value, old, key) && sameLocation(old, location)) {
      const scope = entryScope(instance.scope, location, key)
      const child = create(group.componentId, instance, scope)
      child.order = position * GROUP_STEP + old.length
      old.push(child)
      const sight = touched.get(instance.id)
      if (sight !== undefined && sight !== null) sight.grown = true
      return
    }
    const pool = poolOf(old)
    const children = expand(instance, group, pool)
    instance.groups = instance.groups.map((kept, other) => (other === position ? children : kept))
    number(instance)
    for (const child of pool.values()) dispose(child)
  }

  const dispose = (instance: Instance): void => {
    touch(instance)
    instance.alive = false
    size -= 1
    if (byId.get(instance.id) === instance) byId.delete(instance.id)
    byComponent.get(instance.componentId)?.delete(instance)
    warned.delete(instance)
    unwatch(instance)
    for (const group of instance.groups) for (const child of group) dispose(child)
  }

  const unwatch = (instance: Instance): void => {
    for (const registration of instance.registrations) index.remove(registration)
    instance.registrations = []
  }

  const redefine = (instance: Instance): void => {
    touch(instance)
    unwatch(instance)
    const pool = poolOf(instance.groups.flat())
    fill(instance, pool)
    for (const child of pool.values()) dispose(child)
  }

  const redefineAll = (componentId: string): void => {
    const single = byId.get(componentId)
    if (single !== undefined) redefine(single)
    for (const instance of Array.from(byComponent.get(componentId) ?? [])) {
      if (instance.alive) redefine(instance)
    }
  }

  const reactTo = (changes: readonly DataChange[]): void => {
    const templates = new Set<Watch<Instance>>()
    const owners = new Set<Instance>()
    for (const { segments, before } of changes) {
      index.concerned(segments, { added: before === undefined }, (watch) => {
        if (watch.part < 0) templates.add(watch)
        else owners.add(watch.owner)
      })
    }
    const key = changes.length === 1 ? changes[0]?.segments.at(-1) : undefined
    const outerFirst = [...templates].toSorted((a, b) => a.owner.depth - b.owner.depth)
    for (const { owner, part } of outerFirst) if (owner.alive) renew(owner, -1 - part, key)
    for (const owner of owners) {
      if (!owner.alive || owner.definition === null) continue
      touch(owner)
      const kept = owner.warnings.filter(({ code }) => code === 'not_iterable')
      resolveAll(owner, planOf(owner.definition).bindings)
      if (kept.length > 0) noteWarnings(owner, [...owner.warnings, ...kept])
    }
  }

  const root = create(rootId, null, rootScope)
  if (repeated) giveIds(root, byId)
  touched.clear()
  return {
    root,
    byId,
    touched,
    warned,
    update({ componentIds, data: changes }) {
      touched.clear()
      if (repeated && componentIds.length > 0) return 'regrow'
      for (const componentId of componentIds) redefineAll(componentId)
      reactTo(changes)
      return repeated && (restructured || componentIds.length > 0 || touchedNew(touched))
        ? 'regrow'
        : touched
    },
  }
}

function touchedNew(touched: Touched): boolean {
  for (const sight of touched.values()) if (sight === null || sight.grown) return true
  return false
}

function poolOf(children: readonly Instance[]): Map<string, Instance> {
  return new Map(children.map((child) => [child.id, child]))
}

function number({ groups }: Instance): void {
  groups.forEach((children, group) => {
    children.forEach((child, position) => {
      child.order = group * GROUP_STEP + position
    })
  })
}

/** Whether `key` is the one entry of `value` that `children` does not show yet. */
function isAddition(
  value: DataValue | undefined,
  children: readonly Instance[],
  key: string,
): boolean {
  if (Array.isArray(value)) {
    return value.length === children.length + 1 && key === String(children.length)
  }
  if (!(value instanceof Map) || value.size !== children.length + 1) return false
  return value.has(key) && children.at(-1)?.scope.segments.at(-1) !== key
}

function sameLocation(children: readonly Instance[], location: readonly string[]): boolean {
  const scope = children[0]?.scope.segments
  return (
    scope !== undefined &&
    scope.length === location.length + 1 &&
    location.every((segment, index) => segment === scope[index])
  )
}

/** Every instance, a parent before its children. */
function preorder(root: Instance): Instance[] {
  const found: Instance[] = []
  const stack = [root]
  for (let instance = stack.pop(); instance !== undefined; instance = stack.pop()) {
    found.push(instance)
    for (const group of instance.groups.toReversed()) {
      for (const child of group.toReversed()) stack.push(child)
    }
  }
  return found
}

/** Numbers the instances of components that appear more than once (SP-40). */
function giveIds(root: Instance, byId: Map<string, Instance>): void {
  const counts = new Map<string, number>()
  byId.clear()
  for (const instance of preorder(root)) {
    const count = (counts.get(instance.id) ?? 0) + 1
    counts.set(instance.id, count)
    if (count > 1) instance.id = `${instance.id}#${count}`
    byId.set(instance.id, instance)
  }
}
