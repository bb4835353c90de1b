import { readVersion } from '../data/version.ts'
import { errorFrom } from '../diagnostics/errors.ts'
import { resolveLimits } from '../diagnostics/limits.ts'
import type { AnyServerMessage } from '../message/any-message.ts'
import { createSurfaceStore } from '../store/store.ts'
import { tryOut } from '../store/try-out.ts'
import type { SurfaceDescription } from './builder.ts'
import { createCallQueue } from './call-queue.ts'
import {
  writerOptionNames,
  type SurfaceWriter,
  type SurfaceWriterOptions,
} from './surface-writer.ts'
import { checkOptions } from '../catalog/check-options.ts'
import { wireFormOf } from './wire-form-of.ts'

/**
 * Creates a writer. If `send` rejects, the next `render` resends the whole surface.
 * @throws TypeError for invalid options
 */
export function createSurfaceWriter(options: SurfaceWriterOptions): SurfaceWriter {
  checkOptions('createSurfaceWriter', options, writerOptionNames)
  return createOpenWriter(options).writer
}

/** A writer whose first render may be done at once, for a `send` that takes messages without waiting. */
export function createOpenWriter(options: SurfaceWriterOptions): {
  readonly writer: SurfaceWriter
  /** @throws SurfaceError for an invalid description */
  readonly begin: (surfaceId: string, view: SurfaceDescription) => void
} {
  const { send, version: asked, selfContained, catalogId, ...ofStore } = options
  const version = readVersion(asked)
  const store = createSurfaceStore({ ...ofStore, version })
  const limits = resolveLimits(options.limits)
  const form = wireFormOf(store, {
    version,
    limits,
    selfContained: selfContained ?? false,
    catalogId,
  })
  const inOrder = createCallQueue(limits.waitingCalls)
  /** Surfaces whose state at the receiver is not known. */
  const uncertain = new Set<string>()

  const deliver = async (
    surfaceId: string,
    messages: readonly AnyServerMessage[],
    isRender = false,
  ): Promise<void> => {
    const isTried = isRender || messages.length > 1
    const refused = isTried ? tryOut(store, surfaceId, messages, { templates: isRender }) : null
    if (refused !== null) throw errorFrom(refused)
    for (const message of messages) {
      const { applied, diagnostics } = store.apply(message)
      if (!applied) throw errorFrom(diagnostics)
      try {
        await send(message)
      } catch (error) {
        store.apply(form.deletion(surfaceId))
        uncertain.add(surfaceId)
        throw error
      }
    }
  }

  const writer: SurfaceWriter = {
    store,
    render: (surfaceId, view) =>
      inOrder(async () => {
        const messages = form.render(surfaceId, view)
        const reset = uncertain.has(surfaceId) ? [form.deletion(surfaceId)] : []
        await deliver(surfaceId, [...reset, ...messages], true)
        uncertain.delete(surfaceId)
      }),
    update: (surfaceId, path, contents) =>
      inOrder(() => deliver(surfaceId, form.update(surfaceId, path, contents))),
    remove: (surfaceId, path) => inOrder(() => deliver(surfaceId, form.removal(surfaceId, path))),
    delete: (surfaceId) =>
      inOrder(async () => {
        uncertain.delete(surfaceId)
        await deliver(surfaceId, [form.deletion(surfaceId)])
      }),
  }
  return {
    writer,
    begin(surfaceId, view) {
      const messages = form.render(surfaceId, view)
      const refused = tryOut(store, surfaceId, messages, { templates: true })
      if (refused !== null) throw errorFrom(refused)
      for (const message of messages) {
        store.apply(message)
        void send(message)
      }
    },
  }
}
