import type { SurfaceDiagnostic } from '../errors.ts'
import type { JsonValue } from '../json.ts'
import type { ServerMessage } from '../message/messages.ts'
import { Report, type MessagePosition } from '../message/report.ts'
import { parseDataPath } from './data-path.ts'
import { toJson, valueAt } from './data-value.ts'
import { toTreeNode, type TreeNode } from './instance.ts'
import { createNotifier, type Notifier, type SurfaceChange } from './notify.ts'
import type { Change, Processed, StoreState } from './change.ts'
import { createComponentCheck } from './component-check.ts'
import { processMessage } from './process.ts'
import { processLocalWrite } from './local-write.ts'
import { snapshotOf } from './snapshot.ts'
import { resolveStoreOptions, type SurfaceStoreOptions } from './store-options.ts'
import {
  ensureTree,
  overflowError,
  viewOf,
  type Surface,
  type SurfaceView,
  type TreeOptions,
} from './surface.ts'

/** What became of one message (SP-20, SP-42). */
export type ApplyResult = {
  applied: boolean
  surfaceId: string | null
  diagnostics: SurfaceDiagnostic[]
  /** Null when nothing changed. */
  change: SurfaceChange | null
}

/** Surfaces built from messages: the state every client would have (SP-20 to SP-45). */
export interface SurfaceStore extends Pick<Notifier, 'on' | 'watchNode' | 'watchData'> {
  /** Applies one message, whole or not at all; never throws for what a peer sent. */
  apply(message: unknown, context?: { line?: number; index?: number }): ApplyResult
  /** Applies messages in order; a refused one does not stop the rest. */
  applyAll(messages: Iterable<unknown>): ApplyResult[]
  surfaceIds(): string[]
  /** The surface as plain JSON, null when there is none. */
  get(surfaceId: string): SurfaceView | null
  /**
   * The tree with all values resolved; null unless the surface is rendered.
   * @throws SurfaceError `limit_exceeded` when it passes `treeNodes` or `treeDepth`
   */
  tree(surfaceId: string): TreeNode | null
  /**
   * The data at a path, all of it by default; undefined when nothing is there.
   * @throws SurfaceError `invalid_path`
   */
  getData(surfaceId: string, path?: string): JsonValue | undefined
  /** Writes data as an input of a client would (SP-38). */
  setData(surfaceId: string, path: string, value: JsonValue): ApplyResult
  /** Messages that bring about the same state, of one surface or of all (SP-72). */
  snapshot(surfaceId?: string): ServerMessage[]
}

/**
 * Creates an empty store.
 * @throws TypeError for wrong options
 */
export function createSurfaceStore(options: SurfaceStoreOptions = {}): SurfaceStore {
  return createStore(options, {})
}

const states = new WeakMap<SurfaceStore, StoreState>()

/** What is behind a store. @throws TypeError for a store that was not made here */
export function stateOfStore(store: SurfaceStore): StoreState {
  const state = states.get(store)
  if (state === undefined) throw new TypeError('A store made by createSurfaceStore is expected')
  return state
}

