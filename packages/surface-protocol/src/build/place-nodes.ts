import { append } from '@x/wire'
import { catalogCore, type Catalog } from '../catalog/catalog.ts'
import { errorFrom, limitError, quote, SurfaceError } from '../diagnostics/errors.ts'
import { defaultLimits } from '../diagnostics/limits.ts'
import { Report } from '../diagnostics/report.ts'
import { setOwn, type JsonObject } from '../json.ts'
import type { UiNode } from './nodes.ts'
import { nodeParts, type NodeParts } from './ui.ts'

/** How a version writes components. */
export interface ComponentForm<C> {
  /** A component without its properties. */
  open(id: string, parts: NodeParts): C
  /** A function that writes values of properties; it places nodes within them with `placeNode`. */
  writer(context: NodeContext<C>, parts: NodeParts): (name: string, value: unknown) => unknown
  /** Puts the properties into their component. */
  close(component: C, properties: JsonObject, parts: NodeParts): void
  /** Where the properties are in a component. */
  place(type: string): readonly string[]
}

/** Components while they are placed: parents before children, depth first. */
export interface Placing<C> {
  readonly form: ComponentForm<C>
  readonly components: C[]
  readonly ids: Set<string>
  readonly catalogs: Set<Catalog>
  /** True if a component may write to the data when it arrives. */
  initialises: boolean
}

/** The component whose properties are written. */
export interface NodeContext<C> {
  readonly build: Placing<C>
  readonly depth: number
  readonly id: string
}

/**
 * Assigns ids and writes the nodes of a tree.
 * @throws SurfaceError for invalid properties, `duplicate_id`, or `limit_exceeded` beyond `treeDepth`
 */
export function placeNodes<C>(root: UiNode, form: ComponentForm<C>): Placing<C> & { root: string } {
  const build: Placing<C> = {
    form,
    components: [],
    ids: new Set(),
    catalogs: new Set(),
    initialises: false,
  }
  const id = placeNode(root, { proposed: 'root', depth: 1 }, build)
  return { ...build, root: id }
}

/** Places a node, with `proposed` as its id unless it has its own, and returns its id. */
export function placeNode<C>(
  node: UiNode,
  { proposed, depth }: { readonly proposed: string; readonly depth: number },
  build: Placing<C>,
): string {
  const parts = nodeParts(node)
  if (parts === null) throw new TypeError('Expected a component created by the builder')
  if (depth > defaultLimits.treeDepth) {
    const detail = `Components may be nested ${defaultLimits.treeDepth} levels deep.`
    throw limitError('treeDepth', detail)
  }
  const { catalog, type } = parts
  const id = parts.id ?? proposed
  if (build.ids.has(id)) {
    const detail = `Two components have the id ${quote(id)}.`
    throw new SurfaceError({ code: 'duplicate_id', detail, componentId: id })
  }
  build.ids.add(id)
  build.catalogs.add(catalog)
  // Its place is reserved before its children are built, since parents come first.
  const component = build.form.open(id, parts)
  build.components.push(component)
  const properties: JsonObject = {}
  const write = build.form.writer({ build, depth, id }, parts)
  for (const [name, value] of Object.entries(parts.properties)) {
    if (value !== undefined) setOwn(properties, name, write(name, value))
  }
  build.form.close(component, properties, parts)
  const report = new Report()
  report.componentId = id
  append(report.path, build.form.place(type))
  const core = catalogCore(catalog)
  core.checkComponent(type, properties, report)
  if (report.errors > 0) throw errorFrom(report.finish())
  if (report.initialises || !core.exact) build.initialises = true
  return id
}
