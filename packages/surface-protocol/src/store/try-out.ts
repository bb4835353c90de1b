import type { SurfaceDiagnostic } from '../diagnostics/errors.ts'
import { Report } from '../diagnostics/report.ts'
import { createComponentCheck } from './component-check.ts'
import { findMapTemplate } from './map-templates.ts'
import type { StoreState } from './state.ts'
import { stateOfStore, type AnySurfaceStore } from './store.ts'

/**
 * Applies messages for one surface to a store and takes them back; nobody is told. Costs what the messages cost,
 * however large the surface is.
 * @param options.templates also refuses a template whose data are a map
 * @returns the diagnostics of the first one that is refused; null if all are right
 */
export function tryOut(
  store: AnySurfaceStore,
  surfaceId: string,
  messages: readonly object[],
  { templates }: { readonly templates: boolean },
): SurfaceDiagnostic[] | null {
  const state = stateOfStore(store)
  const { settings } = state
  const surface = state.surfaces.get(surfaceId)
  const before = { ...surface }
  surface?.graph.hold()
  surface?.data.hold()
  const surfaces = new Map(state.surfaces)
  const check = createComponentCheck(surfaces, settings.cores)
  const trial: StoreState = { ...state, surfaces, check, isTrial: true }
  try {
    for (const message of messages) {
      const report = new Report(settings.mode, settings.limits)
      if (settings.dialect.process(trial, message, report) === 'refused') return report.finish()
    }
    const after = templates ? surfaces.get(surfaceId) : undefined
    const found = after === undefined ? null : findMapTemplate(after, settings)
    return found === null ? null : [found]
  } finally {
    surface?.graph.restore()
    surface?.data.restore()
    if (surface !== undefined) Object.assign(surface, before)
  }
}
