import { protocolParts } from '../data/version.ts'
import type { SurfaceStore } from '../store/store.ts'
import type { LaterParts } from './later-parts.ts'
import { createLaterForm, partsV09 } from './wire-form-later.ts'
import { createFormV08 } from './wire-form-v08.ts'
import type { WireForm, WireSettings } from './wire-form.ts'

/** The wire form of a writer's version. */
export function wireFormOf(store: SurfaceStore, settings: WireSettings): WireForm {
  const { version } = settings
  if (version === '0.8') return createFormV08(store, settings)
  if (typeof version === 'string') {
    return createLaterForm(store, settings, { ...partsV09, version: `v${version}` })
  }
  return createLaterForm(
    store,
    settings,
    (protocolParts(version) as { readonly build: LaterParts }).build,
  )
}
