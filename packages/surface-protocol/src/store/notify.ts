import { limitError, type SurfaceDiagnostic } from '../diagnostics/errors.ts'
import type { JsonValue } from '../json.ts'
import type { SurfaceLimits } from '../diagnostics/limits.ts'
import { parseDataPath } from '../data/data-path.ts'
import { changeLocation, type DataChange, type DataModel } from '../data/data-model.ts'
import { equalData, toJson, valueAt } from '../data/data-value.ts'
import { toTreeNode, type Instance, type TreeNode } from '../tree/instance.ts'
import type { SurfaceStatus } from './surface.ts'

/** The changes a message made to a surface. */
export type SurfaceChange = {
  surfaceId: string
  revision: number
  status: SurfaceStatus | 'deleted'
  /** Components defined by the message. */
  componentIds: string[]
  /** JSON Pointers of the data set by the message; `""` for the whole model. */
  dataPaths: string[]
  /** New and visibly changed instances of the tree, in tree order. */
  readonly nodeIds: string[]
}

/** Events of a store. */
export type SurfaceEvents = {
  'surface.created': SurfaceChange
  'surface.rendered': SurfaceChange
  'surface.changed': SurfaceChange
  'surface.deleted': SurfaceChange
  'message.refused': { message: unknown; diagnostics: SurfaceDiagnostic[] }
}

/** The changes of an applied message, for watchers. */
export interface Notice {
  readonly surfaceId: string
  readonly nodes: readonly Instance[]
  readonly data: DataModel | null
  readonly changes: readonly DataChange[]
}

interface EventSubscription {
  readonly listener: (event: never) => void
}
interface Subscription {
  readonly surfaceId: string
  active: boolean
}
interface NodeSubscription extends Subscription {
  readonly kind: 'node'
  readonly nodeId: string
  readonly listener: (node: TreeNode | null) => void
}
interface DataSubscription extends Subscription {
  readonly kind: 'data'
  readonly segments: readonly string[]
  readonly listener: (value: JsonValue | undefined) => void
}

/** Listeners and watchers of a store. Errors they throw do not affect others. */
export interface Notifier {
  /** Listens to an event; the returned function stops. */
  readonly on: <K extends keyof SurfaceEvents>(
    type: K,
    listener: (event: SurfaceEvents[K]) => void,
  ) => () => void
  /**
   * Called when an instance changes visibly.
   * @throws SurfaceError `limit_exceeded` beyond `watchers`
   */
  readonly watchNode: (
    surfaceId: string,
    nodeId: string,
    listener: (node: TreeNode | null) => void,
  ) => () => void
  /**
   * Called when the value at a path, or one above or below it, changes.
   * @throws SurfaceError `invalid_path`, `limit_exceeded` beyond `watchers`
   */
  readonly watchData: (
    surfaceId: string,
    path: string,
    listener: (value: JsonValue | undefined) => void,
  ) => () => void
  emit<K extends keyof SurfaceEvents>(type: K, event: SurfaceEvents[K]): void
  /** Returns whether a surface has watchers. */
  isWatched(surfaceId: string): boolean
  /** Notifies the watchers of a surface. */
  tell(notice: Notice): void
  /** Removes the watchers of a surface. */
  forget(surfaceId: string): void
}

/** Creates a notifier without listeners. */
export function createNotifier({
  limits,
  onError,
}: {
  readonly limits: Readonly<SurfaceLimits>
  readonly onError: (error: unknown) => void
}): Notifier {
  const events = new Map<string, Set<EventSubscription>>()
  const watchers = new Map<string, Set<NodeSubscription | DataSubscription>>()
  let count = 0

  const guard = (call: () => unknown): void => {
    try {
      const result = call()
      if (result instanceof Promise) result.catch(onError)
    } catch (error) {
      onError(error)
    }
  }

  const watch = (subscription: NodeSubscription | DataSubscription): (() => void) => {
    if (count >= limits.watchers) {
      throw limitError('watchers', `There may be ${limits.watchers} watchers.`)
    }
    count += 1
    const { surfaceId } = subscription
    const others = watchers.get(surfaceId) ?? new Set()
    watchers.set(surfaceId, others.add(subscription))
    return () => {
      if (!subscription.active) return
      subscription.active = false
      count -= 1
      others.delete(subscription)
      if (others.size === 0 && watchers.get(surfaceId) === others) {
        watchers.delete(surfaceId)
      }
    }
  }

  return {
    on(type, listener) {
      const subscription = { listener }
      const others = events.get(type) ?? new Set()
      events.set(type, others.add(subscription))
      return () => void others.delete(subscription)
    },
    watchNode: (surfaceId, nodeId, listener) =>
      watch({ kind: 'node', surfaceId, nodeId, listener, active: true }),
    watchData: (surfaceId, path, listener) =>
      watch({
        kind: 'data',
        surfaceId,
        segments: parseDataPath(path).segments,
        listener,
        active: true,
      }),
    emit(type, event) {
      // Checked for every message, and most stores have no listeners.
      const listeners = events.size === 0 ? undefined : events.get(type)
      if (listeners === undefined) return
      for (const { listener } of Array.from(listeners)) guard(() => listener(event as never))
    },
    isWatched: (surfaceId) => watchers.size > 0 && watchers.has(surfaceId),
    tell(notice) {
      const concerned = watchers.get(notice.surfaceId)
      if (concerned === undefined) return
      const nodes = new Map(notice.nodes.map((instance) => [instance.id, instance]))
      const changed = realChanges(notice)
      for (const subscription of Array.from(concerned)) {
        if (!subscription.active) continue
        if (subscription.kind === 'node') {
          const instance = nodes.get(subscription.nodeId)
          if (instance !== undefined) guard(() => subscription.listener(toTreeNode(instance)))
        } else if (changed.some((segments) => related(segments, subscription.segments))) {
          const value =
            notice.data === null ? undefined : valueAt(notice.data.root, subscription.segments)
          guard(() => subscription.listener(value === undefined ? undefined : toJson(value)))
        }
      }
    },
    forget(surfaceId) {
      const ended = watchers.get(surfaceId)
      watchers.delete(surfaceId)
      for (const subscription of ended ?? []) {
        subscription.active = false
        count -= 1
      }
    },
  }
}

/** The locations whose value has changed. */
function realChanges({ data, changes }: Notice): (readonly string[])[] {
  if (data === null) return []
  return changes
    .filter((change) => !equalData(change.before, valueAt(data.root, changeLocation(change))))
    .map(changeLocation)
}

/** Returns whether one location equals or contains the other. */
function related(a: readonly string[], b: readonly string[]): boolean {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i += 1) if (a[i] !== b[i]) return false
  return true
}
