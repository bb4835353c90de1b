import { checkComponentV1 } from '../../catalog/v1/catalog-v1.ts'
import { findCatalog } from '../../catalog/v1/find-catalog.ts'
import type { DataMap } from '../../data/data-value.ts'
import { isIdentifier } from '../../data/identifier.ts'
import { quote } from '../../diagnostics/errors.ts'
import type { Report } from '../../diagnostics/report.ts'
import { checkBatch, collectBatch, type ComponentBatch } from '../../graph/component-batch.ts'
import { noIds, type Definition } from '../../graph/definition.ts'
import { sameEdges } from '../../graph/graph.ts'
import { readMessageV1, type MessageDraftV1 } from '../../message/v1/read-message-v1.ts'
import { openChange, removeSurface, settle } from '../change.ts'
import { depthOf } from '../local-write.ts'
import { updateData } from '../process-v09.ts'
import type { Surface } from '../surface.ts'
import { checkComposition } from './check-composition.ts'
import { checkIndexes } from './check-indexes.ts'
import type { Processed, StoreState } from '../state.ts'

type Draft<K extends MessageDraftV1['kind']> = Extract<MessageDraftV1, { kind: K }>

/** Reads and applies one message of version 1.0 atomically. */
export function processMessageV1(state: StoreState, message: unknown, report: Report): Processed {
  const draft = readMessageV1(message, report)
  if (draft === null) return 'refused'
  switch (draft.kind) {
    case 'deleteSurface':
      return removeSurface(state, draft.surfaceId)
    case 'createSurface':
      return create(state, draft, report)
    case 'callRendererFunction':
    case 'agentFunctionResponse':
      return 'nothing'
    default:
  }
  if (!state.surfaces.has(draft.surfaceId)) {
    report.add('surface_not_found', `There is no surface ${quote(draft.surfaceId)}.`, {
      at: [draft.kind, 'surfaceId'],
    })
    return 'refused'
  }
  if (draft.kind === 'updateComponents') return updateComponents(state, draft, report)
  return updateData(state, { ...draft, value: draft.value ?? undefined }, report)
}

/** Creates surface, data and components at once. */
function create(state: StoreState, draft: Draft<'createSurface'>, report: Report): Processed {
  const { surfaceId, catalogId: named, components, dataModel } = draft
  if (state.surfaces.has(surfaceId)) {
    report.add('surface_exists', `The surface ${quote(surfaceId)} exists.`, {
      at: ['createSurface', 'surfaceId'],
    })
    return 'refused'
  }
  if (named !== null) {
    const found = findCatalog(named, null, (id) => state.settings.findCatalog(id).core)
    if (found.core === null) {
      report.add(found.code, found.message, { at: ['createSurface', 'catalogId'] })
      return 'refused'
    }
  }
  const change = openChange(state, surfaceId, report)
  const { surface } = change
  surface.root = 'root'
  surface.catalogId = named
  surface.sendDataModel = draft.sendDataModel
  surface.metadata = draft.metadata
  surface.styleSize = draft.metadataSize
  checkDepth(dataModel, report)
  if (report.errors > 0) return 'refused'
  surface.data.replace(dataModel)
  if (dataModel.size > 0) change.dataPaths = ['']
  if (components.length > 0) {
    const batch = putComponents(state, surface, { components, kind: 'createSurface', report })
    if (batch === null) return 'refused'
    change.componentIds = [...batch.keys()]
  }
  return settle(state, change, { status: statusOf(surface), report })
}

function checkDepth(dataModel: DataMap, report: Report): void {
  if (depthOf(dataModel) <= report.limits.dataDepth + 1) return
  report.exceeds('dataDepth', { at: ['createSurface', 'dataModel'] })
}

function updateComponents(
  state: StoreState,
  { surfaceId, components }: Draft<'updateComponents'>,
  report: Report,
): Processed {
  const change = openChange(state, surfaceId, report)
  const { surface } = change
  const batch = putComponents(state, surface, { components, kind: 'updateComponents', report })
  if (batch === null) return 'refused'
  change.componentIds = [...batch.keys()]
  return settle(state, change, { status: statusOf(surface), report })
}

function statusOf({ graph }: Surface): 'rendered' | 'pending' {
  return graph.definitions.has('root') ? 'rendered' : 'pending'
}

/** The message that contained the components. */
type Carrier = 'createSurface' | 'updateComponents'

/** Validates components and inserts them into their surface's graph; null if they are rejected. */
function putComponents(
  state: StoreState,
  surface: Surface,
  {
    components,
    kind,
    report,
  }: { components: readonly Definition[]; kind: Carrier; report: Report },
): ComponentBatch | null {
  const find = (id: string) => state.settings.findCatalog(id).core
  const judged = judgeComponents(components, { kind, report, ofSurface: surface.catalogId, find })
  if (judged === null) return null
  const { graph } = surface
  const batch = collectBatch(judged, report, kind)
  checkBatch(graph, batch, report, kind)
  if (report.errors > 0) return null
  const retyped = [...batch.values()].filter(
    ({ id, type }) => graph.definitions.get(id)?.type !== type,
  )
  const relinked = new Set<string>()
  for (const { id, edges, templates } of batch.values()) {
    const old = graph.definitions.get(id)
    const isSame =
      sameEdges(edges, old?.edges ?? noIds) && sameEdges(templates, old?.templates ?? noIds)
    if (!isSame) relinked.add(id)
  }
  for (const definition of batch.values()) graph.put(definition)
  checkComposition(graph, batch, { retyped, kind, report })
  checkIndexes(graph, batch, { relinked, kind, report })
  if (report.errors === 0) return batch
  graph.rollback()
  return null
}

/** Steps 6 to 9 for components: catalogs, properties with their calls, identifiers. */
export function judgeComponents(
  components: readonly Definition[],
  context: {
    readonly kind: Carrier
    readonly report: Report
    /** The catalog named by the surface. */
    readonly ofSurface: string | null
    readonly find: Parameters<typeof findCatalog>[2]
  },
): Definition[] | null {
  const { kind, report, ofSurface, find } = context
  const judged = components.map((component): Definition => {
    const own = component.envelope?.catalogId
    const found = findCatalog(own, ofSurface, find)
    if (found.core !== null) return Object.assign(component, { core: found.core })
    const field = own === undefined ? 'component' : 'catalogId'
    const at = [kind, 'components', component.position, field]
    report.add(found.code, found.message, { at, componentId: component.id })
    return component
  })
  if (report.errors > 0) return null
  const findCall = (id: string | undefined) => findCatalog(id, ofSurface, find)
  each(judged, context, ({ type, properties, core }) => {
    if (core !== null) checkComponentV1({ type, properties, core }, report, findCall)
  })
  if (report.errors > 0) return null
  each(judged, context, ({ id, type }) => {
    for (const [name, text] of [
      ['id', id],
      ['component', type],
    ] as const) {
      if (isIdentifier(text)) continue
      const message = `The name ${quote(text)} is not an identifier.`
      report.add('invalid_identifier', message, { at: [name] })
    }
  })
  return report.errors > 0 ? null : judged
}

function each(
  components: readonly Definition[],
  { kind, report }: { kind: Carrier; report: Report },
  look: (component: Definition) => void,
): void {
  for (const component of components) {
    report.path.push(kind, 'components', component.position)
    report.componentId = component.id
    look(component)
    report.path.length = 0
  }
  report.componentId = undefined
}
