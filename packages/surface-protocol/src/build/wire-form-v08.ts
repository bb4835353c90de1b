import { STANDARD_CATALOG_ID } from '../catalog/standard.ts'
import { SurfaceError } from '../diagnostics/errors.ts'
import { isPlainObject, type JsonObject, type JsonValue } from '../json.ts'
import { dataModelUpdate, deleteSurface, type ServerMessage } from '../message/v08/messages.ts'
import type { SurfaceStore } from '../store/store.ts'
import { describeSurface } from './builder.ts'
import { diffSurface } from './diff.ts'
import { makeSelfContained } from './self-contained.ts'
import { namedCatalog, type WireForm, type WireSettings } from './wire-form.ts'

/** The wire form of version 0.8 (SP-71). */
export function createFormV08(
  store: SurfaceStore,
  { selfContained, catalogId }: WireSettings,
): WireForm {
  const finish = (surfaceId: string, messages: readonly ServerMessage[]): ServerMessage[] =>
    selfContained ? makeSelfContained(messages, store.get(surfaceId)) : [...messages]
  return {
    render(surfaceId, view) {
      const state = describeSurface(surfaceId, view)
      const asked = view.catalogId ?? catalogId
      state.catalogId = namedCatalog(store, state.catalogId ?? STANDARD_CATALOG_ID, asked)
      return finish(surfaceId, diffSurface(store.get(surfaceId), state))
    },
    update: (surfaceId, path, contents) =>
      finish(surfaceId, [dataModelUpdate(surfaceId, asObject(contents), path)]),
    removal() {
      const detail = 'Version 0.8 has no removal of data.'
      throw new SurfaceError({ code: 'unsupported_version', detail })
    },
    deletion: deleteSurface,
  }
}

function asObject(contents: JsonValue): JsonObject {
  if (isPlainObject(contents)) return contents
  const detail = 'Contents must be an object in version 0.8.'
  throw new SurfaceError({ code: 'invalid_type', detail })
}
