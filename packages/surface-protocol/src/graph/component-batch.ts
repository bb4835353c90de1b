import { referencesIn } from '../catalog/catalog.ts'
import type { ReferenceFound } from '../catalog/references.ts'
import { quote } from '../diagnostics/errors.ts'
import { formatPointer } from '../json.ts'
import type { Report } from '../diagnostics/report.ts'
import { findEdges, type Definition } from './definition.ts'
import type { Graph } from './graph.ts'
import { findLoops } from './loops.ts'

/** Components of a message by id, in order; for duplicate ids the later one. */
export type ComponentBatch = ReadonlyMap<string, Definition>

/** The kind of message that contained components. */
export type UpdateKind = 'surfaceUpdate' | 'updateComponents' | 'createSurface'

/** Collects the components of a message and reports duplicate ids. */
export function collectBatch(
  instances: readonly Definition[],
  report: Report,
  kind: UpdateKind = 'surfaceUpdate',
): ComponentBatch {
  const batch = new Map<string, Definition>()
  for (const instance of instances) {
    const { id, position } = instance
    if (batch.delete(id)) {
      const finding = { at: [kind, 'components', position, 'id'], componentId: id }
      const text = `The id ${quote(id)} occurs twice in the message.`
      const isError = kind !== 'surfaceUpdate' && report.mode === 'strict'
      if (isError) report.add('duplicate_id', text, finding)
      else report.duplicate('duplicate_id', text, finding)
    }
    findEdges(instance)
    batch.set(id, instance)
  }
  return batch
}

/** Reports loops, duplicate children and meaningless weights. */
export function checkBatch(
  graph: Graph,
  batch: ComponentBatch,
  report: Report,
  kind: UpdateKind = 'surfaceUpdate',
): void {
  if (exceedsReferences(graph, batch, { report, kind })) return
  const loops = findLoops(graph, batch)
  const known = loops.length === 0 ? noReferences : new Map<Definition, ReferenceFound[]>()
  for (const { owner, edge, related } of loops) {
    const references = known.get(owner) ?? referencesOf(owner)
    known.set(owner, references)
    report.add('circular_reference', `The component ${quote(owner.id)} contains itself.`, {
      at: placeOf(owner, kind),
      pointer: pointerOf(owner, references[edge], kind),
      componentId: owner.id,
      related,
    })
  }
  for (const definition of batch.values()) {
    if (report.isSaturated) break
    if (hasRepeats(definition.edges)) reportRepeats(definition, { report, kind })
  }
  if (graph.weighted > 0 || someWeight(batch)) checkWeights(graph, batch, report)
}

const noReferences = new Map<Definition, ReferenceFound[]>()

/** Reports more references than a component or the surface may have. */
function exceedsReferences(
  graph: Graph,
  batch: ComponentBatch,
  { report, kind }: { report: Report; kind: UpdateKind },
): boolean {
  const { references, surfaceReferences } = report.limits
  const { errors } = report
  let total = graph.references
  for (const definition of batch.values()) {
    const { id, edges } = definition
    total += edges.length - (graph.definitions.get(id)?.edges.length ?? 0)
    if (edges.length > references) {
      report.exceeds('references', { at: placeOf(definition, kind), componentId: id })
    }
  }
  if (total > surfaceReferences) report.exceeds('surfaceReferences')
  return report.errors > errors
}

/** The position of a component in its message. */
export function placeOf(
  { position }: Definition,
  kind: UpdateKind = 'surfaceUpdate',
): (string | number)[] {
  return [kind, 'components', position]
}

function referencesOf({ type, properties, core }: Definition): ReferenceFound[] {
  return referencesIn(core, type, properties)
}

function pointerOf(
  { type }: Definition,
  reference: ReferenceFound | undefined,
  kind: UpdateKind,
): string {
  const path = reference?.path ?? ''
  return kind !== 'surfaceUpdate' ? path : `/component${formatPointer([type])}${path}`
}

function hasRepeats(edges: readonly string[]): boolean {
  return edges.length > 1 && new Set(edges).size < edges.length
}

function reportRepeats(
  definition: Definition,
  { report, kind }: { report: Report; kind: UpdateKind },
): void {
  const seen = new Set<string>()
  for (const reference of referencesOf(definition)) {
    if (report.isSaturated) return
    const { componentId } = reference
    if (seen.has(componentId)) {
      report.warn('duplicate_child', `The child ${quote(componentId)} occurs twice.`, {
        at: placeOf(definition, kind),
        pointer: pointerOf(definition, reference, kind),
        componentId: definition.id,
        related: [componentId],
      })
    }
    seen.add(componentId)
  }
}

function someWeight(batch: ComponentBatch): boolean {
  for (const { weight } of batch.values()) if (weight !== undefined) return true
  return false
}

/** Checks each weighted component that the message defines or gives a parent. */
function checkWeights(graph: Graph, batch: ComponentBatch, report: Report): void {
  const find = (id: string): Definition | undefined => batch.get(id) ?? graph.definitions.get(id)
  const parents = new Map<string, Set<string>>()
  for (const { id, edges, weight } of batch.values()) {
    if (weight !== undefined && !parents.has(id)) parents.set(id, new Set())
    for (const child of edges) {
      if (find(child)?.weight === undefined) continue
      parents.set(child, (parents.get(child) ?? new Set()).add(id))
    }
  }
  for (const [child, owners] of parents) {
    for (const owner of graph.owners(child)) if (!batch.has(owner)) owners.add(owner)
    const types = [...owners].map((id) => find(id)?.type)
    if (types.length === 0 || types.some((type) => type === 'Row' || type === 'Column')) continue
    const sent = batch.get(child)
    const owner = batch.get([...owners][0] ?? '')
    report.warn('misplaced_weight', 'A weight has an effect only on children of a Row or Column.', {
      at:
        sent !== undefined
          ? [...placeOf(sent), 'weight']
          : owner === undefined
            ? []
            : placeOf(owner),
      componentId: child,
    })
  }
}
