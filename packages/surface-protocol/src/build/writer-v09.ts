import { basicCatalogV09 } from '../catalog/v09/basic-catalog.ts'
import { errorFrom } from '../diagnostics/errors.ts'
import { resolveLimits } from '../diagnostics/limits.ts'
import { cloneJson, equalJson, type JsonObject } from '../json.ts'
import { createSurfaceStore } from '../store/store.ts'
import type { SurfaceViewV09 } from '../store/view-v09.ts'
import { buildComponentsV09 } from './build-components-v09.ts'
import { createCallQueue } from './call-queue.ts'
import { diffDataV09 } from './diff-data-v09.ts'
import type { AnyServerMessage } from '../message/any-message.ts'
import type { SurfaceDescription } from './builder.ts'
import type { SurfaceWriter, SurfaceWriterOptions } from './surface-writer.ts'

/** Where a writer of version 0.9.1 sends. */
interface WriterOptions extends SurfaceWriterOptions {
  readonly version: '0.9' | '0.9.1'
}

/** A writer of version 0.9.1: createSurface once, then the differences (SN-55). */
export function createWriterV09(options: WriterOptions): SurfaceWriter {
  const { version } = options
  const store = createSurfaceStore(options)
  const { waitingCalls, componentsPerMessage } = resolveLimits(options.limits)
  const inOrder = createCallQueue(waitingCalls)
  const uncertain = new Set<string>()
  const say = (message: JsonObject): JsonObject => ({ version: `v${version}`, ...message })
  const remove = (surfaceId: string): JsonObject => say({ deleteSurface: { surfaceId } })

  const deliver = async (surfaceId: string, messages: readonly JsonObject[]): Promise<void> => {
    if (messages.length > 1) tryOut(surfaceId, messages)
    for (const message of messages) {
      const { applied, diagnostics } = store.apply(message)
      if (!applied) throw errorFrom(diagnostics)
      try {
        await options.send(message as unknown as AnyServerMessage)
      } catch (error) {
        // Nobody knows what the receiver has now.
        store.apply(remove(surfaceId))
        uncertain.add(surfaceId)
        throw error
      }
    }
  }

  /** Tries messages for one surface on a copy of it, so that nothing is half sent. */
  const tryOut = (surfaceId: string, messages: readonly JsonObject[]): void => {
    const trial = createSurfaceStore(options)
    trial.applyAll(store.snapshot(surfaceId))
    for (const { applied, diagnostics } of trial.applyAll(messages)) {
      if (!applied) throw errorFrom(diagnostics)
    }
  }

  const render = async (surfaceId: string, view: SurfaceDescription): Promise<void> => {
    const { components, catalogs } = buildComponentsV09(view.root)
    const [first = basicCatalogV09] = catalogs
    const { catalog = first, theme, sendDataModel = false, data = {} } = view
    const catalogId = typeof catalog === 'string' ? catalog : catalog.catalogId
    const created: JsonObject = { surfaceId, catalogId }
    if (theme !== undefined) created.theme = cloneJson(theme)
    if (sendDataModel) created.sendDataModel = true
    const known = store.get(surfaceId)
    const before = known !== null && isSame(known, created) ? known : null
    const messages: JsonObject[] = []
    if (uncertain.has(surfaceId) || (known !== null && before === null))
      messages.push(remove(surfaceId))
    if (before === null) messages.push(say({ createSurface: created }))
    const old = new Map(before?.components.map((one) => [one.id, one]))
    const changed = components.filter((one) => !equalJson(old.get(one.id), one))
    for (let from = 0; from < changed.length; from += componentsPerMessage) {
      const part = changed.slice(from, from + componentsPerMessage)
      messages.push(say({ updateComponents: { surfaceId, components: part } }))
    }
    if (before === null) {
      if (Object.keys(data).length > 0) {
        messages.push(say({ updateDataModel: { surfaceId, path: '/', value: cloneJson(data) } }))
      }
    } else {
      for (const difference of diffDataV09(before.data, cloneJson(data))) {
        messages.push(say({ updateDataModel: { surfaceId, ...difference } }))
      }
    }
    await deliver(surfaceId, messages)
    uncertain.delete(surfaceId)
  }

  return {
    // The view of the store has the form of its version.
    store: store as unknown as SurfaceWriter['store'],
    render: (surfaceId, view) => inOrder(() => render(surfaceId, view)),
    update: (surfaceId, path, value) =>
      inOrder(() => deliver(surfaceId, [say({ updateDataModel: { surfaceId, path, value } })])),
    remove: (surfaceId, path) =>
      inOrder(() => deliver(surfaceId, [say({ updateDataModel: { surfaceId, path } })])),
    delete: (surfaceId) =>
      inOrder(async () => {
        uncertain.delete(surfaceId)
        await deliver(surfaceId, [remove(surfaceId)])
      }),
  }
}

function isSame({ catalogId, theme, sendDataModel }: SurfaceViewV09, created: JsonObject): boolean {
  return (
    catalogId === created.catalogId &&
    sendDataModel === (created.sendDataModel ?? false) &&
    equalJson(theme, created.theme ?? {})
  )
}
