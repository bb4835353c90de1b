import type { CatalogCore } from '../catalog/catalog.ts'
import { quote } from '../errors.ts'
import { formatPointer } from '../json.ts'
import { readMessage, type ComponentCheck, type MessageDraft } from '../message/read-message.ts'
import { Report, type MessagePosition } from '../message/report.ts'
import { checkBatch, collectBatch, initialiseData } from './apply-components.ts'
import type { DataChange } from './data-model.ts'
import type { DataMap, DataValue } from './data-value.ts'
import type { StoreSettings } from './store-options.ts'
import {
  createSurface,
  ensureTree,
  missingChildren,
  noteOverflow,
  type Surface,
  type SurfaceStatus,
} from './surface.ts'
import type { Instance } from './instance.ts'

/** The surfaces of a store with what they cost together. */
export interface StoreState {
  readonly settings: StoreSettings
  readonly surfaces: Map<string, Surface>
  /** Size of all surfaces that are not rendered (SP-88). */
  buffered: number
}

/** What an applied message did. */
export interface Outcome {
  readonly surface: Surface
  readonly created: boolean
  readonly statusBefore: SurfaceStatus | null
  readonly deleted: boolean
  readonly componentIds: string[]
  readonly dataPaths: string[]
  readonly nodes: readonly Instance[]
  readonly changes: readonly DataChange[]
}

/** The result of one message: an outcome, nothing to do, or a refusal. */
export type Processed =
  | { readonly kind: 'done'; readonly outcome: Outcome }
  | { readonly kind: 'nothing'; readonly surfaceId: string }
  | { readonly kind: 'refused' }

type Draft<K extends MessageDraft['kind']> = Extract<MessageDraft, { kind: K }>

const REFUSED: Processed = { kind: 'refused' }

/** Reads and applies one message, whole or not at all (SP-20). */
export function processMessage(state: StoreState, message: unknown, report: Report): Processed {
  const draft = readMessage(message, report, createCheck(state))
  if (draft === null) return REFUSED
  switch (draft.kind) {
    case 'surfaceUpdate':
      return updateComponents(state, draft, report)
    case 'dataModelUpdate':
      if (report.errors > 0) return REFUSED
      return updateData(state, draft, report)
    case 'beginRendering':
      return begin(state, draft, report)
    default:
      if (report.errors > 0) return REFUSED
      return remove(state, draft.surfaceId)
  }
}

/** The report of one message to a store. */
export function createReport({ settings }: StoreState, position: MessagePosition): Report {
  return new Report(settings.mode, settings.limits, position)
}

/** Before a catalog is named, a component is right when any catalog of the store takes it (SP-24). */
function createCheck({ settings, surfaces }: StoreState): ComponentCheck {
  return ({ surfaceId, type }, properties, report) => {
    const named = surfaceId === null ? null : (surfaces.get(surfaceId)?.core ?? null)
    const [first] = settings.cores
    if (named !== null || settings.cores.length === 1) {
      const core = named ?? first ?? null
      core?.checkComponent(type, properties, report)
      return core
    }
    const taker = settings.cores.find((core) => accepts(core, type, properties))
    if (taker === undefined) {
      first?.checkComponent(type, properties, report)
      return first ?? null
    }
    taker.checkComponent(type, properties, report)
    return taker
  }
}

function accepts(core: CatalogCore, type: string, properties: Record<string, unknown>): boolean {
  const trial = new Report()
  core.checkComponent(type, properties, trial)
  return trial.errors === 0
}

/** The surface a message is for; a new one is not yet part of the store. */
function target(
  { surfaces, settings }: StoreState,
  surfaceId: string,
  report: Report,
): { readonly surface: Surface; readonly created: boolean } {
  const surface = surfaces.get(surfaceId)
  if (surface !== undefined) return { surface, created: false }
  if (surfaces.size >= settings.limits.surfaces) report.exceeds('surfaces')
  return { surface: createSurface(surfaceId), created: true }
}

function costOf(surface: Surface, status: SurfaceStatus): number {
  return status === 'rendered' ? 0 : surface.graph.size + surface.data.measure.size
}

