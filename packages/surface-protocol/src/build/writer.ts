import type { Catalog } from '../catalog/catalog.ts'
import { errorFrom, limitError } from '../diagnostics/errors.ts'
import { resolveLimits, type SurfaceLimits } from '../diagnostics/limits.ts'
import type { JsonObject } from '../json.ts'
import { dataModelUpdate, deleteSurface, type ServerMessage } from '../message/v08/messages.ts'
import { createSurfaceStore, type SurfaceStore } from '../store/store.ts'
import { describeSurface, type SurfaceDescription } from './builder.ts'
import { diffSurface } from './diff.ts'
import { selfContain } from './self-contained.ts'

/** Where a writer sends, and in which form. */
export interface SurfaceWriterOptions {
  readonly send: (message: ServerMessage) => void | Promise<void>
  /** Sends the self-contained form (SP-69). Default: false. */
  readonly selfContained?: boolean
  /** Catalogs that surfaces may use. Default: the standard catalog. */
  readonly catalogs?: readonly Catalog[]
  /** Limits that differ from the defaults; `waitingCalls` bounds the calls that wait here. */
  readonly limits?: Partial<SurfaceLimits>
}

/** Sends what is new about its surfaces, one call after the other (SP-73). */
export interface SurfaceWriter {
  /** What the receiver has. */
  readonly store: SurfaceStore
  /**
   * Makes a surface look as described; only the difference is sent.
   * @throws SurfaceError when the description is wrong; nothing is sent then
   */
  render(surfaceId: string, view: SurfaceDescription): Promise<void>
  /** Sets keys at a path of the data. @throws SurfaceError, also `limit_exceeded` (`waitingCalls`) */
  update(surfaceId: string, path: string, contents: JsonObject): Promise<void>
  delete(surfaceId: string): Promise<void>
}

/** Creates a writer. If `send` rejects, the next `render` resends the whole surface. */
export function createSurfaceWriter(options: SurfaceWriterOptions): SurfaceWriter {
  const { send, selfContained = false } = options
  const store = createSurfaceStore(options)
  const { waitingCalls } = resolveLimits(options.limits)
  const uncertain = new Set<string>()
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0

  const inOrder = (work: () => Promise<void>): Promise<void> => {
    if (waiting >= waitingCalls) {
      const detail = `There may be ${waitingCalls} calls waiting. Await the calls of a writer.`
      return Promise.reject(limitError('waitingCalls', detail))
    }
    waiting += 1
    const result = last.then(work).finally(() => {
      waiting -= 1
    })
    last = result.catch(() => undefined)
    return result
  }

  const deliver = async (surfaceId: string, messages: readonly ServerMessage[]): Promise<void> => {
    const list = selfContained ? selfContain(messages, store.get(surfaceId)) : messages
    if (list.length > 1) tryOut(surfaceId, list)
    for (const message of list) {
      const { applied, diagnostics } = store.apply(message)
      if (!applied) throw errorFrom(diagnostics)
      try {
        await send(message)
      } catch (error) {
        // Nobody knows what the receiver has now.
        store.apply(deleteSurface(surfaceId))
        uncertain.add(surfaceId)
        throw error
      }
    }
  }

  /** Tries messages for one surface on a copy of it, so that nothing is half sent. */
  const tryOut = (surfaceId: string, messages: readonly ServerMessage[]): void => {
    const trial = createSurfaceStore(options)
    trial.applyAll(store.snapshot(surfaceId))
    for (const { applied, diagnostics } of trial.applyAll(messages)) {
      if (!applied) throw errorFrom(diagnostics)
    }
  }

  return {
    store,
    render: (surfaceId, view) =>
      inOrder(async () => {
        const messages = diffSurface(store.get(surfaceId), describeSurface(surfaceId, view))
        const reset = uncertain.delete(surfaceId) ? [deleteSurface(surfaceId)] : []
        await deliver(surfaceId, [...reset, ...messages])
      }),
    update: (surfaceId, path, contents) =>
      inOrder(() => deliver(surfaceId, [dataModelUpdate(surfaceId, contents, path)])),
    delete: (surfaceId) =>
      inOrder(async () => {
        uncertain.delete(surfaceId)
        await deliver(surfaceId, [deleteSurface(surfaceId)])
      }),
  }
}
