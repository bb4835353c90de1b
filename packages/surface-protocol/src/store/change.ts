import { quote } from '../diagnostics/errors.ts'
import { formatPointer } from '../json.ts'
import { Report } from '../diagnostics/report.ts'
import type { DataChange } from '../data/data-model.ts'
import type { Instance } from '../tree/instance.ts'
import { createSurface, ensureTree, reportLimit } from './surface.ts'
import type { Surface, SurfaceStatus } from './surface.ts'
import type { Change, Processed, StoreState } from './state.ts'

const NO_NODES: readonly Instance[] = Object.freeze([])
const NO_CHANGES: readonly DataChange[] = Object.freeze([])

/** Begins a change; a new surface is not part of the store yet. */
export function openChange(state: StoreState, surfaceId: string, report: Report): Change {
  const known = state.surfaces.get(surfaceId)
  const isNew = known === undefined && surfaceId !== ''
  if (isNew && state.surfaces.size >= state.settings.limits.surfaces) report.exceeds('surfaces')
  // The changes of a message can only be determined if there was a tree before.
  if (known !== undefined && known.firstIds !== null && state.isTrial === undefined) {
    ensureTree(known, state.settings)
  }
  const surface = known ?? createSurface(surfaceId)
  return {
    surface,
    created: known === undefined,
    statusBefore: known === undefined ? null : known.status,
    costBefore: known === undefined ? 0 : costOf(known, known.status),
    sizeBefore: known === undefined ? 0 : sizeOf(known),
    deleted: false,
    componentIds: [],
    dataPaths: [],
    nodes: NO_NODES,
    changes: NO_CHANGES,
  }
}

/** A surface's contribution to `bufferedSize`. */
function costOf(surface: Surface, status: SurfaceStatus): number {
  return status === 'rendered' ? 0 : sizeOf(surface)
}

/** A surface's contribution to `totalSize`. */
function sizeOf({ graph, data, styleSize }: Surface): number {
  return graph.size + data.size + styleSize
}

/** Reports exceeded size limits. */
export function checkSize(
  { settings: { limits }, buffered, total }: StoreState,
  { surface, costBefore, sizeBefore }: Change,
  { status, report }: { status: SurfaceStatus; report: Report },
): void {
  const { graph, data } = surface
  if (graph.definitions.size > limits.componentsPerSurface) report.exceeds('componentsPerSurface')
  if (data.entries > limits.dataEntries) report.exceeds('dataEntries')
  if (data.size > limits.dataSize) report.exceeds('dataSize')
  if (buffered - costBefore + costOf(surface, status) > limits.bufferedSize) {
    report.exceeds('bufferedSize')
  }
  if (total - sizeBefore + sizeOf(surface) > limits.totalSize) report.exceeds('totalSize')
}

/** Checks the size of a change, then commits or undoes it. */
export function settle(
  state: StoreState,
  change: Change,
  { status, report }: { status: SurfaceStatus; report: Report },
): Processed {
  const { graph, data } = change.surface
  for (const segments of data.overwritten) {
    const place = quote(formatPointer(segments))
    report.warn('path_overwritten', `The value at ${place} was replaced by a map.`)
  }
  checkSize(state, change, { status, report })
  if (report.errors === 0) return commit(state, change, status)
  data.rollback()
  graph.rollback()
  return 'refused'
}

/** Commits a change that passed every check. */
export function commit(state: StoreState, change: Change, status: SurfaceStatus): Change {
  const { surface } = change
  const { graph, data } = surface
  change.changes = data.changes
  surface.status = status
  surface.revision += 1
  if (change.created) state.surfaces.set(surface.id, surface)
  state.buffered += costOf(surface, status) - change.costBefore
  state.total += sizeOf(surface) - change.sizeBefore
  data.commit()
  graph.commit()
  if (state.isTrial === undefined) change.nodes = updateTree(change)
  return change
}

function updateTree(change: Change): readonly Instance[] | null {
  const { surface } = change
  if (surface.status !== 'rendered') {
    surface.tree = null
    surface.firstIds = null
    return NO_NODES
  }
  if (surface.overflow !== null) return NO_NODES
  const { tree } = surface
  if (tree === null) {
    surface.firstIds = { ids: null }
    return null
  }
  try {
    return tree.update(change.componentIds, change.changes)
  } catch (error) {
    reportLimit(surface, error)
    return NO_NODES
  }
}

/** Removes a surface from the store. */
export function removeSurface(state: StoreState, surfaceId: string): Processed {
  const surface = state.surfaces.get(surfaceId)
  if (surface === undefined) return 'nothing'
  const change = openChange(state, surfaceId, new Report())
  state.buffered -= change.costBefore
  state.total -= change.sizeBefore
  state.surfaces.delete(surfaceId)
  surface.revision += 1
  change.deleted = true
  return change
}
