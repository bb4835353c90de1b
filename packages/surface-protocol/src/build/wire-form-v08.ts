import { STANDARD_CATALOG_ID } from '../catalog/standard.ts'
import { SurfaceError } from '../diagnostics/errors.ts'
import { isPlainObject, type JsonObject, type JsonValue } from '../json.ts'
import { dataModelUpdate, deleteSurface, type ServerMessage } from '../message/v08/messages.ts'
import { DistinctIds } from '../message/v08/distinct-ids.ts'
import { sharedInstance } from '../message/v08/to-instance.ts'
import { stateOfStore, type SurfaceStore } from '../store/store.ts'
import { stateOf, type SurfaceState } from '../store/surface.ts'
import { describeSurface } from './builder.ts'
import { diffSurface } from './diff.ts'
import { makeSelfContained } from './self-contained.ts'
import { namedCatalog, type WireForm, type WireSettings } from './wire-form.ts'

/** The wire form of version 0.8. */
export function createFormV08(
  store: SurfaceStore,
  { selfContained, catalogId }: WireSettings,
): WireForm {
  const finish = (surfaceId: string, messages: readonly ServerMessage[]): ServerMessage[] =>
    selfContained ? makeSelfContained(messages, store.get(surfaceId)) : [...messages]
  const { surfaces } = stateOfStore(store)
  /** For public clients: ids that no text of the surface equals, for as long as it lives. */
  const distinct = new Map<string, DistinctIds>()
  const distinguish = (state: SurfaceState): void => {
    const { surfaceId } = state
    const ids = distinct.get(surfaceId) ?? new DistinctIds()
    distinct.set(surfaceId, ids)
    ids.update(state.components)
    state.components = state.components.flatMap(({ id }) => ids.toClient(id) ?? [])
    if (state.root !== null) state.root = ids.shown(state.root)
  }
  return {
    render(surfaceId, view) {
      const state = describeSurface(surfaceId, view, { isChecked: false })
      if (selfContained) distinguish(state)
      const asked = view.catalogId ?? catalogId
      state.catalogId = namedCatalog(store, state.catalogId ?? STANDARD_CATALOG_ID, asked)
      const known = surfaces.get(surfaceId)
      const before = known === undefined ? null : stateOf(known, sharedInstance)
      const messages = finish(surfaceId, diffSurface(before, state))
      if (!selfContained || (before?.root ?? state.root) === state.root) return messages
      // The old root would meet the text that has its name.
      return messages.toSorted((a, b) => rank(a) - rank(b))
    },
    update: (surfaceId, path, contents) =>
      finish(surfaceId, [dataModelUpdate(surfaceId, asObject(contents), path)]),
    removal() {
      const detail = 'Version 0.8 has no removal of data.'
      throw new SurfaceError({ code: 'unsupported_version', detail })
    },
    deletion(surfaceId) {
      distinct.delete(surfaceId)
      return deleteSurface(surfaceId)
    },
  }
}

function rank(message: ServerMessage): number {
  if ('deleteSurface' in message) return 0
  return 'beginRendering' in message ? 1 : 2
}

function asObject(contents: JsonValue): JsonObject {
  if (isPlainObject(contents)) return contents
  const detail = 'Contents must be an object in version 0.8.'
  throw new SurfaceError({ code: 'invalid_type', detail })
}
