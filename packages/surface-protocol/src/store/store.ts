import type { SurfaceDiagnostic } from '../diagnostics/errors.ts'
import { isPlainObject, ownValue, type JsonObject, type JsonValue } from '../json.ts'
import type { Protocol, Version } from '../data/version.ts'
import type { ServerMessage } from '../message/v08/messages.ts'
import { Report, type MessagePosition } from '../diagnostics/report.ts'
import { parseDataPath } from '../data/data-path.ts'
import { toJson, valueAt } from '../data/data-value.ts'
import { toTreeNode, type TreeNode } from '../tree/instance.ts'
import { createVersionAdapter } from '../interop/version-adapter.ts'
import { createNotifier, type Notifier, type SurfaceChange } from './notify.ts'
import { createComponentCheck } from './component-check.ts'
import { evaluateIn, type EvaluateOptions } from './evaluate-in.ts'
import type { SurfaceViewV09, SurfaceViewV1 } from './view-v09.ts'
import { processLocalWrite } from './local-write.ts'
import { openSettingsOf, resolveStoreOptions, type SurfaceStoreOptions } from './store-options.ts'
import {
  ensureTree,
  overflowError,
  type Surface,
  type SurfaceView,
  type TreeOptions,
} from './surface.ts'
import type { Change, Processed, StoreSettings, StoreState } from './state.ts'

/** The result of applying a message. */
export type ApplyResult = {
  applied: boolean
  surfaceId: string | null
  diagnostics: SurfaceDiagnostic[]
  /** Null if nothing changed. */
  change: SurfaceChange | null
}

/** Options of a snapshot. */
export interface SnapshotOptions {
  /** Version of the messages. Default: that of the store. */
  readonly version?: Version
}

/** Surfaces built from messages, in the same state as on every client. */
export interface SurfaceStore<View = SurfaceView, Message = ServerMessage> extends Pick<
  Notifier,
  'on' | 'watchNode' | 'watchData'
> {
  /** Version of the messages. */
  readonly version: string
  /** Applies one message atomically; never throws on invalid input. */
  apply(message: unknown, context?: { line?: number; index?: number }): ApplyResult
  /** Applies messages in order, also `{messages: [...]}`; a rejected one does not stop the others. */
  applyAll(messages: Iterable<unknown> | { readonly messages: unknown }): ApplyResult[]
  surfaceIds(): string[]
  /** The surface as plain JSON; null if it does not exist. */
  get(surfaceId: string): View | null
  /**
   * The tree with all values resolved; null unless the surface is rendered.
   * @throws SurfaceError `limit_exceeded` if it exceeds `treeNodes` or `treeDepth`
   */
  tree(surfaceId: string): TreeNode | null
  /**
   * The data at a path. Default: all of it; undefined if the path does not exist.
   * @throws SurfaceError `invalid_path`
   */
  getData(surfaceId: string, path?: string): JsonValue | undefined
  /** Writes data like a client's input. */
  setData(surfaceId: string, path: string, value: JsonValue): ApplyResult
  /** Messages that recreate the current state, of one surface or all. */
  snapshot(surfaceId?: string): Message[]
  /**
   * The same in another version, without what it cannot express; unsupported functions are replaced
   * by their values.
   * @throws TypeError for an unknown version
   */
  snapshot(surfaceId: string | undefined, options: SnapshotOptions): JsonObject[]
  /**
   * Evaluates a literal, a binding or a call in a surface of version 0.9.1.
   * @throws SurfaceError `surface_not_found`, `component_not_found`, or an evaluation error
   */
  evaluate(surfaceId: string, value: JsonValue, options?: EvaluateOptions): JsonValue
}

/** A store of version 0.9.1. */
export type SurfaceStoreV09 = SurfaceStore<SurfaceViewV09, JsonObject>

/** A store of version 1.0. */
export type SurfaceStoreV1 = SurfaceStore<SurfaceViewV1, JsonObject>

/** A store of any version. */
export type AnySurfaceStore = SurfaceStore | SurfaceStoreV09 | SurfaceStoreV1

/**
 * Creates an empty store.
 * @throws TypeError for invalid options
 */
export function createSurfaceStore(
  options: SurfaceStoreOptions & { readonly version: '0.9' | '0.9.1' },
): SurfaceStoreV09
export function createSurfaceStore(
  options: SurfaceStoreOptions & { readonly version: Protocol },
): SurfaceStoreV1
export function createSurfaceStore(options?: SurfaceStoreOptions): SurfaceStore
export function createSurfaceStore(options: SurfaceStoreOptions = {}): AnySurfaceStore {
  // The return type depends on the version, as declared by the overloads.
  return new Store(resolveStoreOptions(options), {}, options.onListenerError)
}

/** A store of the same settings and state, on which messages can be tried out. */
export function copyStore(store: AnySurfaceStore): AnySurfaceStore {
  const copy: AnySurfaceStore = new Store(stateOfStore(store).settings, {}, undefined)
  for (const message of store.snapshot()) copy.apply(message)
  return copy
}

const states = new WeakMap<object, StoreState>()

/** The state of a store. @throws TypeError for a store of another module */
export function stateOfStore(store: AnySurfaceStore): StoreState {
  const state = states.get(store)
  if (state === undefined) throw new TypeError('Expected a store created by createSurfaceStore')
  return state
}

/** The tree of a surface; every node is added to `made`. @throws SurfaceError */
export function treeOf(
  { surfaces, settings }: StoreState,
  surfaceId: string,
  made?: Set<unknown>,
): TreeNode | null {
  const surface = surfaces.get(surfaceId)
  if (surface === undefined) return null
  const tree = ensureTree(surface, settings)
  const overflow = overflowError(surface, settings.limits)
  if (overflow !== null) throw overflow
  return tree === null ? null : toTreeNode(tree.root, made)
}

