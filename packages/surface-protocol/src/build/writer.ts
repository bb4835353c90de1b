import { errorFrom, SurfaceError } from '../diagnostics/errors.ts'
import { resolveLimits } from '../diagnostics/limits.ts'
import { isPlainObject, type JsonObject, type JsonValue } from '../json.ts'
import { dataModelUpdate, deleteSurface, type ServerMessage } from '../message/v08/messages.ts'
import { createSurfaceStore } from '../store/store.ts'
import { describeSurface } from './builder.ts'
import { createCallQueue } from './call-queue.ts'
import { diffSurface } from './diff.ts'
import { readVersion } from '../data/version.ts'
import { makeSelfContained } from './self-contained.ts'
import { createWriterV09 } from './writer-v09.ts'
import type { SurfaceWriter, SurfaceWriterOptions } from './surface-writer.ts'

/** Creates a writer. If `send` rejects, the next `render` resends the whole surface. */
export function createSurfaceWriter(options: SurfaceWriterOptions): SurfaceWriter {
  const version = readVersion(options.version)
  return version === '0.8' ? createWriterV08(options) : createWriterV09({ ...options, version })
}

function createWriterV08(options: SurfaceWriterOptions): SurfaceWriter {
  const { selfContained = false } = options
  const store = createSurfaceStore(options)
  const { waitingCalls } = resolveLimits(options.limits)
  const uncertain = new Set<string>()
  const inOrder = createCallQueue(waitingCalls)

  const deliver = async (surfaceId: string, messages: readonly ServerMessage[]): Promise<void> => {
    const list = selfContained ? makeSelfContained(messages, store.get(surfaceId)) : messages
    if (list.length > 1) tryOut(surfaceId, list)
    for (const message of list) {
      const { applied, diagnostics } = store.apply(message)
      if (!applied) throw errorFrom(diagnostics)
      try {
        await options.send(message)
      } catch (error) {
        // The receiver's state is no longer known.
        store.apply(deleteSurface(surfaceId))
        uncertain.add(surfaceId)
        throw error
      }
    }
  }

  /** Applies messages for a surface to a copy first, so that nothing is sent partially. */
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
      inOrder(() => deliver(surfaceId, [dataModelUpdate(surfaceId, asObject(contents), path)])),
    remove: () => {
      const detail = 'Version 0.8 has no removal of data.'
      return Promise.reject(new SurfaceError({ code: 'unsupported_version', detail }))
    },
    delete: (surfaceId) =>
      inOrder(async () => {
        uncertain.delete(surfaceId)
        await deliver(surfaceId, [deleteSurface(surfaceId)])
      }),
  }
}

function asObject(contents: JsonValue): JsonObject {
  if (isPlainObject(contents)) return contents
  throw new SurfaceError({
    code: 'invalid_type',
    detail: 'Contents must be an object in version 0.8.',
  })
}