/** Reports what the surface has become too large for; `before` is its cost so far. */
function checkSize(
  { settings: { limits }, buffered }: StoreState,
  surface: Surface,
  { before, status, report }: { before: number; status: SurfaceStatus; report: Report },
): void {
  if (surface.graph.definitions.size > limits.componentsPerSurface) {
    report.exceeds('componentsPerSurface')
  }
  if (surface.data.measure.entries > limits.dataEntries) report.exceeds('dataEntries')
  if (surface.data.measure.size > limits.dataSize) report.exceeds('dataSize')
  if (buffered - before + costOf(surface, status) > limits.bufferedSize) {
    report.exceeds('bufferedSize')
  }
}

function updateComponents(
  state: StoreState,
  draft: Draft<'surfaceUpdate'>,
  report: Report,
): Processed {
  const { surface, created } = target(state, draft.surfaceId, report)
  const batch = collectBatch(draft.instances, report)
  checkBatch(surface.graph, batch, report)
  if (report.errors > 0) return REFUSED
  const statusBefore = created ? null : surface.status
  const before = created ? 0 : costOf(surface, surface.status)
  const takeOut = surface.graph.put(batch.definitions.values())
  const mode = state.settings.pathMode
  const written = initialiseData(surface, batch, { report, mode })
  reportOverwritten(surface, report)
  const status = nextStatus(surface)
  checkSize(state, surface, { before, status, report })
  if (report.errors > 0) {
    surface.data.rollback()
    takeOut()
    return REFUSED
  }
  const componentIds = [...batch.definitions.keys()]
  const done = { surface, created, statusBefore, componentIds, dataPaths: written }
  return commit(state, { ...done, status, before })
}

function nextStatus({ status, root, graph }: Surface): SurfaceStatus {
  if (root === null) return 'created'
  return status === 'rendered' || graph.definitions.has(root) ? 'rendered' : 'pending'
}

function updateData(state: StoreState, draft: Draft<'dataModelUpdate'>, report: Report): Processed {
  const { surface, created } = target(state, draft.surfaceId, report)
  if (report.errors > 0) return REFUSED
  const before = created ? 0 : costOf(surface, surface.status)
  const dataPaths = writeContents(surface, draft.segments, { contents: draft.contents, report })
  reportOverwritten(surface, report)
  checkSize(state, surface, { before, status: surface.status, report })
  if (report.errors > 0) {
    surface.data.rollback()
    return REFUSED
  }
  const statusBefore = created ? null : surface.status
  const done = { surface, created, statusBefore, componentIds: [], dataPaths }
  return commit(state, { ...done, status: surface.status, before })
}

/** Writes one value at a location, as a local write does (SP-38). */
export function writeData(
  state: StoreState,
  write: {
    readonly surface: Surface
    readonly segments: readonly string[]
    readonly value: DataValue
  },
  report: Report,
): Processed {
  const { surface, segments, value } = write
  const before = costOf(surface, surface.status)
  if (segments.length === 0 && value instanceof Map) surface.data.replace(value)
  else if (surface.data.set(segments, value) !== null) {
    report.add('invalid_path', 'The path leads beyond the end of an array.')
  }
  reportOverwritten(surface, report)
  checkSize(state, surface, { before, status: surface.status, report })
  if (report.errors > 0) {
    surface.data.rollback()
    return REFUSED
  }
  const dataPaths = [formatPointer(segments)]
  const { status } = surface
  const done = { surface, created: false, statusBefore: status, componentIds: [], dataPaths }
  return commit(state, { ...done, status, before })
}

/** Writes the listed keys at a location, or replaces everything at the root (SP-29). */
function writeContents(
  { data }: Surface,
  segments: readonly string[],
  { contents, report }: { contents: DataMap; report: Report },
): string[] {
  if (segments.length === 0) {
    data.replace(contents)
    return ['']
  }
  const refuse = (at: (string | number)[]): void =>
    report.add('invalid_path', 'The path leads beyond the end of an array.', { at })
  if (data.ensure(segments) !== null) {
    refuse(['dataModelUpdate', 'path'])
    return []
  }
  const paths: string[] = []
  let position = 0
  for (const [key, value] of contents) {
    const location = [...segments, key]
    if (data.set(location, value) !== null) refuse(['dataModelUpdate', 'contents', position, 'key'])
    paths.push(formatPointer(location))
    position += 1
  }
  return contents.size === 0 && data.changes.length > 0 ? [formatPointer(segments)] : paths
}

function reportOverwritten(surface: Surface, report: Report): void {
  for (const segments of surface.data.overwritten) {
    report.warn(
      'path_overwritten',
      `The value at ${quote(formatPointer(segments))} gave way to a map.`,
    )
  }
}