/** The same for validating a sequence, in which positions and duplicates count. */
export function createStore(options: SurfaceStoreOptions, fixed: MessagePosition): SurfaceStore {
  return new Store(resolveStoreOptions(options), fixed, options.onListenerError)
}

/** A store that accepts components of any catalog, to track the state of receivers. */
export function createOpenStore(version: Version = '0.8'): SurfaceStore {
  return new Store(openSettingsOf(version), {})
}

type Process<Input> = (state: StoreState, input: Input, report: Report) => Processed

class Store implements SurfaceStore {
  readonly version: string
  readonly on: Notifier['on']
  readonly watchNode: Notifier['watchNode']
  readonly watchData: Notifier['watchData']
  readonly #fixed: MessagePosition
  readonly #state: StoreState
  readonly #notifier: Notifier
  /** Messages applied by listeners during a notification. */
  readonly #waiting: (() => void)[] = []
  readonly #processor: Process<unknown>
  #busy = false

  constructor(
    settings: StoreSettings,
    fixed: MessagePosition,
    onListenerError: (error: unknown) => void = () => undefined,
  ) {
    const surfaces = new Map<string, Surface>()
    const check = createComponentCheck(surfaces, settings.cores)
    this.#fixed = fixed
    this.version = settings.dialect.version
    this.#processor = settings.dialect.process
    this.#state = { settings, surfaces, check, buffered: 0, total: 0 }
    this.#notifier = createNotifier({
      limits: settings.limits,
      onError: onListenerError,
    })
    ;({ on: this.on, watchNode: this.watchNode, watchData: this.watchData } = this.#notifier)
    states.set(this, this.#state)
  }

  apply(message: unknown, context?: { line?: number; index?: number }): ApplyResult {
    const position = context === undefined ? this.#fixed : { ...this.#fixed, ...context }
    return this.#run(message, position, this.#processor)
  }

  applyAll(messages: Iterable<unknown> | { readonly messages: unknown }): ApplyResult[] {
    const list = isPlainObject(messages) ? ownValue(messages, 'messages') : messages
    const isList = typeof list === 'object' && list !== null && Symbol.iterator in list
    return Array.from(isList ? (list as Iterable<unknown>) : [], (message) => this.apply(message))
  }

  surfaceIds(): string[] {
    return [...this.#state.surfaces.keys()]
  }

  get(surfaceId: string): SurfaceView | null {
    const { surfaces, settings } = this.#state
    const surface = surfaces.get(surfaceId)
    if (surface === undefined) return null
    // The overloads of createSurfaceStore define each version's view type.
    return settings.dialect.view(surface, settings) as SurfaceView
  }

  tree(surfaceId: string): TreeNode | null {
    return treeOf(this.#state, surfaceId)
  }

  getData(surfaceId: string, path = ''): JsonValue | undefined {
    const { segments } = parseDataPath(path)
    const value = valueAt(this.#state.surfaces.get(surfaceId)?.data.root, segments)
    return value === undefined ? undefined : toJson(value)
  }

  setData(surfaceId: string, path: string, value: JsonValue): ApplyResult {
    return this.#run({ surfaceId, path, value }, {}, processLocalWrite)
  }

  evaluate(surfaceId: string, value: JsonValue, options: EvaluateOptions = {}): JsonValue {
    return evaluateIn(this.#state, surfaceId, { value, ...options })
  }

  snapshot(surfaceId?: string): ServerMessage[]
  snapshot(surfaceId: string | undefined, options: SnapshotOptions): JsonObject[]
  snapshot(surfaceId?: string, { version }: SnapshotOptions = {}): object[] {
    const { surfaces, settings } = this.#state
    const messages = [...surfaces.values()]
      .filter(({ id }) => surfaceId === undefined || id === surfaceId)
      .flatMap((surface) => settings.dialect.snapshot(surface, settings))
    if (version === undefined) return messages
    const { protocol: from, limits } = settings
    const adapter = createVersionAdapter({ from, to: version, store: this, limits })
    return messages.flatMap((message) => adapter.push(message))
  }

  /**
   * Applies messages one at a time. A message applied by a listener waits until all listeners have been
   * notified of the current one; its result is filled in then.
   */
  #run<Input>(input: Input, position: MessagePosition, process: Process<Input>): ApplyResult {
    if (this.#busy) {
      const later: ApplyResult = { applied: false, surfaceId: null, diagnostics: [], change: null }
      this.#waiting.push(() => Object.assign(later, this.#process(input, position, process)))
      return later
    }
    this.#busy = true
    try {
      const result = this.#process(input, position, process)
      for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift())
        next()
      return result
    } finally {
      this.#busy = false
    }
  }

  #process<Input>(input: Input, position: MessagePosition, process: Process<Input>): ApplyResult {
    const { mode, limits } = this.#state.settings
    const report = new Report(mode, limits, position)
    return this.#settle(input, report, process(this.#state, input, report))
  }

  #settle(message: unknown, report: Report, processed: Processed): ApplyResult {
    const { settings } = this.#state
    const surfaceId = report.surfaceId ?? null
    const diagnostics = report.finish()
    if (processed === 'nothing') return { applied: true, surfaceId, diagnostics, change: null }
    if (processed === 'refused') {
      this.#notifier.emit('message.refused', { message, diagnostics })
      return { applied: false, surfaceId, diagnostics, change: null }
    }
    const change = changeOf(processed, settings)
    announce(processed, change, { notifier: this.#notifier, settings })
    return { applied: true, surfaceId, diagnostics, change }
  }
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
