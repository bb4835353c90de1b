import { append } from '@x/wire'
import type { Version } from '../data/version.ts'
import { errorFrom } from '../diagnostics/errors.ts'
import { resolveLimits } from '../diagnostics/limits.ts'
import { cloneJson, equalJson, isPlainObject, type JsonObject } from '../json.ts'
import { createSurfaceStore, type SurfaceStoreV1 } from '../store/store.ts'
import type { SurfaceViewV1 } from '../store/view-v09.ts'
import { buildComponentsV09 } from './build-components-v09.ts'
import { createCallQueue } from './call-queue.ts'
import type { AnyServerMessage } from '../message/any-message.ts'
import type { SurfaceDescription } from './builder.ts'
import type { SurfaceWriter, SurfaceWriterOptions } from './surface-writer.ts'
import { componentPayloads, wireFormOf } from './wire-form.ts'

/** Options of a writer of a version from 0.9 on. */
interface WriterOptions extends SurfaceWriterOptions {
  readonly version: Exclude<Version, '0.8'>
}

/** A writer for versions from 0.9 on: createSurface once, then the differences (SN-55). */
export function createWriterV09(options: WriterOptions): SurfaceWriter {
  const form = wireFormOf(options.version)
  // The view of version 1.0 is the wider type.
  const store = createSurfaceStore(options) as unknown as SurfaceStoreV1
  const { waitingCalls, componentsPerMessage } = resolveLimits(options.limits)
  const inOrder = createCallQueue(waitingCalls)
  const uncertain = new Set<string>()
  const say = (message: JsonObject): JsonObject => ({ version: form.version, ...message })
  const remove = (surfaceId: string): JsonObject => say({ deleteSurface: { surfaceId } })

  const deliver = async (surfaceId: string, messages: readonly JsonObject[]): Promise<void> => {
    if (messages.length > 1) tryOut(surfaceId, messages)
    for (const message of messages) {
      const { applied, diagnostics } = store.apply(message)
      if (!applied) throw errorFrom(diagnostics)
      try {
        await options.send(message as unknown as AnyServerMessage)
      } catch (error) {
        // The receiver's state is no longer known.
        store.apply(remove(surfaceId))
        uncertain.add(surfaceId)
        throw error
      }
    }
  }

  /** Applies messages for a surface to a copy first, so that nothing is sent partially. */
  const tryOut = (surfaceId: string, messages: readonly JsonObject[]): void => {
    const trial = createSurfaceStore(options)
    trial.applyAll(store.snapshot(surfaceId))
    for (const { applied, diagnostics } of trial.applyAll(messages)) {
      if (!applied) throw errorFrom(diagnostics)
    }
  }

  const render = async (surfaceId: string, view: SurfaceDescription): Promise<void> => {
    const { components, catalogs } = buildComponentsV09(view.root, form)
    const [first = form.catalog] = catalogs
    const { catalog = first, theme, metadata, sendDataModel = false } = view
    const data = cloneJson(view.data ?? {})
    const catalogId = typeof catalog === 'string' ? catalog : catalog.catalogId
    const created: JsonObject = { catalogId }
    if (theme !== undefined) created.theme = cloneJson(theme)
    if (metadata !== undefined) created.metadata = cloneJson(metadata)
    if (sendDataModel) created.sendDataModel = true
    const known = store.get(surfaceId)
    const before = known !== null && isSame(known, created) ? known : null
    const messages: JsonObject[] = []
    if (uncertain.has(surfaceId) || (known !== null && before === null))
      messages.push(remove(surfaceId))
    if (before === null) {
      const surface = { surfaceId, settings: created, components, data }
      append(messages, form.create(surface, componentsPerMessage).map(say))
    } else {
      const old = new Map(before.components.map((one) => [one.id, one]))
      const changed = components.filter((one) => !equalJson(old.get(one.id), one))
      append(messages, componentPayloads(surfaceId, changed, componentsPerMessage).map(say))
      for (const difference of form.differences(before.data, data)) {
        messages.push(say({ updateDataModel: { surfaceId, ...difference } }))
      }
    }
    await deliver(surfaceId, messages)
    uncertain.delete(surfaceId)
  }

  return {
    // The store's view has the form of its version.
    store: store as unknown as SurfaceWriter['store'],
    render: (surfaceId, view) => inOrder(() => render(surfaceId, view)),
    update: (surfaceId, path, value) =>
      inOrder(() => deliver(surfaceId, [say({ updateDataModel: { surfaceId, path, value } })])),
    remove: (surfaceId, path) =>
      inOrder(() =>
        deliver(surfaceId, [say({ updateDataModel: { surfaceId, ...form.removal(path) } })]),
      ),
    delete: (surfaceId) =>
      inOrder(async () => {
        uncertain.delete(surfaceId)
        await deliver(surfaceId, [remove(surfaceId)])
      }),
  }
}

function isSame(
  { catalogId, theme, sendDataModel, metadata }: SurfaceViewV1,
  created: JsonObject,
): boolean {
  return (
    catalogId === created.catalogId &&
    sendDataModel === (created.sendDataModel ?? false) &&
    equalJson(theme, isPlainObject(created.theme) ? created.theme : {}) &&
    equalJson(metadata ?? null, created.metadata ?? null)
  )
}