function begin(state: StoreState, draft: Draft<'beginRendering'>, report: Report): Processed {
  const { surface, created } = target(state, draft.surfaceId, report)
  const { id: catalogId, core } = state.settings.findCatalog(draft.catalogId)
  if (core === null) {
    report.add('unknown_catalog', `There is no catalog ${quote(catalogId)} here.`, {
      at: ['beginRendering', 'catalogId'],
    })
    return REFUSED
  }
  report.path.push('beginRendering', 'styles')
  core.checkStyles(draft.styles ?? {}, report)
  report.path.length = 0
  checkStored(surface, core, report)
  const before = created ? 0 : costOf(surface, surface.status)
  const status = surface.graph.definitions.has(draft.root) ? 'rendered' : 'pending'
  checkSize(state, surface, { before, status, report })
  if (report.errors > 0) return REFUSED
  const statusBefore = created ? null : surface.status
  Object.assign(surface, {
    root: draft.root,
    catalogId,
    core,
    styles: draft.styles ?? {},
    tree: null,
    overflow: null,
  } satisfies Partial<Surface>)
  warnMissing(surface, report)
  const done = { surface, created, statusBefore, componentIds: [], dataPaths: [] }
  return commit(state, { ...done, status, before })
}

/** Checks what is stored against the catalog that is named now (SP-24). */
function checkStored(surface: Surface, core: CatalogCore, report: Report): void {
  for (const { id, type, properties, core: judge } of surface.graph.definitions.values()) {
    if (judge === core) continue
    const trial = new Report(report.mode, report.limits)
    core.checkComponent(type, properties, trial)
    for (const { code, message, severity, hint } of trial.diagnostics) {
      report.add(code, message, {
        at: ['beginRendering', 'catalogId'],
        severity,
        hint,
        componentId: id,
      })
    }
  }
}

function warnMissing(surface: Surface, report: Report): void {
  for (const { parent, id } of missingChildren(surface)) {
    if (parent === null) {
      report.warn('begin_before_root', `The root ${quote(id)} is not defined yet.`, {
        at: ['beginRendering', 'root'],
      })
    } else {
      report.warn('missing_child', `The child ${quote(id)} is not defined yet.`, {
        at: ['beginRendering', 'root'],
        componentId: parent,
        related: [id],
      })
    }
  }
}

function remove(state: StoreState, surfaceId: string): Processed {
  const surface = state.surfaces.get(surfaceId)
  if (surface === undefined) return { kind: 'nothing', surfaceId }
  state.buffered -= costOf(surface, surface.status)
  state.surfaces.delete(surfaceId)
  surface.revision += 1
  const outcome: Outcome = {
    surface,
    created: false,
    statusBefore: surface.status,
    deleted: true,
    componentIds: [],
    dataPaths: [],
    nodes: [],
    changes: [],
  }
  return { kind: 'done', outcome }
}

interface Commit {
  readonly surface: Surface
  readonly created: boolean
  readonly statusBefore: SurfaceStatus | null
  readonly componentIds: string[]
  readonly dataPaths: string[]
  readonly status: SurfaceStatus
  /** What the surface cost before. */
  readonly before: number
}

/** Makes a change that passed every check the state of the store. */
function commit(state: StoreState, change: Commit): Processed {
  const { surface, created, statusBefore, componentIds, dataPaths, status, before } = change
  const { changes } = surface.data
  surface.status = status
  surface.revision += 1
  if (created) state.surfaces.set(surface.id, surface)
  state.buffered += costOf(surface, status) - before
  surface.data.commit()
  const nodes = updateTree(state, surface, { componentIds, data: changes })
  return {
    kind: 'done',
    outcome: {
      surface,
      created,
      statusBefore,
      deleted: false,
      componentIds,
      dataPaths,
      nodes,
      changes,
    },
  }
}

function updateTree(
  { settings }: StoreState,
  surface: Surface,
  change: { readonly componentIds: readonly string[]; readonly data: readonly DataChange[] },
): readonly Instance[] {
  if (surface.status !== 'rendered') {
    surface.tree = null
    return []
  }
  if (surface.overflow !== null) return []
  const { tree } = surface
  if (tree === null) return ensureTree(surface, settings)?.instances() ?? []
  try {
    return tree.update(change)
  } catch (error) {
    noteOverflow(surface, error)
    return []
  }
}