/** The same for checks of a whole sequence, in which positions and duplicates count (SP-58). */
export function createStore(options: SurfaceStoreOptions, fixed: MessagePosition): SurfaceStore {
  const settings = resolveStoreOptions(options)
  const { mode, limits } = settings
  const byId = new Map<string, Surface>()
  const check = createComponentCheck(byId, settings.cores)
  const state: StoreState = { settings, surfaces: byId, check, buffered: 0 }
  const notifier = createNotifier({
    limits,
    onError: options.onListenerError ?? (() => undefined),
  })
  const run = createQueue()

  const settle = (message: unknown, report: Report, processed: Processed): ApplyResult => {
    const surfaceId = report.surfaceId ?? null
    if (processed === 'nothing') {
      return { applied: true, surfaceId, diagnostics: report.finish(), change: null }
    }
    if (processed === 'refused') {
      const diagnostics = report.finish()
      notifier.emit('message.refused', { message, diagnostics })
      return { applied: false, surfaceId, diagnostics, change: null }
    }
    const change = changeOf(processed, settings)
    announce(processed, change, { notifier, settings })
    return { applied: true, surfaceId, diagnostics: report.finish(), change }
  }

  const apply: SurfaceStore['apply'] = (message, context) =>
    run(() => {
      const position = context === undefined ? fixed : { ...fixed, ...context }
      const report = new Report(mode, limits, position)
      return settle(message, report, processMessage(state, message, report))
    })

  const store: SurfaceStore = {
    on: notifier.on,
    watchNode: notifier.watchNode,
    watchData: notifier.watchData,
    apply,
    applyAll: (messages) => Array.from(messages, (message) => apply(message)),
    surfaceIds: () => [...state.surfaces.keys()],
    get(surfaceId) {
      const surface = state.surfaces.get(surfaceId)
      return surface === undefined ? null : viewOf(surface, settings)
    },
    tree(surfaceId) {
      const surface = state.surfaces.get(surfaceId)
      if (surface === undefined) return null
      const tree = ensureTree(surface, settings)
      const overflow = overflowError(surface, settings.limits)
      if (overflow !== null) throw overflow
      return tree === null ? null : toTreeNode(tree.root)
    },
    getData(surfaceId, path = '') {
      const { segments } = parseDataPath(path)
      const surface = state.surfaces.get(surfaceId)
      const value = surface === undefined ? undefined : valueAt(surface.data.root, segments)
      return value === undefined ? undefined : toJson(value)
    },
    setData: (surfaceId, path, value) =>
      run(() => {
        const report = new Report(mode, limits)
        report.surfaceId = surfaceId
        const processed = processLocalWrite(state, { surfaceId, path, value }, report)
        return settle({ surfaceId, path, value }, report, processed)
      }),
    snapshot(surfaceId) {
      const surfaces = [...state.surfaces.values()]
      return surfaces
        .filter(({ id }) => surfaceId === undefined || id === surfaceId)
        .flatMap((surface) => snapshotOf(surface, settings.limits))
    },
  }
  states.set(store, state)
  return store
}

function changeOf(done: Change, settings: TreeOptions): SurfaceChange {
  const { surface, deleted, componentIds, dataPaths, nodes } = done
  const { id: surfaceId, revision, firstIds } = surface
  const status: SurfaceChange['status'] = deleted ? 'deleted' : surface.status
  if (nodes !== null || firstIds === null) {
    const nodeIds = nodes === null || nodes.length === 0 ? [] : nodes.map(({ id }) => id)
    return { surfaceId, revision, status, componentIds, dataPaths, nodeIds }
  }
  return {
    surfaceId,
    revision,
    status,
    componentIds,
    dataPaths,
    get nodeIds() {
      if (firstIds.ids === null) ensureTree(surface, settings)
      return [...(firstIds.ids ?? [])]
    },
  }
}

function announce(
  done: Change,
  change: SurfaceChange,
  { notifier, settings }: { notifier: Notifier; settings: TreeOptions },
): void {
  const { surface, created, deleted, statusBefore, nodes, changes } = done
  if (deleted) {
    notifier.forget(surface.id)
    notifier.emit('surface.deleted', change)
    return
  }
  if (created) notifier.emit('surface.created', change)
  if (surface.status === 'rendered' && !surface.announced) {
    surface.announced = true
    notifier.emit('surface.rendered', change)
  } else if (surface.status === 'rendered' || statusBefore === 'rendered') {
    notifier.emit('surface.changed', change)
  }
  if (!notifier.isWatched(surface.id)) return
  const seen = nodes ?? ensureTree(surface, settings)?.instances() ?? []
  notifier.tell({ surfaceId: surface.id, nodes: seen, data: surface.data, changes })
}

/**
 * Runs one message after the other. A listener's own message waits until the current one has been
 * told to everybody; the result it was given is filled in then (SP-43).
 */
function createQueue(): (work: () => ApplyResult) => ApplyResult {
  const waiting: (() => void)[] = []
  let busy = false
  return (work) => {
    if (busy) {
      const later: ApplyResult = { applied: false, surfaceId: null, diagnostics: [], change: null }
      waiting.push(() => Object.assign(later, work()))
      return later
    }
    busy = true
    try {
      const result = work()
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) next()
      return result
    } finally {
      busy = false
    }
  }
}
